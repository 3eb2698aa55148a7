"""A rule about mixes: whether operations of each class completed in the requested shares."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from iosonde.findings.case import Case, count_of
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Operation
from iosonde.units import SECOND_NS, format_iops, format_percent

KEPT_DOUBTFUL: Final = 0.95
"""Throughput by the slowest class below this share of the throughput of all: the latter is 5 % too high."""

KEPT_INVALID: Final = 0.90
CHANCE_DEVIATIONS: Final = 4
EVIDENCE_MAX: Final = 10


@dataclass(frozen=True)
class _Unkept:
    """A cell whose operations did not complete in the requested shares, over all trials that count.

    ``slowest`` is the class that lags most. Its count implies ``kept`` times the throughput of all operations.
    """

    cell: str
    slowest: Operation
    asked: float
    achieved: float
    iops: float
    kept: float

    @property
    def text(self) -> str:
        """The two shares of the slowest class."""
        return f"{format_percent(self.achieved)} {self.slowest}s instead of {format_percent(self.asked)}"


def mix_not_kept(case: Case) -> Iterator[Finding]:
    """In a closed loop of a mix, the faster operations completed more often than requested.

    A queue keeps the requested shares of what it submits. If a measurement is short for the slower operations, these
    are still in flight at its end, and the faster ones are counted alone. Over a long time, all classes complete in
    their shares, so the throughput is that of the class that lags most, divided by its share.
    """
    by_phase: dict[tuple[str, str], list[CellRecord]] = {}
    for record in case.used:
        if not record.workload.is_open_loop and record.measured_ns:
            by_phase.setdefault((record.cell, record.phase or ""), []).append(record)
    # Results are those of the last phase of a cell, so of its phases that did not keep the mix the last one counts.
    of_cell = {each.cell: each for records in by_phase.values() if (each := _unkept(records)) is not None}
    found = list(of_cell.values())
    invalid = [each for each in found if each.kept < KEPT_INVALID]
    doubtful = [each for each in found if each.kept >= KEPT_INVALID]
    for severity, some in ((Severity.INVALID, invalid), (Severity.DOUBTFUL, doubtful)):
        if some:
            yield _finding(case, severity, sorted(some, key=lambda each: each.kept))


def _unkept(records: Sequence[CellRecord]) -> _Unkept | None:
    """The trials of a cell together; None if their operations completed as requested, but for chance."""
    asked = {each: percent / 100 for each, percent in records[0].workload.percents.items() if percent}
    if len(asked) < 2:  # noqa: PLR2004 - a mix has two
        return None
    counts = {each: sum(one.operations[each].count for one in records if each in one.operations) for each in asked}
    operations = sum(counts.values())
    if not operations:
        return None
    slowest = min(asked, key=lambda each: counts[each] / asked[each])
    share, expected = asked[slowest], asked[slowest] * operations
    kept = counts[slowest] / expected
    by_chance = CHANCE_DEVIATIONS * sqrt(expected * (1 - share))
    if kept >= KEPT_DOUBTFUL or expected - counts[slowest] <= by_chance:
        return None
    iops = operations * SECOND_NS / sum(each.measured_ns for each in records)
    return _Unkept(records[0].cell, slowest, share, counts[slowest] / operations, iops, kept)


def _finding(case: Case, severity: Severity, found: list[_Unkept]) -> Finding:
    worst = found[0]
    return Finding(
        id="mix-not-kept",
        severity=severity,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(found), 'cell')}, the operations that completed do not have the requested mix, because "
            f"the measurement is too short for the slower ones. In {worst.cell}, {worst.text} completed. "
            f"Throughput is too high: by the {worst.slowest}s, it is "
            f"{format_iops(worst.iops * worst.kept)} IOPS, and not {format_iops(worst.iops)}."
        ),
        evidence=tuple((each.cell, each.text) for each in found[:EVIDENCE_MAX]),
        advice="Do not use the throughput of these cells. Latencies of the slower operations are too low as well.",
        deciding_test=(
            case.longer
            if case.run.header.plan.procedures
            else "Run these cells again with a longer warm-up and a longer measurement time."
        ),
        cells=tuple(each.cell for each in found),
    )
