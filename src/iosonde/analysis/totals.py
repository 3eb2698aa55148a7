"""Totals of operations, merged by adding."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from iosonde.analysis.histogram import merge_histograms
from iosonde.records import CellRecord, IntervalRecord, Operation, OperationTotals, Phase, Times
from iosonde.units import SECOND_NS

LENGTH_SHARE_MIN: Final = 0.5
"""An interval shorter than this share of the usual length is not a whole interval."""

COUNTED_IN_ALL: Final = (Operation.READ, Operation.WRITE, Operation.TRIM, Operation.FLUSH)
"""The operations that ``all`` adds up. A commit is a write and a flush, which are already counted."""


def merge_totals(totals: Sequence[OperationTotals]) -> OperationTotals | None:
    """The sum of all totals; minimum and maximum stay exact. None if nothing completed."""
    filled = [each for each in totals if each.count > 0]
    if not filled:
        return None
    if len(filled) == 1:
        return filled[0]
    return OperationTotals(
        count=sum(each.count for each in filled),
        bytes=sum(each.bytes for each in filled),
        latency_ns_sum=sum(each.latency_ns_sum for each in filled),
        latency_ns_min=min(each.latency_ns_min for each in filled),
        latency_ns_max=max(each.latency_ns_max for each in filled),
        latency=merge_histograms([each.latency for each in filled]),
        response=merge_times([each.response for each in filled]),
        lag=merge_times([each.lag for each in filled]),
        host_lag=merge_times([each.host_lag for each in filled]),
    )


def merge_times(times: Sequence[Times | None]) -> Times | None:
    """The sum of all known times; minimum and maximum stay exact. None if none are known."""
    known = [each for each in times if each is not None]
    if len(known) <= 1:
        return known[0] if known else None
    return Times(
        ns_sum=sum(each.ns_sum for each in known),
        ns_min=min(each.ns_min for each in known),
        ns_max=max(each.ns_max for each in known),
        histogram=merge_histograms([each.histogram for each in known]),
    )


def total_of(operations: Mapping[Operation, OperationTotals], operation: Operation) -> OperationTotals | None:
    """The totals of one operation, with ``all`` derived if the source has none; None if none completed."""
    known = operations.get(operation)
    if known is not None:
        return known if known.count > 0 else None
    return merge_totals(parts_of(operations, operation))


def parts_of(operations: Mapping[Operation, OperationTotals], operation: Operation) -> list[OperationTotals]:
    """The totals that add up to those of one operation: several for ``all`` if the source does not have it."""
    if operation in operations:
        return [operations[operation]]
    return [operations[each] for each in COUNTED_IN_ALL if each in operations] if operation is Operation.ALL else []


def count_all(operations: Mapping[Operation, OperationTotals]) -> int:
    """The number of operations of all kinds, each counted once."""
    return sum(operations[each].count for each in COUNTED_IN_ALL if each in operations)


def count_of(operations: Mapping[Operation, OperationTotals], operation: Operation) -> int:
    """The count of one operation, with ``all`` derived if the source has none; 0 if none completed."""
    if operation is Operation.ALL and operation not in operations:
        return count_all(operations)
    return operations[operation].count if operation in operations else 0


def iops_of(interval: IntervalRecord) -> float:
    """The operations per second of an interval. Its length must not be 0."""
    return count_all(interval.operations) * SECOND_NS / (interval.end_ns - interval.start_ns)


def measured_intervals(record: CellRecord) -> list[IntervalRecord]:
    """The time series of a repeat: its whole intervals after the warm-up."""
    return whole_intervals([each for each in record.intervals if each.phase is Phase.MEASURE])


def whole_intervals(intervals: Sequence[IntervalRecord]) -> list[IntervalRecord]:
    """The intervals of full or nearly full length. The time series omits intervals cut short by the end or by a stop.

    The full length is the median. Intervals that the engine merged are one value, regardless of length.
    """
    lengths_ns = sorted(each.end_ns - each.start_ns for each in intervals)
    usual_ns = lengths_ns[len(lengths_ns) // 2] if lengths_ns else 0
    return [each for each in intervals if each.end_ns - each.start_ns >= max(usual_ns * LENGTH_SHARE_MIN, 1)]


def add_operations(intervals: Sequence[IntervalRecord]) -> dict[Operation, OperationTotals]:
    """The sum of several intervals for each operation. Operations without completions are omitted."""
    classes = sorted({operation for interval in intervals for operation in interval.operations})
    merged = {
        operation: merge_totals([each.operations[operation] for each in intervals if operation in each.operations])
        for operation in classes
    }
    return {operation: totals for operation, totals in merged.items() if totals is not None}


def sums_of(intervals: Sequence[IntervalRecord]) -> dict[str, Any]:
    """The fields of a cell that are sums over its intervals.

    ``in_flight_ns`` and ``backlog_ns`` are None if an interval does not have them.
    """
    measured = [interval for interval in intervals if interval.phase is Phase.MEASURE]
    return {
        "in_flight_ns": _sum_known([interval.in_flight_ns for interval in measured]),
        "backlog_ns": _sum_known([interval.backlog_ns for interval in measured]),
        "operations": add_operations(measured),
        "warmup": add_operations([interval for interval in intervals if interval.phase is Phase.WARMUP]),
    }


def folded(intervals: Sequence[IntervalRecord]) -> list[IntervalRecord]:
    """The intervals merged into one for each phase, with their total length. ``sums_of`` returns the same for both."""
    phases = dict.fromkeys(interval.phase for interval in intervals)
    return [merged_interval(phase, [interval for interval in intervals if interval.phase is phase]) for phase in phases]


def merged_interval(phase: Phase, intervals: Sequence[IntervalRecord]) -> IntervalRecord:
    """Consecutive intervals of one phase as one, with their total length."""
    workers = [interval.kernel_workers for interval in intervals if interval.kernel_workers is not None]
    return IntervalRecord(
        phase=phase,
        interval_first=intervals[0].interval_first,
        interval_last=intervals[-1].interval_last,
        start_ns=intervals[0].start_ns,
        end_ns=intervals[0].start_ns + sum(interval.end_ns - interval.start_ns for interval in intervals),
        in_flight_ns=_sum_known([interval.in_flight_ns for interval in intervals]),
        backlog_ns=_sum_known([interval.backlog_ns for interval in intervals]),
        kernel_workers=max(workers, default=None),
        operations=add_operations(intervals),
    )


def _sum_known(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
