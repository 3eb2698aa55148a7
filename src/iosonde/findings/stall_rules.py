"""Rules about moments in which a target stood still."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.regimes import Regime, stalls_of
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_duration

EVIDENCE_MAX: Final = 10


def stalled(case: Case) -> Iterator[Finding]:
    """Within a repeat the target completed next to nothing for a while, and then went on as before."""
    found = [(record, stalls) for record in case.used if (stalls := stalls_of(record))]
    if not found:
        return
    found.sort(key=lambda each: -_longest(each[1]))
    record, stalls = found[0]
    cells = distinct(each.cell for each, _ in found)
    others = f"; {count_of(len(found) - 1, 'repeat')} more stalled, of {name_some(cells)}" if len(found) > 1 else ""
    yield Finding(
        id="stalled",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The target stalled for {format_duration(_longest(stalls))} within repeat {record.repeat} of "
            f"{record.cell}: less than a tenth of the usual number of operations completed{others}."
        ),
        evidence=tuple(_evidence(each, also) for each, also in found[:EVIDENCE_MAX]),
        advice="The mean includes the stalls; the tail shows what they cost.",
        deciding_test="The same cell for longer: how often stalls come, and whether they come in even steps.",
        cells=cells,
    )


def nothing_completed(case: Case) -> Iterator[Finding]:
    """A target stood still for the whole of some repeats, which are in the mean as a throughput of 0."""
    silent = [record for record in case.used if record.is_silent]
    if not silent:
        return
    worst = max(silent, key=lambda record: record.measured_ns)
    cells = distinct(record.cell for record in silent)
    yield Finding(
        id="nothing-completed",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"Nothing of what was asked completed in {count_of(len(silent), 'repeat')} of {name_some(cells)}; in "
            f"{worst.cell}, repeat {worst.repeat}, for {format_duration(worst.measured_ns)}. Each counts as a "
            "throughput of 0, and adds nothing to the latency figures."
        ),
        evidence=tuple(
            (record.cell, f"repeat {record.repeat}: {format_duration(record.measured_ns)}")
            for record in silent[:EVIDENCE_MAX]
        ),
        advice="Latency figures of these cells lack the slowest operations: measure them in longer repeats.",
        deciding_test="The same cells with a longer --duration.",
        cells=cells,
    )


def _longest(stalls: Sequence[Regime]) -> int:
    return max(each.end_ns - each.start_ns for each in stalls)


def _evidence(record: CellRecord, stalls: Sequence[Regime]) -> tuple[str, str]:
    told = ", ".join(
        f"{format_duration(each.end_ns - each.start_ns)} at {format_duration(each.start_ns)}" for each in stalls
    )
    return record.cell, f"repeat {record.repeat}: {told}"


STALL_RULES = (stalled, nothing_completed)
