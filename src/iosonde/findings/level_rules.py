"""Rules about the states that a target went through while a cell was measured."""

from collections.abc import Iterator, Sequence

from iosonde.analysis.regimes import Regime, regimes_of
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_duration, format_iops

EVIDENCE_MAX = 10


def level_changed(case: Case) -> Iterator[Finding]:
    """The throughput of a repeat changed its level within it."""
    # What moved on its way to a level is left out of the figures, where enough others are there.
    used = [record for cell in case.estimates.cells for record in case.repeats_of(cell.cell).used]
    changed = [(record, regimes) for record in used if len(regimes := regimes_of(record)) > 1]
    if not changed:
        return
    changed.sort(key=lambda each: -_contrast(each[1]))
    worst, regimes = changed[0]
    cells = distinct(record.cell for record, _ in changed)
    more = len(changed) - 1
    others = f"; so did that of {count_of(more, 'repeat')} more, by less" if more else ""
    yield Finding(
        id="level-changed",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"The throughput of {worst.cell} changed its level within repeat {worst.repeat}: {describe_levels(regimes)}"
            f"{others}. A mean over levels is that of no state."
        ),
        evidence=tuple(_evidence(record, levels) for record, levels in changed[:EVIDENCE_MAX]),
        advice="Decide on the level that your work will meet: `iosonde show RUN CELL` has each with its time.",
        deciding_test="The same cell for longer: a state that lasts goes on, and one that passes comes back.",
        cells=cells,
    )


def describe_levels(regimes: Sequence[Regime]) -> str:
    """The levels in their order, each with the time at which it began."""
    first, *others = regimes
    told = [f"{format_iops(first.iops)} IOPS at first"]
    told += [f"{format_iops(each.iops)} from {format_duration(each.start_ns)}" for each in others]
    return ", ".join(told)


def _contrast(regimes: Sequence[Regime]) -> float:
    levels = [each.iops for each in regimes]
    return max(levels) / max(min(levels), 1.0)


def _evidence(record: CellRecord, regimes: Sequence[Regime]) -> tuple[str, str]:
    return record.cell, f"repeat {record.repeat}: {describe_levels(regimes)}"


LEVEL_RULES = (level_changed,)
