"""The intervals of a cell that has not ended, in bounded memory unless each interval is needed."""

from typing import Final

from iosonde.analysis.totals import folded
from iosonde.records import IntervalRecord
from iosonde.store.frame_forms import FORMS
from iosonde.store.frames import Kind

HELD_BYTES_MAX: Final = 8 << 20
"""Enough for hours of intervals of 1 s. Merging decodes them, which is unnecessary for most cells."""
_AT_ONCE: Final = 64


def decoded_interval(payload: bytes) -> IntervalRecord:
    """The interval in the payload of its frame. Raises ValidationError."""
    interval: IntervalRecord = FORMS[Kind.INTERVAL].validate_json(payload).interval
    return interval


class RunningCell:
    """The encoded intervals. Most are never decoded, because the cell's end has their sums.

    Without ``intervals``, they are merged to one per phase when they exceed ``HELD_BYTES_MAX``.
    """

    def __init__(self, *, intervals: bool) -> None:
        self._keeps_each = intervals
        self._payloads: list[bytes] = []
        self._held_bytes = 0
        self._folded: list[IntervalRecord] = []

    def add(self, payload: bytes) -> None:
        """Adds the next interval. Raises ValidationError if merging finds an invalid one."""
        self._payloads.append(payload)
        self._held_bytes += len(payload)
        if not self._keeps_each and self._held_bytes > HELD_BYTES_MAX:
            self._merge()

    def intervals(self) -> tuple[IntervalRecord, ...]:
        """All intervals in order. Merged intervals are one per phase, with their total length."""
        if not self._keeps_each:
            self._merge()
        return (*self._folded, *map(decoded_interval, self._payloads))

    def _merge(self) -> None:
        for start in range(0, len(self._payloads), _AT_ONCE):
            # A decoded interval needs several times the memory of its text.
            decoded = map(decoded_interval, self._payloads[start : start + _AT_ONCE])
            self._folded = folded([*self._folded, *decoded])
        self._payloads.clear()
        self._held_bytes = 0
