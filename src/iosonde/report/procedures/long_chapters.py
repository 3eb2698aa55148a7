"""The part of a procedure's chapter about its long workloads: their charts against time, totals and recovery."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from iosonde.analysis.procedures.long_runs import NEAR_LEVEL, LongPhase
from iosonde.charts.figure import Figure
from iosonde.charts.procedures import longest_over_time, mean_latency_over_time, rate_by_state, rate_over_time
from iosonde.charts.procedures.styles import unit_of
from iosonde.charts.quantities import LatencyUnit, latency_unit, significant
from iosonde.report.blocks import Block, Charts
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_duration, format_percent, format_size
from iosonde.vocabulary import PhaseRole, ProcedureKind, Quantity

MakeChart = Callable[..., Figure]

NO_OPERATIONS: Final = "no operation completed"
NOT_RECOVERED: Final = "throughput was not near the level at the end"
NO_BASELINE: Final = "no continuous writes were measured before"


def long_blocks(
    kind: ProcedureKind, phases: Sequence[LongPhase], capacity_bytes: int, chart: MakeChart
) -> Iterator[Block]:
    """The charts and tables of long workloads; none without any. ``chart`` makes a chart with its id and title."""
    if not phases:
        return
    if kind is ProcedureKind.HOST_IDLE_RECOVERY:
        yield from _idle_recovery(phases, chart)
    else:
        yield from _over_time(kind, phases, chart)
    yield totals_table(phases, capacity_bytes)
    if kind is ProcedureKind.CROSS_STIMULUS_RECOVERY and len(phases) > 1:
        yield recovery_table(phases)


def _over_time(kind: ProcedureKind, phases: Sequence[LongPhase], chart: MakeChart) -> Iterator[Block]:
    is_cross = kind is ProcedureKind.CROSS_STIMULUS_RECOVERY
    quantity = Quantity.BYTES_PER_S if is_cross else Quantity.IOPS
    title = f"{'Bandwidth' if is_cross else 'IOPS'} against time"
    yield Charts((chart("rate-over-time", title, rate_over_time, phases, quantity),))
    yield Charts(
        (
            chart("mean-over-time", "Mean latency against time", mean_latency_over_time, phases),
            chart("longest-over-time", "Maximum latency against time", longest_over_time, phases),
        )
    )


def _idle_recovery(phases: Sequence[LongPhase], chart: MakeChart) -> Iterator[Block]:
    by_role = {role: [each for each in phases if each.role is role] for role in PhaseRole}
    drawn: tuple[tuple[str, str, PhaseRole], ...] = (
        ("preconditioning-over-time", "Preconditioning", PhaseRole.PRECONDITIONING),
        ("idle-over-time", "IOPS of writes between idle times, by wait state", PhaseRole.IDLE_RECOVERY),
        ("after-idle-over-time", "IOPS of the continuous writes after each wait state", PhaseRole.BASELINE),
    )
    for name, title, role in drawn:
        if by_role[role]:
            yield Charts((chart(name, title, rate_by_state, by_role[role]),))
    if by_role[PhaseRole.IDLE_RECOVERY]:
        yield idle_table(phases)


def totals_table(phases: Sequence[LongPhase], capacity_bytes: int) -> ResultTable:
    """Each phase with its throughput, latency, and the data that it transferred."""
    wholes = [each.whole for each in phases]
    means = [mean for each in wholes if (mean := each.latency_ns_mean) is not None]
    latency = latency_unit(means)
    bandwidth = unit_of(Quantity.BYTES_PER_S)

    def line(phase: LongPhase) -> Line:
        whole = phase.whole
        return Line(
            (
                phase.name,
                format_duration(whole.end_ns),
                significant(whole.iops),
                significant(bandwidth.shown(whole.bytes_per_s)),
                _latency(whole.latency_ns_mean, latency),
                _latency(whole.latency_ns_max, latency),
                format_size(whole.bytes),
                significant(whole.bytes / capacity_bytes, 3),
            ),
            cell=phase.name,
        )

    return ResultTable(
        caption="Long workloads: means over each phase.",
        heads=(
            Head("Phase", number=False),
            Head("Time"),
            Head("IOPS"),
            Head("Bandwidth", bandwidth.name),
            Head("Mean latency", latency.name),
            Head("Maximum latency", latency.name),
            Head("Transferred"),
            Head("Fills"),
        ),
        lines=tuple(map(line, phases)),
        notes=(
            f"Fills: data transferred, divided by the measured capacity of {format_size(capacity_bytes)}.",
            *(f"{each.name} did not finish." for each in phases if not each.is_finished),
        ),
    )


def recovery_table(phases: Sequence[LongPhase]) -> ResultTable:
    """Each phase with its level at the end, and the time until it stays near it."""
    bandwidth = unit_of(Quantity.BYTES_PER_S)

    def line(phase: LongPhase) -> Line:
        level = phase.level
        settled_ns = phase.settled_ns(level.iops)
        said = Dash(NOT_RECOVERED) if settled_ns is None else format_duration(settled_ns)
        return Line(
            (phase.name, significant(bandwidth.shown(level.bytes_per_s)), said),
            cell=phase.name,
        )

    return ResultTable(
        caption="Recovery after a change of workload.",
        heads=(Head("Phase", number=False), Head("Level at the end", bandwidth.name), Head("Recovery time")),
        lines=tuple(map(line, phases)),
        notes=(
            (
                f"Level: mean of the last {format_duration(phases[0].level_ns)}. Recovery time: from the beginning of "
                "the phase to the first sample from which on throughput stays within "
                f"{format_percent(NEAR_LEVEL)} of it."
            ),
        ),
    )


def idle_table(phases: Sequence[LongPhase]) -> ResultTable:
    """Each wait state: what idling gained, and when the continuous writes after it were back at the baseline."""
    lines: list[Line] = []
    baseline: LongPhase | None = None
    for place, phase in enumerate(phases):
        if phase.role is not PhaseRole.IDLE_RECOVERY:
            baseline = baseline or phase
            continue
        after = phases[place + 1] if place + 1 < len(phases) else None
        lines.append(_idle_line(phase, baseline, after))
    return ResultTable(
        caption="Host idle recovery, by wait state.",
        heads=(
            Head("Wait state", number=False),
            Head("IOPS of writes"),
            Head("IOPS at the end"),
            Head("Baseline"),
            Head("Gain"),
            Head("Return to baseline"),
        ),
        lines=tuple(lines),
        notes=(
            (
                "IOPS count the time of the writes without the idle times. Writes in flight at the end of a period "
                "count, so IOPS of very short periods are slightly too high. The baseline is the level of the writes "
                "before the first wait state. Gain: IOPS of the whole wait state, compared with the baseline. Return: "
                f"time in the continuous writes until IOPS stay within {format_percent(NEAR_LEVEL)} of it."
            ),
        ),
    )


def _idle_line(phase: LongPhase, baseline: LongPhase | None, after: LongPhase | None) -> Line:
    whole, last = phase.whole.iops, phase.samples[-1].iops
    texts: list[str] = [phase.name, significant(whole), significant(last)]
    if baseline is None or not baseline.level.iops:
        missing = Dash(NO_BASELINE)
        return Line((*texts, missing, missing, missing), cell=phase.name)
    level = baseline.level.iops
    returned: Any = Dash("no continuous writes followed")
    if after is not None:
        settled_ns = after.settled_ns(level)
        returned = Dash(NOT_RECOVERED) if settled_ns is None else format_duration(settled_ns)
    gain = format_percent(whole / level - 1, 1, signed=True)
    return Line((*texts, significant(level), gain, returned), cell=phase.name)


def _latency(value_ns: float | None, unit: LatencyUnit) -> str:
    return Dash(NO_OPERATIONS) if value_ns is None else significant(value_ns / unit.ns)
