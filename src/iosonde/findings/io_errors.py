"""Rules about failed cells and failed operations."""

from collections.abc import Iterator

from iosonde.analysis.states import failed_repeats
from iosonde.findings.case import Case, count_of, distinct, of_trial
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import FaultKind


def cell_failed(case: Case) -> Iterator[Finding]:
    """Repeats of a cell failed."""
    failed = failed_repeats(case.run.cells)
    if failed:
        cells = distinct(record.cell for record in failed)
        reasons = distinct(record.failure.message for record in failed if record.failure is not None)
        yield Finding(
            id="cell-failed",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{case.trials_of(failed)} failed: "
                f"{reasons[0] if reasons else 'reason unknown'}. Results exclude what failed."
            ),
            evidence=tuple(of_trial(record, record.failure.message) for record in failed[:10] if record.failure),
            advice="Fix the cause and run again. Other cells are not affected.",
            deciding_test="",
            cells=cells,
        )


def io_errors(case: Case) -> Iterator[Finding]:
    """Operations failed, but the cell continued."""
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
                f"{count_of(number, 'operation')} failed ({', '.join(kinds)}){where}. The results exclude "
                "these operations and are not representative of a healthy device."
            ),
            evidence=tuple(
                of_trial(record, f"{fault.count} × {fault.operation} {fault.errno_name or 'short transfer'}")
                for record, fault in faulty[:10]
            ),
            advice=(
                "Check the faults configured in the drive model. A simulated drive returns no other errors."
                if case.is_simulated
                else "First, check the kernel log (dmesg) and the health of the device."
            ),
            deciding_test=""
            if case.is_simulated
            else "Read the whole target with `dd if=TARGET of=/dev/null bs=1M iflag=direct`, and run a device "
            "the device.",
            cells=cells,
        )
