"""The points of a transfer: its intervals, joined until each has enough operations for a rate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from iosonde.analysis.histogram import percentiles
from iosonde.analysis.latency import leading
from iosonde.analysis.totals import add_operations, count_all, total_of
from iosonde.records import IntervalRecord, Operation
from iosonde.units import SECOND_NS

_TRANSFERS: Final = (Operation.READ, Operation.WRITE)
"""Trims and flushes transfer no data."""

POINT_OPERATIONS_MIN: Final = 20
"""Adjacent intervals are joined until this many operations completed. With fewer, the rate depends on whether
one more operation completed just before its end."""


@dataclass(frozen=True)
class TransferPoint:
    """Some adjacent intervals of a transfer: their bytes and operations, and the bytes transferred before them.

    Times are from the start of the transfer.
    """

    start_ns: int
    end_ns: int
    start_bytes: int
    bytes: int
    operations: int
    intervals: tuple[IntervalRecord, ...] = field(default=(), repr=False)

    @property
    def end_bytes(self) -> int:
        """The bytes transferred until its end."""
        return self.start_bytes + self.bytes

    @property
    def bytes_per_s(self) -> float:
        """Its bandwidth."""
        return self.bytes * SECOND_NS / (self.end_ns - self.start_ns)


@dataclass(frozen=True)
class TransferLatency:
    """Mean and p99 of the latency of a part of a transfer; None without operations, or with too few for a p99."""

    mean_ns: float | None
    p99_ns: int | None


def latency_of(points: Sequence[TransferPoint]) -> TransferLatency:
    """The latency of all operations in these points: response time in an open loop, else service time."""
    added = add_operations([interval for point in points for interval in point.intervals])
    total = total_of(added, Operation.ALL)
    if total is None:
        return TransferLatency(None, None)
    told = leading(total)
    (p99_ns,) = percentiles(told.latency, (99.0,), smallest_ns=told.latency_ns_min, largest_ns=told.latency_ns_max)
    return TransferLatency(told.latency_ns_sum / told.count, p99_ns)


def points_of(intervals: Sequence[IntervalRecord]) -> Iterator[TransferPoint]:
    """The intervals, joined until enough operations completed. The rest at the end is dropped."""
    held: list[IntervalRecord] = []
    start_bytes = 0
    for interval in intervals:
        held.append(interval)
        count = sum(count_all(each.operations) for each in held)
        if count >= POINT_OPERATIONS_MIN:
            found = sum(_bytes_of(each) for each in held)
            start_ns, end_ns = (each - intervals[0].start_ns for each in (held[0].start_ns, held[-1].end_ns))
            yield TransferPoint(start_ns, end_ns, start_bytes, found, count, tuple(held))
            start_bytes += found
            held = []


def _bytes_of(interval: IntervalRecord) -> int:
    return sum(interval.operations[each].bytes for each in _TRANSFERS if each in interval.operations)
