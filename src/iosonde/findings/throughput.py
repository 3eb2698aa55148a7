"""Rules about throughput over time: regime changes, steady state, and stalls."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.regimes import Regime, regime_of, regimes_of, stalls_of
from iosonde.analysis.series import compared_ends
from iosonde.analysis.totals import measured_intervals, total_of
from iosonde.findings.case import Case, count_of, distinct, name_some, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import SECOND_NS, format_duration, format_iops

EVIDENCE_MAX: Final = 10

MOVED_SHARE_MIN: Final = 0.01
"""A regime change that moves the mean of its repeat by less is not reported: half of the finest usual precision."""


def level_changed(case: Case) -> Iterator[Finding]:
    """The throughput regime changed within a repeat and moved its mean."""
    # Results do not include discarded repeats.
    changed = [(record, regimes) for record in case.judged_level if _moves_the_mean(regimes := regimes_of(record))]
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
            f"The throughput regime of {worst.cell} changed during {trial_name(worst)}: "
            f"{describe_regimes(regimes)}{_others(changed)}. The mean does not represent any of these regimes."
        ),
        evidence=tuple(_regime_evidence(record, levels) for record, levels in changed[:EVIDENCE_MAX]),
        advice=(
            "Use the results of the regime that applies to your workload. `iosonde show RUN CELL` lists the throughput "
            "and start time of each regime."
        ),
        deciding_test="Run the cell again for longer, and check whether the last regime persists.",
        cells=cells,
    )


def _moves_the_mean(regimes: Sequence[Regime]) -> bool:
    """Whether the mean of a repeat differs from the level of its longest regime."""
    if len(regimes) <= 1:
        return False
    time_ns = sum(each.end_ns - each.start_ns for each in regimes)
    mean = sum(each.iops * (each.end_ns - each.start_ns) for each in regimes) / time_ns
    longest = max(regimes, key=lambda each: each.end_ns - each.start_ns).iops
    return abs(mean - longest) >= MOVED_SHARE_MIN * mean


def describe_regimes(regimes: Sequence[Regime]) -> str:
    """The throughput of each regime in order, with the time at which it began."""
    first, *others = regimes
    told = [f"{format_iops(first.iops)} IOPS initially"]
    told += [f"{format_iops(each.iops)} IOPS after {format_duration(each.start_ns)}" for each in others]
    return ", ".join(told)


def _others(found: Sequence[object]) -> str:
    """The number of repeats besides the worst, as the end of a sentence."""
    more = len(found) - 1
    return f". The change was smaller in {count_of(more, 'other repeat')}" if more else ""


def _contrast(regimes: Sequence[Regime]) -> float:
    levels = [each.iops for each in regimes]
    return max(levels) / max(min(levels), 1.0)


def _regime_evidence(record: CellRecord, regimes: Sequence[Regime]) -> tuple[str, str]:
    return record.cell, f"{trial_name(record)}: {describe_regimes(regimes)}"


def not_settled(case: Case) -> Iterator[Finding]:
    """The throughput of a repeat had not settled when it was measured, and has no distinct regimes."""
    if case.run.header.plan.aim is not None:
        return  # not-established reports such cells in runs with a requested precision.
    unsettled = [record for record in case.judged_level if not record.settled and len(regimes_of(record)) == 1]
    moving = [(record, ends) for record in unsettled if _contrast(ends := _ends(record)) > 1 + LEVEL_SHARE_MIN]
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
            f"The throughput of {worst.cell} had not settled when the measurement of {trial_name(worst)} began: "
            f"{_described(ends)}{_others(moving)}. The mean therefore depends on the measurement time."
        ),
        evidence=tuple(
            (record.cell, f"{trial_name(record)}: {_described(each)}") for record, each in moving[:EVIDENCE_MAX]
        ),
        advice=(
            "Treat the result as initial performance. To measure sustained throughput, increase the warm-up and the "
            "measurement time."
        ),
        deciding_test="Run the cell again for much longer. Check whether throughput is constant in the second half.",
        cells=cells,
    )


def _ends(record: CellRecord) -> tuple[Regime, Regime]:
    """The two parts that were compared: the first tenth and the last half."""
    measured = measured_intervals(record)
    first, last = compared_ends(measured)
    return regime_of(first, measured[0].start_ns), regime_of(last, measured[0].start_ns)


def _described(ends: tuple[Regime, Regime]) -> str:
    first, last = ends
    return (
        f"{format_iops(first.iops)} IOPS in the first 10 % of the measurement, {format_iops(last.iops)} IOPS in the "
        "last 50 %"
    )


def state_left(case: Case) -> Iterator[Finding]:
    """The first repeats show the target in a different state from all later ones."""
    found: list[tuple[str, float, float, int]] = []
    for cell in case.estimates.cells:
        repeats = case.repeats_of(cell.cell)
        if repeats.early:
            found.append((cell.cell, _iops(repeats.early), _iops(repeats.used), len(repeats.early)))
    if not found:
        return
    found.sort(key=lambda each: -max(each[1] / max(each[2], 1.0), each[2] / max(each[1], 1.0)))
    name, before, after, _ = found[0]
    cells = distinct(each[0] for each in found)
    yield Finding(
        id="state-left",
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        statement=(
            f"The performance of the target changed after the first repeats: {name} delivered "
            f"{format_iops(before)} IOPS initially and {format_iops(after)} IOPS later. iosonde discarded the "
            f"first repeats of {name_some(cells)}."
        ),
        evidence=tuple(
            (
                each,
                f"{case.trials(number)} at {format_iops(first)} IOPS, later ones at {format_iops(later)} IOPS",
            )
            for each, first, later, number in found[:EVIDENCE_MAX]
        ),
        advice="The results apply to the later state. A fresh SSD is faster until garbage collection starts.",
        deciding_test="Run again on the target in its current state. The first repeats should no longer differ.",
        cells=cells,
    )


def _iops(records: Sequence[CellRecord]) -> float:
    time_ns = sum(record.measured_ns for record in records)
    found = [total_of(record.operations, record.workload.subject) for record in records]
    return sum(each.count for each in found if each is not None) * SECOND_NS / time_ns


def stalled(case: Case) -> Iterator[Finding]:
    """The target completed almost nothing for a short time within a repeat, and then continued as before."""
    found = [(record, stalls) for record in case.used if (stalls := stalls_of(record))]
    if not found:
        return
    found.sort(key=lambda each: -_longest(each[1]))
    record, stalls = found[0]
    cells = distinct(each.cell for each, _ in found)
    others = f" It also stalled in {case.trials_of([each for each, _ in found[1:]], 'other')}."
    yield Finding(
        id="stalled",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The target stalled for {format_duration(_longest(stalls))} during {trial_name(record)} of "
            f"{record.cell}. During this time, less than a tenth of the usual number of operations completed."
            f"{others if len(found) > 1 else ''}"
        ),
        evidence=tuple(_stall_evidence(each, also) for each, also in found[:EVIDENCE_MAX]),
        advice="Mean throughput includes the stalls. Check tail latency to see their effect.",
        deciding_test="Run the cell again for longer to see how often stalls occur and whether they are periodic.",
        cells=cells,
    )


def nothing_completed(case: Case) -> Iterator[Finding]:
    """No requested operation completed in some repeats. They count in the mean as a throughput of 0."""
    silent = [record for record in case.used if record.is_silent]
    if not silent:
        return
    silent.sort(key=lambda record: -record.measured_ns)
    worst = silent[0]
    cells = distinct(record.cell for record in silent)
    where = f"{trial_name(worst)} of {worst.cell} ({format_duration(worst.measured_ns)})"
    if len(silent) > 1:
        where = f"{case.trials_of(silent)}. The longest is {where}"
    yield Finding(
        id="nothing-completed",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"No operation of the requested type completed in {where}. One without completed operations counts "
            f"as zero throughput in the mean, and {_of_latency(case)}."
        ),
        evidence=tuple(
            (record.cell, f"{trial_name(record)}: {format_duration(record.measured_ns)}")
            for record in silent[:EVIDENCE_MAX]
        ),
        advice="Latency results of these cells exclude the slowest operations. Increase the measurement time.",
        deciding_test=case.longer,
        cells=cells,
    )


def _longest(stalls: Sequence[Regime]) -> int:
    return max(each.end_ns - each.start_ns for each in stalls)


def _stall_evidence(record: CellRecord, stalls: Sequence[Regime]) -> tuple[str, str]:
    told = ", ".join(
        f"{format_duration(each.end_ns - each.start_ns)} at {format_duration(each.start_ns)}" for each in stalls
    )
    return record.cell, f"{trial_name(record)}: {told}"


def _of_latency(case: Case) -> str:
    """What becomes of the latency of a cell with a trial in which nothing completed."""
    if case.procedures:
        return "a mean latency over the rounds is unknown if a round has no completed operation at all"
    return "latency results exclude it"
