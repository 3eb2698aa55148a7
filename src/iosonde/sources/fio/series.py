"""Intervals as the differences of fio's cumulative snapshots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.histogram import low_and_width
from iosonde.records import CellPlan, Histogram, IntervalRecord, Operation, OperationTotals, Phase
from iosonde.sources.fio.output import LAYOUT, Snapshot, Tally, added
from iosonde.units import MILLISECOND_NS

_NOTHING: Final = Tally(0, 0, 0, 0, 0, 0, 0, 0, {}, 0, 0)
_U64_MAX: Final = 2**64 - 1
# The last snapshot comes when it ends, a moment after the one before: that is no interval of its own.
SHORTEST_SHARE: Final = 2
# Within a hundredth, fio's mean is that of the operations in its buckets.
SAME_SHARE: Final = 100


@dataclass(frozen=True)
class _Edge:
    """What had been counted at the end of an interval."""

    runtime_ms: int
    tallies: Mapping[Operation, Tally]


_START: Final = _Edge(0, {})


class Series:
    """Turns snapshots into intervals, one behind: the last one takes in what is left.

    ``start_ns`` is when fio was started. During its warm-up fio keeps no latency, and counts anew behind it: intervals
    of the warm-up have a length and no operations.
    """

    def __init__(self, cell: CellPlan, start_ns: int) -> None:
        self._cell = cell
        self._before_ns = start_ns
        self._warm = cell.timing.warmup_ns > 0
        self._in_flight_max = cell.workload.operations_in_flight
        self._counted = 0
        self._number = 0
        self._warm_ms = 0
        self._edge = _START
        self._waiting: _Edge | None = None

    @property
    def measures(self) -> bool:
        """Whether the warm-up is over."""
        return not self._warm

    def take(self, snapshot: Snapshot, *, last: bool = False) -> list[IntervalRecord]:
        """The intervals that are whole with this snapshot."""
        if self._warm and not self._has_begun(snapshot):
            return self._warmed(snapshot)
        intervals = self._end_of_warmup() if self._warm else []
        edge = _Edge(snapshot.runtime_ms, added([group.tallies for group in snapshot.groups]))
        if self._waiting is not None:
            rest_ms = edge.runtime_ms - self._waiting.runtime_ms
            whole_ms = self._cell.timing.interval_ns // MILLISECOND_NS
            if rest_ms * SHORTEST_SHARE > whole_ms:
                intervals += self._interval(self._waiting)
        self._waiting = edge
        if last:
            intervals += self._interval(edge)
            self._waiting = None
        return intervals

    def _has_begun(self, snapshot: Snapshot) -> bool:
        """Whether all jobs count.

        fio has latencies from then on, and of all that it has issued, but for what is in flight. A snapshot taken while
        its jobs start anew has the warm-up's operations in it as well, the next one does not.
        """
        had, self._counted = self._counted, snapshot.counted
        behind = snapshot.issued - snapshot.counted
        return snapshot.counted > 0 and (had > 0 or behind <= self._in_flight_max)

    def _warmed(self, snapshot: Snapshot) -> list[IntervalRecord]:
        # Some jobs may count anew already: time does not go back.
        length_ms = max(snapshot.runtime_ms - self._warm_ms, 0)
        self._warm_ms += length_ms
        return [self._passed(Phase.WARMUP, length_ms * MILLISECOND_NS, {})] if length_ms else []

    def _end_of_warmup(self) -> list[IntervalRecord]:
        self._warm = False
        rest_ns = self._cell.timing.warmup_ns - self._warm_ms * MILLISECOND_NS
        return [self._passed(Phase.WARMUP, rest_ns, {})] if rest_ns > 0 else []

    def _interval(self, edge: _Edge) -> list[IntervalRecord]:
        length_ms = edge.runtime_ms - self._edge.runtime_ms
        operations = {
            operation: totals
            for operation, tally in edge.tallies.items()
            if (totals := totals_between(self._edge.tallies.get(operation, _NOTHING), tally)) is not None
        }
        if length_ms <= 0:
            return []
        self._edge = edge
        return [self._passed(Phase.MEASURE, length_ms * MILLISECOND_NS, operations)]

    def _passed(self, phase: Phase, length_ns: int, operations: dict[Operation, OperationTotals]) -> IntervalRecord:
        start_ns, self._before_ns = self._before_ns, self._before_ns + length_ns
        number, self._number = self._number, self._number + 1
        return IntervalRecord(
            phase=phase,
            interval_first=number,
            interval_last=number,
            start_ns=start_ns,
            end_ns=self._before_ns,
            operations=operations,
        )


def totals_between(before: Tally, after: Tally) -> OperationTotals | None:
    """What was completed between two moments; None where nothing was.

    Smallest and largest are read off the buckets, within the extremes that fio knows of the whole. So is the sum where
    fio's own is about other operations than its buckets.
    """
    counts = {
        bucket: count - before.buckets.get(bucket, 0)
        for bucket, count in sorted(after.buckets.items())
        if count > before.buckets.get(bucket, 0)
    }
    if not counts:
        return None
    smallest_ns = max(low_and_width(LAYOUT, min(counts))[0], after.latency_ns_min)
    largest_ns = max(min(_highest_ns(max(counts)), after.latency_ns_max), smallest_ns)
    count = sum(counts.values())
    return OperationTotals(
        count=count,
        bytes=max(after.bytes - before.bytes, 0),
        latency_ns_sum=_sum_ns(before, after, counts),
        latency_ns_min=smallest_ns,
        latency_ns_max=largest_ns,
        latency=Histogram(layout=LAYOUT, bucket=tuple(counts), count=tuple(counts.values())),
    )


def totals_of(tally: Tally) -> OperationTotals | None:
    """All that was completed, with the extremes that fio knows exactly; None where nothing was."""
    return totals_between(_NOTHING, tally)


def _sum_ns(before: Tally, after: Tally, counts: Mapping[int, int]) -> int:
    count, summed = sum(counts.values()), after.summed - before.summed
    if abs(summed - count) * SAME_SHARE <= count and summed > 0:
        # A snapshot is taken while operations complete: one more or less may lie in the buckets.
        return round((after.latency_ns_sum - before.latency_ns_sum) * count / summed)
    middles = ((low_and_width(LAYOUT, bucket), number) for bucket, number in counts.items())
    return sum((low_ns + width_ns // 2) * number for (low_ns, width_ns), number in middles)


def _highest_ns(bucket: int) -> int:
    """The largest time that a bucket may hold: the last one holds all that is longer as well."""
    low_ns, width_ns = low_and_width(LAYOUT, bucket)
    assert LAYOUT.ceiling_ns is not None
    return low_ns + width_ns - 1 if low_ns + width_ns < LAYOUT.ceiling_ns else _U64_MAX
