"""One cell over its repeats: every figure with its uncertainty, for each class of operations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from iosonde.analysis.estimate import Estimate, Own, are_too_few, estimate
from iosonde.analysis.histogram import PERCENTS, TAIL_PERCENT
from iosonde.analysis.latency import (
    TimesEstimate,
    estimate_times,
    latency_kind,
    leading,
    percentiles_of,
    service_of,
)
from iosonde.analysis.pace import PaceEstimate, estimate_pace
from iosonde.analysis.quantiles import percentile_intervals
from iosonde.analysis.states import sort_repeats
from iosonde.analysis.totals import COUNTED_IN_ALL, count_of, merge_totals, total_of
from iosonde.records import (
    CellPlan,
    CellRecord,
    Experiment,
    Failure,
    Fault,
    Histogram,
    LatencyKind,
    Operation,
    OperationTotals,
    Outcome,
    WithinRepeat,
    Workload,
)
from iosonde.units import SECOND_NS


@dataclass(frozen=True)
class PercentileEstimate:
    """A percentile of latency in nanoseconds.

    In a saturated cell all of it is None.

    ``value_ns`` is read from all repeats' counts added up. ``lowest_ns`` and ``highest_ns`` are the extremes of the
    repeats' own percentiles, given only when every repeat supports it. None means fewer than 10 samples beyond.
    ``low_ns`` and ``high_ns`` bound the percentile with 95 % confidence; None below two repeats, with fewer than
    thirty independent intervals in all, and where the bound would lie beyond the largest value.
    """

    percent: float
    value_ns: int | None
    lowest_ns: int | None
    highest_ns: int | None
    low_ns: int | None = None
    high_ns: int | None = None


@dataclass(frozen=True)
class OperationEstimate:
    """One class of operations of a cell over the repeats in which it completed something.

    ``count``, ``bytes`` and ``latency`` are added over repeats; minimum and maximum are the extremes over repeats.

    ``latency_kind`` says which latency the figures are about: response in an open loop, which then has its service
    latency in ``service``, the whole wait before submission in ``lag``, and the engine's part of it in ``host_lag``;
    service in a closed loop, where these are None. ``saturated`` says that the rate was not kept, so that the response
    latency is a matter of how long it was measured: then no percentile has a value.
    """

    operation: Operation
    iops: Estimate
    bytes_per_s: Estimate
    latency_ns_mean: Estimate
    latency_ns_min: int
    latency_ns_max: int
    percentiles: tuple[PercentileEstimate, ...]
    count: int
    bytes: int
    latency: Histogram = field(repr=False)
    latency_kind: LatencyKind = LatencyKind.SERVICE
    service: TimesEstimate | None = None
    lag: TimesEstimate | None = None
    host_lag: TimesEstimate | None = None
    saturated: bool = False

    def percentile(self, percent: float) -> PercentileEstimate:
        """The percentile at one of the points in ``PERCENTS``."""
        return next(each for each in self.percentiles if each.percent == percent)


@dataclass(frozen=True)
class CellEstimate:
    """One cell over its repeats. Only finished repeats count; without any, there are no figures at all.

    ``operations`` is empty when no repeat finished. ``queue_depth_achieved`` and ``cpu_ns_per_io`` are None then, and
    where the engine does not know them.
    ``faults`` and ``failures`` are those of all repeats, whatever their outcome. ``pace`` is that of an open loop.
    ``repeats_unsettled`` still moved while they were measured, ``repeats_early`` came before the target changed its
    state: both are left out of the figures, where enough others are there.
    """

    cell: str
    experiments: tuple[Experiment, ...]
    workload: Workload
    outcomes: tuple[Outcome, ...]
    failures: tuple[Failure, ...]
    faults: tuple[Fault, ...]
    measured_ns: int
    queue_depth_achieved: Estimate | None
    cpu_ns_per_io: Estimate | None
    operations: dict[Operation, OperationEstimate]
    pace: PaceEstimate | None = None
    repeats_unsettled: int = 0
    repeats_early: int = 0

    @property
    def queue_depth_asked(self) -> int:
        """Operations that the workload wanted in flight, by all its workers together; at most, in an open loop."""
        return self.workload.operations_in_flight

    @property
    def repeats_finished(self) -> int:
        """Repeats that the figures come from."""
        return self.outcomes.count(Outcome.FINISHED)

    @property
    def repeats_failed(self) -> int:
        """Repeats without what was asked; they are left out of every figure."""
        return self.outcomes.count(Outcome.FAILED)

    @property
    def repeats_cut(self) -> int:
        """Repeats that were broken off; they are left out of every figure."""
        return self.outcomes.count(Outcome.CUT)

    @property
    def direction(self) -> Operation | None:
        """``read``, ``write`` or ``trim`` for a pure workload, None for a mix."""
        return self.workload.only_operation

    @property
    def subject(self) -> OperationEstimate | None:
        """What the cell is about: commits where each write is flushed, the direction if pure, else all together."""
        return self.of(self.workload.subject)

    @property
    def latency_kind(self) -> LatencyKind:
        """Which latency the figures are about; by what was asked, where there are none."""
        return latency_kind(self.workload) if self.subject is None else self.subject.latency_kind

    def of(self, operation: Operation) -> OperationEstimate | None:
        """The figures of one class of operations, or None where nothing was completed."""
        return self.operations.get(operation)


def estimate_cell(plan: CellPlan, records: Sequence[CellRecord]) -> CellEstimate:
    """The estimates of one cell from the records of its repeats, which may be none."""
    repeats = sort_repeats(records)
    used = repeats.used
    found = {operation for record in used for operation in record.operations}
    estimates = {each: _estimate_operation(each, plan.workload, used) for each in Operation if each in found}
    if Operation.ALL not in found:
        estimates[Operation.ALL] = _estimate_all(plan.workload, used, estimates)
    pace = estimate_pace(records)
    if pace is not None and pace.saturated:
        estimates = {each: _withheld(figures) for each, figures in estimates.items()}
    depths = [(depth, record) for record in used if (depth := record.queue_depth_achieved) is not None]
    costs = [(cost, record) for record in used if (cost := _cpu_ns_per_io(record)) is not None]
    return CellEstimate(
        pace=pace,
        cell=plan.cell,
        experiments=plan.experiments,
        workload=plan.workload,
        outcomes=tuple(record.outcome for record in records),
        failures=tuple(record.failure for record in records if record.failure is not None),
        faults=tuple(fault for record in records for fault in record.faults),
        measured_ns=sum(record.measured_ns for record in used),
        queue_depth_achieved=estimate([depth for depth, _ in depths], _weights([record for _, record in depths])),
        cpu_ns_per_io=estimate([cost for cost, _ in costs], _weights([record for _, record in costs])),
        operations={operation: each for operation, each in estimates.items() if each is not None},
        repeats_unsettled=len(repeats.unsettled),
        repeats_early=len(repeats.early),
    )


def _estimate_all(
    workload: Workload, used: Sequence[CellRecord], estimates: Mapping[Operation, OperationEstimate | None]
) -> OperationEstimate | None:
    """The figures of all classes together; where there is one only, they are its own."""
    if len(estimates) == 1:
        [(operation, only)] = estimates.items()
        return None if only is None or operation not in COUNTED_IN_ALL else replace(only, operation=Operation.ALL)
    return _estimate_operation(Operation.ALL, workload, used)


def _weights(records: Sequence[CellRecord]) -> list[float] | None:
    """How long repeats were meant to be, where they were not meant to be equally long."""
    lengths = [float(record.timing.measure_ns) for record in records]
    return lengths if len(set(lengths)) > 1 else None


def _withheld(figures: OperationEstimate | None) -> OperationEstimate | None:
    """The figures of a saturated cell, without percentiles of a latency that has no distribution of its own."""
    if figures is None or figures.latency_kind is not LatencyKind.RESPONSE:
        return figures
    none = tuple(PercentileEstimate(each.percent, None, None, None) for each in figures.percentiles)
    return replace(figures, saturated=True, percentiles=none)


def _estimate_operation(
    operation: Operation, workload: Workload, used: Sequence[CellRecord]
) -> OperationEstimate | None:
    found = [(totals, record) for record in used if (totals := total_of(record.operations, operation)) is not None]
    whole = merge_totals([totals for totals, _ in found])
    merged = None if whole is None else leading(whole)
    measured = [(leading(totals), record) for totals, record in found]
    weights = _weights([record for _, record in measured])
    # What intervals say of a repeat, they say of what its cell is about.
    within = [record.within if operation is workload.subject else None for _, record in measured]
    rates = [None if each is None else (each.throughput_error, each.effective) for each in within]
    times = [None if each is None else (each.latency_error, each.effective) for each in within]
    iops = _weighted([totals.count * SECOND_NS / record.measured_ns for totals, record in measured], weights, rates)
    bytes_per_s = _weighted(
        [totals.bytes * SECOND_NS / record.measured_ns for totals, record in measured], weights, rates
    )
    latency_ns_mean = _weighted([totals.latency_ns_sum / totals.count for totals, _ in measured], weights, times)
    if whole is None or merged is None or iops is None or bytes_per_s is None or latency_ns_mean is None:
        return None
    return OperationEstimate(
        operation=operation,
        iops=iops,
        bytes_per_s=bytes_per_s,
        latency_ns_mean=latency_ns_mean,
        latency_ns_min=merged.latency_ns_min,
        latency_ns_max=merged.latency_ns_max,
        percentiles=_estimate_percentiles(merged, [totals for totals, _ in measured], within),
        count=merged.count,
        bytes=merged.bytes,
        latency=merged.latency,
        latency_kind=latency_kind(workload) if whole.response is not None else LatencyKind.SERVICE,
        service=estimate_times(service_of(whole)) if whole.response is not None else None,
        lag=estimate_times(whole.lag),
        host_lag=estimate_times(whole.host_lag),
    )


def _weighted(
    values: Sequence[float], weights: Sequence[float] | None, shares: Sequence[tuple[float, float] | None]
) -> Estimate | None:
    """The estimate of values with their errors as shares of them, each with its number of independent values."""
    own = [each and Own(each[0] * value, each[1]) for each, value in zip(shares, values, strict=True)]
    return estimate(values, weights, own)


def _estimate_percentiles(
    merged: OperationTotals, repeats: Sequence[OperationTotals], within: Sequence[WithinRepeat | None]
) -> tuple[PercentileEstimate, ...]:
    pooled = percentiles_of(merged)
    own = [percentiles_of(totals) for totals in repeats] if len(repeats) > 1 else [pooled]
    errors = {
        percent: [_beyond_own(each) if percent == TAIL_PERCENT else None for each in within] for percent in PERCENTS
    }
    too_few = are_too_few([None if each is None else each.effective for each in within])
    intervals = (None,) * len(errors) if too_few else percentile_intervals(merged, repeats, errors)
    estimates = []
    for index, (percent, value_ns) in enumerate(zip(PERCENTS, pooled, strict=True)):
        known = [value for repeat in own if (value := repeat[index]) is not None]
        whole = len(known) == len(own)
        low_ns, high_ns = intervals[index] or (None, None)
        lowest_ns, highest_ns = (min(known), max(known)) if whole else (None, None)
        estimates.append(PercentileEstimate(percent, value_ns, lowest_ns, highest_ns, low_ns, high_ns))
    return tuple(estimates)


def _beyond_own(within: WithinRepeat | None) -> Own | None:
    if within is None or within.beyond_error is None:
        return None
    return Own(within.beyond_error, within.effective)


def _cpu_ns_per_io(record: CellRecord) -> float | None:
    """CPU time of the worker threads, user and system, over everything that completed in the same window."""
    count = count_of(record.operations, Operation.ALL)
    if not count or record.cpu_workers_ns is None:
        return None
    return record.cpu_workers_ns / count
