"""The estimates of one cell over its repeats: every value with its uncertainty, for each operation."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

from iosonde.analysis.estimate import Estimate, Level, Own, estimate, estimate_known, fitting, mean_of
from iosonde.analysis.histogram import PERCENTS, TAIL_PERCENT
from iosonde.analysis.latency import (
    TimesEstimate,
    estimate_times,
    latency_kind,
    leading,
    percentiles_of,
    service_of,
)
from iosonde.analysis.means import RepeatValues, repeat_values
from iosonde.analysis.pace import PaceEstimate, estimate_pace
from iosonde.analysis.power import PowerEstimate, estimate_power
from iosonde.analysis.quantiles import percentile_intervals
from iosonde.analysis.states import Repeats, sort_repeats
from iosonde.analysis.totals import COUNTED_IN_ALL, count_of, merge_totals
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
    Plan,
    Timing,
    Workload,
    depth_kept,
    one_stream,
)
from iosonde.vocabulary import DiscardReason


@dataclass(frozen=True)
class PercentileEstimate:
    """A percentile of latency in nanoseconds.

    In a saturated cell all values are None.

    ``value_ns`` is the percentile of the merged counts of all repeats. ``lowest_ns`` and ``highest_ns`` are the
    extremes of the repeats' own percentiles, present only if every repeat supports them. None means fewer than 10
    samples above. ``low_ns`` and ``high_ns`` bound the percentile with 95 % confidence. They are None below two
    repeats, if a bound would exceed the largest sample, and if a bound differs from the value by more than a factor of
    ``RATIO_MAX``. ``level`` and ``between_share`` are as in ``Estimate``, for the share of operations above the
    percentile. ``standard_error_ns`` has ``degrees_of_freedom``.
    """

    percent: float
    value_ns: int | None
    lowest_ns: int | None
    highest_ns: int | None
    low_ns: int | None = None
    high_ns: int | None = None
    level: Level | None = None
    between_share: float | None = None
    standard_error_ns: float | None = None
    degrees_of_freedom: float | None = None


@dataclass(frozen=True)
class OperationEstimate:
    """One operation of a cell over its repeats. A repeat without a completion has a throughput of 0.

    ``count``, ``bytes`` and ``latency`` are sums over repeats; minimum and maximum are the extremes over repeats.

    ``latency_kind`` is response in an open loop and service in a closed loop. An open loop also has its service time
    in ``service``, the wait before submission in ``lag``, and the engine's part of that wait in ``host_lag``; in a
    closed loop these are None. ``saturated`` means that the arrival rate was not sustained. Response time then
    depends on the measurement time, and no percentile has a value.
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
    """One cell over its finished repeats.

    If no repeat finished, ``operations`` is empty. ``queue_depth_achieved``, ``queue_depth_device`` and
    ``cpu_ns_per_io`` are None in that case, and if the engine does not report them. ``faults`` and ``failures`` are
    those of all repeats, regardless of outcome. ``pace`` exists for an open loop only. ``power``
    has each source of power that was sampled. ``timing``
    is the planned one. ``repeats`` lists the used and the discarded repeats.
    """

    cell: str
    experiments: tuple[Experiment, ...]
    workload: Workload
    outcomes: tuple[Outcome, ...]
    failures: tuple[Failure, ...]
    faults: tuple[Fault, ...]
    measured_ns: int
    queue_depth_achieved: Estimate | None
    queue_depth_device: Estimate | None
    cpu_ns_per_io: Estimate | None
    operations: dict[Operation, OperationEstimate]
    pace: PaceEstimate | None = None
    power: tuple[PowerEstimate, ...] = ()
    timing: Timing | None = None
    repeats: Repeats = field(default_factory=lambda: Repeats(()), repr=False)

    @property
    def queue_depth_asked(self) -> int:
        """The requested queue depth over all workers; in an open loop, its maximum."""
        return self.workload.operations_in_flight

    @property
    def queue_depth_kept(self) -> float | None:
        """The depth that results apply to: that at the device or, if it is unknown, the achieved one."""
        return mean_of(depth_kept(self.queue_depth_achieved, self.queue_depth_device))

    @property
    def repeats_finished(self) -> int:
        """The number of finished repeats, including discarded ones and rounds of a procedure that are not used."""
        unfinished = {DiscardReason.FAILED, DiscardReason.INTERRUPTED}
        return sum(fate not in unfinished for fate in self.repeats.fates.values())

    @property
    def repeats_used(self) -> int:
        """The number of repeats that the results include."""
        return len(self.repeats.used)

    @property
    def repeats_failed(self) -> int:
        """The number of failed repeats. No result includes them."""
        return sum(fate is DiscardReason.FAILED for fate in self.repeats.fates.values())

    @property
    def repeats_cut(self) -> int:
        """The number of interrupted repeats. No result includes them."""
        return self.outcomes.count(Outcome.CUT)

    @property
    def direction(self) -> Operation | None:
        """``read``, ``write`` or ``trim`` for a pure workload, None for a mix."""
        return self.workload.only_operation

    @property
    def subject(self) -> OperationEstimate | None:
        """The operation that the cell measures: commits if each write is flushed, the only operation, or all."""
        return self.of(self.workload.subject)

    @property
    def latency_kind(self) -> LatencyKind:
        """Service or response time; without results, that of the workload."""
        return latency_kind(self.workload) if self.subject is None else self.subject.latency_kind

    def of(self, operation: Operation) -> OperationEstimate | None:
        """The results of one operation, or None if none completed."""
        return self.operations.get(operation)


@dataclass(frozen=True)
class _Asked:
    """How each operation is estimated: whether it was checked before, and with which percentiles."""

    looked: bool
    percents: Sequence[float]


def estimate_cell(
    plan: CellPlan,
    records: Sequence[CellRecord],
    *,
    looked: bool = False,
    for_aim: bool = False,
    repeats: Repeats | None = None,
) -> CellEstimate:
    """The estimates of one cell from the records of its repeats. There may be none.

    ``looked`` means that the campaign has checked fewer of these repeats before and could have stopped then.
    ``for_aim`` computes only what a requested precision applies to: the subject, with p99 as its only percentile.
    ``repeats`` says which of them are used, if that is known.
    """
    repeats = sort_repeats(records) if repeats is None else repeats
    used = repeats.used
    found = set() if for_aim else {operation for record in used for operation in record.operations}
    asked = _Asked(looked, (TAIL_PERCENT,) if for_aim else PERCENTS)
    leads = _estimate_operation(plan.workload.subject, plan.workload, used, asked)
    weights = None if leads is None else leads.iops.weights
    estimates = {
        each: leads if each is plan.workload.subject else _estimate_operation(each, plan.workload, used, asked, weights)
        for each in Operation
        if each in found or each is plan.workload.subject
    }
    if Operation.ALL not in estimates and not for_aim:
        estimates[Operation.ALL] = _estimate_all(plan.workload, used, estimates, asked, weights)
    pace = estimate_pace(used, weights)
    if pace is not None and pace.saturated:
        estimates = {each: _withheld(figures) for each, figures in estimates.items()}
    return CellEstimate(
        pace=pace,
        cell=plan.cell,
        experiments=plan.experiments,
        workload=plan.workload,
        timing=plan.timing,
        outcomes=tuple(record.outcome for record in records),
        failures=tuple(record.failure for record in records if record.failure is not None),
        faults=tuple(fault for record in records for fault in record.faults),
        measured_ns=sum(record.measured_ns for record in used),
        queue_depth_achieved=estimate_known([record.queue_depth_achieved for record in used], weights),
        queue_depth_device=estimate_known([record.queue_depth_device for record in used], weights),
        power=() if for_aim else estimate_power(used, weights),
        cpu_ns_per_io=estimate_known([_cpu_ns_per_io(record) for record in used], weights),
        operations={operation: each for operation, each in estimates.items() if each is not None},
        repeats=repeats,
    )


def plan_of(record: CellRecord) -> CellPlan:
    """A plan for the cell of a record that has no plan: the cell as it was measured."""
    return CellPlan(
        cell=record.cell,
        experiments=record.experiments,
        streams=one_stream(record.workload),
        timing=record.timing,
    )


def was_looked_at(plan: Plan, records: Sequence[CellRecord]) -> bool:
    """Whether a campaign has checked fewer repeats of a cell before and could have stopped then."""
    return not plan.is_fixed and len(records) > plan.repeats


def _estimate_all(
    workload: Workload,
    used: Sequence[CellRecord],
    estimates: Mapping[Operation, OperationEstimate | None],
    asked: _Asked,
    weights: Sequence[float] | None,
) -> OperationEstimate | None:
    """The results over all operations; if there is only one, its results."""
    if len(estimates) == 1:
        [(operation, only)] = estimates.items()
        return None if only is None or operation not in COUNTED_IN_ALL else replace(only, operation=Operation.ALL)
    return _estimate_operation(Operation.ALL, workload, used, asked, weights)


def _withheld(figures: OperationEstimate | None) -> OperationEstimate | None:
    """The results of a saturated cell without percentiles, because its response time has no stable distribution."""
    if figures is None or figures.latency_kind is not LatencyKind.RESPONSE:
        return figures
    none = tuple(PercentileEstimate(each.percent, None, None, None) for each in figures.percentiles)
    return replace(figures, saturated=True, percentiles=none)


def _estimate_operation(
    operation: Operation,
    workload: Workload,
    used: Sequence[CellRecord],
    asked: _Asked,
    weights: Sequence[float] | None = None,
) -> OperationEstimate | None:
    """The results of one operation, all with the weights of its throughput.

    ``weights`` are those of the cell's subject, so that the parts of a mix add up to the whole.
    """
    found = repeat_values(operation, workload, used)
    whole = merge_totals([each for each in found.sums if each is not None])
    if whole is None:
        return None
    iops = found.rate(weights=fitting(weights, len(found.records)), looked=asked.looked)
    assert iops is not None, "some operations completed"
    latency = found.time(iops.weights, looked=asked.looked)
    assert latency is not None, "expected latencies for completed operations"
    merged = leading(whole)
    return OperationEstimate(
        operation=operation,
        iops=iops,
        bytes_per_s=_bandwidth(found, iops, asked),
        latency_ns_mean=latency,
        latency_ns_min=merged.latency_ns_min,
        latency_ns_max=merged.latency_ns_max,
        percentiles=_estimate_percentiles(
            merged,
            found.completed,
            [
                _beyond_own(record, operation, workload)
                for record, totals in zip(found.records, found.totals, strict=True)
                if totals is not None
            ],
            asked,
        ),
        count=merged.count,
        bytes=merged.bytes,
        latency=merged.latency,
        latency_kind=latency_kind(workload) if whole.response is not None else LatencyKind.SERVICE,
        service=estimate_times(service_of(whole)) if whole.response is not None else None,
        lag=estimate_times(whole.lag),
        host_lag=estimate_times(whole.host_lag),
    )


def _bandwidth(found: RepeatValues, iops: Estimate, asked: _Asked) -> Estimate:
    """Bytes per second, with the weights of IOPS: with one block size, the two differ only by a factor."""
    moved = [0.0 if totals is None else totals.bytes / totals.count for totals in found.totals]
    own = [each and Own(each.error * size, each.effective) for each, size in zip(found.own_rates, moved, strict=True)]
    rates = [rate * size for rate, size in zip(found.rates, moved, strict=True)]
    made = estimate(rates, found.lengths, own, weights=iops.weights, looked=asked.looked)
    assert made is not None, "expected the same repeats as for IOPS"
    return made


def _estimate_percentiles(
    merged: OperationTotals,
    repeats: Sequence[OperationTotals],
    beyond: Sequence[Own | None],
    asked: _Asked,
) -> tuple[PercentileEstimate, ...]:
    pooled = dict(zip(PERCENTS, percentiles_of(merged), strict=True))
    each = [percentiles_of(totals) for totals in repeats] if len(repeats) > 1 else [tuple(pooled.values())]
    own = dict(zip(PERCENTS, zip(*each, strict=True), strict=True))
    none = [None] * len(beyond)
    errors = {percent: beyond if percent == TAIL_PERCENT else none for percent in asked.percents}
    intervals = percentile_intervals(merged, repeats, errors, looked=asked.looked)
    estimates = []
    for percent, found in zip(asked.percents, intervals, strict=True):
        value_ns = pooled[percent]
        known = [value for value in own[percent] if value is not None]
        lowest_ns, highest_ns = (min(known), max(known)) if len(known) == len(each) else (None, None)
        bounds = () if found is None else astuple(found)
        estimates.append(PercentileEstimate(percent, value_ns, lowest_ns, highest_ns, *bounds))
    return tuple(estimates)


def _beyond_own(record: CellRecord, operation: Operation, workload: Workload) -> Own | None:
    within = record.within if operation is workload.subject else None
    if within is None or within.beyond_error is None:
        return None
    return Own(within.beyond_error, within.effective)


def _cpu_ns_per_io(record: CellRecord) -> float | None:
    """CPU time of the threads that do the I/O per operation completed in the same time."""
    count, cpu_ns = count_of(record.operations, Operation.ALL), record.cpu_io_ns
    return None if not count or cpu_ns is None else cpu_ns / count
