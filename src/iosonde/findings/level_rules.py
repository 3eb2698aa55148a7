"""Rules about the states that a target went through while a cell was measured, and the one that it had not reached."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.regimes import Regime, regime_of, regimes_of
from iosonde.analysis.totals import measured_intervals
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_duration, format_iops

EVIDENCE_MAX: Final = 10
SHARE_MIN: Final = 0.05
"""A smaller difference changes nobody's mind."""


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


def not_settled(case: Case) -> Iterator[Finding]:
    """The throughput of a repeat still moved while it was measured, and no level of it stood out."""
    if case.run.header.plan.aim is not None:
        return  # Where figures were to be known, cells that never settled are among those that are not.
    used = [record for cell in case.estimates.cells for record in case.repeats_of(cell.cell).used]
    moving = [record for record in used if not record.settled and _moved(record)]
    if not moving:
        return
    moving.sort(key=lambda record: -_contrast(_ends(record)))
    worst, cells = moving[0], distinct(record.cell for record in moving)
    more = len(moving) - 1
    others = f"; so did that of {count_of(more, 'repeat')} more, by less" if more else ""
    yield Finding(
        id="not-settled",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"The throughput of {worst.cell} still moved while repeat {worst.repeat} was measured: "
            f"{_described_ends(worst)}{others}. A mean over that depends on how long one measures."
        ),
        evidence=tuple((each.cell, f"repeat {each.repeat}: {_described_ends(each)}") for each in moving[:EVIDENCE_MAX]),
        advice="Take it for what the target does so early; what lasts needs a longer warm-up and more time.",
        deciding_test="The same cell for several times as long: what settles has a last half that keeps its level.",
        cells=cells,
    )


def _moved(record: CellRecord) -> bool:
    """Whether it moved by as much as levels have to, without a level that stands out."""
    return len(regimes_of(record)) == 1 and _contrast(_ends(record)) > 1 + SHARE_MIN


def _ends(record: CellRecord) -> tuple[Regime, Regime]:
    """The first tenth and the last half, which is what was compared."""
    measured = measured_intervals(record)
    tenth, half = max(len(measured) // 10, 1), max(len(measured) // 2, 1)
    return regime_of(measured, 0, tenth), regime_of(measured, len(measured) - half, len(measured))


def _described_ends(record: CellRecord) -> str:
    first, last = _ends(record)
    return f"{format_iops(first.iops)} IOPS in its first tenth, {format_iops(last.iops)} in its last half"


LEVEL_RULES = (level_changed, not_settled)
