"""Rules about throughput over time: regime changes, steady state, and stalls."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.regimes import Regime, regime_of, regimes_of, stalls_of
from iosonde.analysis.series import compared_ends
from iosonde.analysis.totals import measured_intervals, total_of
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import SECOND_NS, format_duration, format_iops

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
        evidence=tuple(_regime_evidence(record, levels) for record, levels in changed[:EVIDENCE_MAX]),
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


def _regime_evidence(record: CellRecord, regimes: Sequence[Regime]) -> tuple[str, str]:
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


def state_left(case: Case) -> Iterator[Finding]:
    """First repeats show another state of the target than all that follow."""
    found: list[tuple[str, float, float, int]] = []
    for cell in case.estimates.cells:
        repeats = case.repeats_of(cell.cell)
        if repeats.early:
            found.append((cell.cell, _iops(repeats.early), _iops(repeats.used), len(repeats.early)))
    if not found:
        return
    found.sort(key=lambda each: -max(each[1] / max(each[2], 1.0), each[2] / max(each[1], 1.0)))
    name, before, behind, _ = found[0]
    cells = distinct(each[0] for each in found)
    yield Finding(
        id="state-left",
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        statement=(
            f"The target changed its state during the run: {name} gave {format_iops(before)} IOPS at first and "
            f"{format_iops(behind)} since. The first repeats of {name_some(cells)} were discarded."
        ),
        evidence=tuple(
            (each, f"{format_iops(first)} IOPS in {count_of(number, 'repeat')}, {format_iops(later)} since")
            for each, first, later, number in found[:EVIDENCE_MAX]
        ),
        advice="The figures are of the later state; a target that is new, or was emptied, shows the first one again.",
        deciding_test="The same run once more on the target as it is now: first repeats no longer differ.",
        cells=cells,
    )


def _iops(records: Sequence[CellRecord]) -> float:
    time_ns = sum(record.measured_ns for record in records)
    found = [total_of(record.operations, record.workload.subject) for record in records]
    return sum(each.count for each in found if each is not None) * SECOND_NS / time_ns


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
        evidence=tuple(_stall_evidence(each, also) for each, also in found[:EVIDENCE_MAX]),
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


def _stall_evidence(record: CellRecord, stalls: Sequence[Regime]) -> tuple[str, str]:
    told = ", ".join(
        f"{format_duration(each.end_ns - each.start_ns)} at {format_duration(each.start_ns)}" for each in stalls
    )
    return record.cell, f"repeat {record.repeat}: {told}"
