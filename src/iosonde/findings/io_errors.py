"""Rules about cells and operations that failed."""

from collections.abc import Iterator

from iosonde.analysis.states import failed_repeats
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import FaultKind


def cell_failed(case: Case) -> Iterator[Finding]:
    """A cell did not give what was asked."""
    failed = failed_repeats(case.run.cells)
    if failed:
        cells = distinct(record.cell for record in failed)
        reasons = distinct(record.failure.message for record in failed if record.failure is not None)
        yield Finding(
            id="cell-failed",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(failed), 'measurement')} failed in {name_some(cells)}: "
                f"{reasons[0] if reasons else 'no reason was given'}. Failed measurements are left out of every figure."
            ),
            evidence=tuple((record.cell, record.failure.message) for record in failed[:10] if record.failure),
            advice="Mend the cause and run again; the other cells stand.",
            deciding_test="",
            cells=cells,
        )


def io_errors(case: Case) -> Iterator[Finding]:
    """Operations went wrong, though the cell went on."""
    faulty = [
        (record, fault) for record in case.run.cells for fault in record.faults if fault.kind is not FaultKind.RETRY
    ]
    if faulty:
        number = sum(fault.count for _, fault in faulty)
        cells = distinct(record.cell for record, _ in faulty)
        kinds = distinct(fault.errno_name or "short transfer" for _, fault in faulty)
        offset = faulty[0][1].offset_bytes_first
        where = "" if offset is None else f", the first at offset {offset}"
        yield Finding(
            id="io-errors",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(number, 'operation')} went wrong ({', '.join(kinds)}){where}: they are in no figure, and a "
                "device that fails is not the device that works."
            ),
            evidence=tuple(
                (record.cell, f"{fault.count} x {fault.operation} {fault.errno_name or 'short'}")
                for record, fault in faulty[:10]
            ),
            advice=(
                "Look at the faults of the model: nothing else makes a simulated drive fail."
                if case.is_simulated
                else "Look at the kernel's log (dmesg) and the device's health before anything else."
            ),
            deciding_test=(
                "" if case.is_simulated else "Reading the named offset with dd, and the device's own self-test."
            ),
            cells=cells,
        )
