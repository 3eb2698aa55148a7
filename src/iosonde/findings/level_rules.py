"""Rules about the regimes that a target went through while a cell was measured, and the one that it had not reached."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.regimes import Regime, regime_of, regimes_of
from iosonde.analysis.series import compared_ends
from iosonde.analysis.totals import measured_intervals
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_duration, format_iops

EVIDENCE_MAX: Final = 10
MOVED_SHARE_MIN: Final = 0.01
"""A regime change that moves the mean of its repeat by less is not worth a word: half of the finest usual aim."""


def level_changed(case: Case) -> Iterator[Finding]:
    """The throughput of a repeat changed its regime within it, and its mean with that."""
    # Discarded repeats are in no figure.
    changed = [(record, regimes) for record in case.used if _moves_the_mean(regimes := regimes_of(record))]
    if not changed:
        return
    changed.sort(key=lambda each: -_contrast(each[1]))
    worst, regimes = changed[0]
    cells = distinct(record.cell for record, _ in changed)
    yield Finding(
        id="level-changed",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"The throughput of {worst.cell} changed its regime within repeat {worst.repeat}: "
            f"{describe_levels(regimes)}{_others(changed)}. A mean over regimes is that of no state."
        ),
        evidence=tuple(_evidence(record, levels) for record, levels in changed[:EVIDENCE_MAX]),
        advice="Decide on the regime that your work will meet: `iosonde show RUN CELL` has each with its time.",
        deciding_test="The same cell for longer: a state that lasts goes on, and one that passes comes back.",
        cells=cells,
    )


def _moves_the_mean(regimes: Sequence[Regime]) -> bool:
    """Whether the mean over a repeat is another one than that of the regime which lasted longest."""
    if len(regimes) <= 1:
        return False
    time_ns = sum(each.end_ns - each.start_ns for each in regimes)
    mean = sum(each.iops * (each.end_ns - each.start_ns) for each in regimes) / time_ns
    longest = max(regimes, key=lambda each: each.end_ns - each.start_ns).iops
    return abs(mean - longest) >= MOVED_SHARE_MIN * mean


def describe_levels(regimes: Sequence[Regime]) -> str:
    """The levels in their order, each with the time at which it began."""
    first, *others = regimes
    told = [f"{format_iops(first.iops)} IOPS at first"]
    told += [f"{format_iops(each.iops)} from {format_duration(each.start_ns)}" for each in others]
    return ", ".join(told)


def _others(found: Sequence[object]) -> str:
    """How many there are beside the worst, as the end of a sentence."""
    more = len(found) - 1
    return f"; so did that of {count_of(more, 'repeat')} more, by less" if more else ""


def _contrast(regimes: Sequence[Regime]) -> float:
    levels = [each.iops for each in regimes]
    return max(levels) / max(min(levels), 1.0)


def _evidence(record: CellRecord, regimes: Sequence[Regime]) -> tuple[str, str]:
    return record.cell, f"repeat {record.repeat}: {describe_levels(regimes)}"


def not_settled(case: Case) -> Iterator[Finding]:
    """The throughput of a repeat still moved while it was measured, and no level of it stood out."""
    if case.run.header.plan.aim is not None:
        return  # Where figures were to be known, cells that never settled are among those that are not.
    restless = [record for record in case.used if not record.settled and len(regimes_of(record)) == 1]
    moving = [(record, ends) for record in restless if _contrast(ends := _ends(record)) > 1 + LEVEL_SHARE_MIN]
    if not moving:
        return
    moving.sort(key=lambda each: -_contrast(each[1]))
    worst, ends = moving[0]
    cells = distinct(record.cell for record, _ in moving)
    yield Finding(
        id="not-settled",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"The throughput of {worst.cell} still moved while repeat {worst.repeat} was measured: "
            f"{_described(ends)}{_others(moving)}. A mean over that depends on how long one measures."
        ),
        evidence=tuple(
            (record.cell, f"repeat {record.repeat}: {_described(each)}") for record, each in moving[:EVIDENCE_MAX]
        ),
        advice="Take it for what the target does so early; what lasts needs a longer warm-up and more time.",
        deciding_test="The same cell for several times as long: what settles has a last half that keeps its level.",
        cells=cells,
    )


def _ends(record: CellRecord) -> tuple[Regime, Regime]:
    """What was compared: the first tenth and the last half."""
    measured = measured_intervals(record)
    first, last = compared_ends(measured)
    return regime_of(first, measured[0].start_ns), regime_of(last, measured[0].start_ns)


def _described(ends: tuple[Regime, Regime]) -> str:
    first, last = ends
    return f"{format_iops(first.iops)} IOPS in its first tenth, {format_iops(last.iops)} in its last half"


LEVEL_RULES = (level_changed, not_settled)
