"""Finds other runs on the same devices. The search takes time, so it starts just before the end of a measurement."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from iosonde.records import Neighbour
from iosonde.units import MILLISECOND_NS

# The kernel lists its locks only after all CPUs have passed through its scheduler, which takes about 12 ms.
AHEAD_NS: Final = 30 * MILLISECOND_NS


class CompetitorWatch:
    """Searches once per measurement. The result at the end of one is also that at the start of the next."""

    def __init__(self, look: Callable[[], tuple[Neighbour, ...]]) -> None:
        self._look = look
        self._thread = ThreadPoolExecutor(1, "neighbours")
        self._pending: Future[tuple[Neighbour, ...]] | None = None
        self._last: tuple[Neighbour, ...] | None = None

    def begin(self) -> None:
        """A measurement begins."""
        if self._last is None:
            self._last = self._look()

    def ends_in(self, left_ns: float) -> None:
        """The measurement ends in ``left_ns`` nanoseconds. Starts the search shortly before that."""
        if self._pending is None and 0 < left_ns <= AHEAD_NS:
            self._pending = self._thread.submit(self._look)

    def found(self) -> tuple[Neighbour, ...]:
        """Ends the measurement. Returns the other runs that were present before its start or at its end."""
        pending, self._pending = self._pending, None
        now = self._look() if pending is None else pending.result()
        before, self._last = self._last or (), now
        return tuple({each.process: each for each in (*before, *now)}.values())

    def close(self) -> None:
        """Ends the search: no other measurement follows."""
        self._thread.shutdown()
