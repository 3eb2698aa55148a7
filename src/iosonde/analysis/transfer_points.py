"""The points of a transfer: its intervals, joined until each has enough operations for a rate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.totals import count_all
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

    @property
    def end_bytes(self) -> int:
        """The bytes transferred until its end."""
        return self.start_bytes + self.bytes

    @property
    def bytes_per_s(self) -> float:
        """Its bandwidth."""
        return self.bytes * SECOND_NS / (self.end_ns - self.start_ns)


def points_of(intervals: Sequence[IntervalRecord]) -> Iterator[TransferPoint]:
    """The intervals, joined until enough operations completed. The rest at the end is dropped."""
    held: list[IntervalRecord] = []
    start_bytes = 0
    for interval in intervals:
        held.append(interval)
        count = sum(count_all(each.operations) for each in held)
        if count >= POINT_OPERATIONS_MIN:
            found = sum(_bytes_of(each) for each in held)
            begin_ns = intervals[0].start_ns
            yield TransferPoint(held[0].start_ns - begin_ns, held[-1].end_ns - begin_ns, start_bytes, found, count)
            start_bytes += found
            held = []


def _bytes_of(interval: IntervalRecord) -> int:
    return sum(interval.operations[each].bytes for each in _TRANSFERS if each in interval.operations)
