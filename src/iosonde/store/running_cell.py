"""The intervals of a cell that has not ended, in bounded memory where nobody wants them one by one."""

from typing import Final

from iosonde.analysis.totals import folded
from iosonde.records import IntervalRecord
from iosonde.store.forms import FORMS
from iosonde.store.frames import Kind

HELD_BYTES_MAX: Final = 8 << 20
"""Hours of usual intervals of a second. Folding decodes them, which most cells can do without."""
_AT_ONCE: Final = 64


def decoded_interval(payload: bytes) -> IntervalRecord:
    """The interval in the payload of its frame. Raises ValidationError."""
    interval: IntervalRecord = FORMS[Kind.INTERVAL].validate_json(payload).interval
    return interval


class RunningCell:
    """Intervals as they were written, of which most are never looked at: the cell's end has their sums.

    Without ``intervals``, more than ``HELD_BYTES_MAX`` are added up to one for each phase.
    """

    def __init__(self, *, intervals: bool) -> None:
        self._keeps_each = intervals
        self._payloads: list[bytes] = []
        self._held_bytes = 0
        self._folded: list[IntervalRecord] = []

    def add(self, payload: bytes) -> None:
        """Takes the next interval. Raises ValidationError where folding finds one that is none."""
        self._payloads.append(payload)
        self._held_bytes += len(payload)
        if not self._keeps_each and self._held_bytes > HELD_BYTES_MAX:
            self._fold()

    def intervals(self) -> tuple[IntervalRecord, ...]:
        """All intervals in their order; those that were folded are one for each phase, as long as all of them."""
        if not self._keeps_each:
            self._fold()
        return (*self._folded, *map(decoded_interval, self._payloads))

    def _fold(self) -> None:
        for start in range(0, len(self._payloads), _AT_ONCE):
            # Decoded, an interval takes several times the memory of its text.
            decoded = map(decoded_interval, self._payloads[start : start + _AT_ONCE])
            self._folded = folded([*self._folded, *decoded])
        self._payloads.clear()
        self._held_bytes = 0
