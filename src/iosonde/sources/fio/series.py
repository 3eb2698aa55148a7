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
# The last snapshot comes when fio ends, shortly after the one before. A shorter rest is not an interval of its own.
SHORTEST_SHARE: Final = 2
# If fio's mean is within 1 % of that of its buckets, both are of the same operations.
SAME_SHARE: Final = 100


@dataclass(frozen=True)
class _Edge:
    """The tallies at the end of an interval."""

    runtime_ms: int
    tallies: Mapping[Operation, Tally]


_START: Final = _Edge(0, {})


class Series:
    """Turns snapshots into intervals, one snapshot late, so that a short rest is added to the last interval.

    ``start_ns`` is the time at which fio started. During its ramp time fio keeps no latencies, and afterwards it counts
    from 0 again. Intervals of the warm-up therefore have a length and no operations.
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
        """The intervals that this snapshot completes."""
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
        """Whether all jobs have ended their ramp time.

        From then on fio has a latency for each submitted operation that is not in flight. A snapshot taken while the
        jobs reset their counts still includes operations of the warm-up; the next one does not.
        """
        had, self._counted = self._counted, snapshot.counted
        behind = snapshot.issued - snapshot.counted
        return snapshot.counted > 0 and (had > 0 or behind <= self._in_flight_max)

    def _warmed(self, snapshot: Snapshot) -> list[IntervalRecord]:
        # Some jobs may have reset their time already, but the length is never negative.
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
    """The operations completed between two snapshots; None if there were none.

    Minimum and maximum come from the buckets, within fio's exact extremes of the whole. The sum also comes from the
    buckets if fio's own sum is of other operations.
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
    """All completed operations, with fio's exact extremes; None if there were none."""
    return totals_between(_NOTHING, tally)


def _sum_ns(before: Tally, after: Tally, counts: Mapping[int, int]) -> int:
    count, summed = sum(counts.values()), after.summed - before.summed
    if abs(summed - count) * SAME_SHARE <= count and summed > 0:
        # A snapshot is taken while operations complete, so the buckets may have one operation more or less.
        return round((after.latency_ns_sum - before.latency_ns_sum) * count / summed)
    middles = ((low_and_width(LAYOUT, bucket), number) for bucket, number in counts.items())
    return sum((low_ns + width_ns // 2) * number for (low_ns, width_ns), number in middles)


def _highest_ns(bucket: int) -> int:
    """The upper limit of a bucket, in ns. The last bucket has none: it also contains all longer times."""
    low_ns, width_ns = low_and_width(LAYOUT, bucket)
    assert LAYOUT.ceiling_ns is not None
    return low_ns + width_ns - 1 if low_ns + width_ns < LAYOUT.ceiling_ns else _U64_MAX
