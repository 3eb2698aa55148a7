"""Who else measures on the same devices while a cell does: looked for just before its end, since looking takes time."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from iosonde.records import Neighbour
from iosonde.units import MILLISECOND_NS

# The kernel lists its locks only after all CPUs have gone through its scheduler: some 12 ms.
AHEAD_NS: Final = 30 * MILLISECOND_NS


class Lookout:
    """Looks once a measurement. What is seen at the end of one is seen at the start of the next."""

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
        """It ends in so many nanoseconds: shortly before that the look may begin."""
        if self._pending is None and 0 < left_ns <= AHEAD_NS:
            self._pending = self._thread.submit(self._look)

    def found(self) -> tuple[Neighbour, ...]:
        """Who was there before it began or at its end. It is over."""
        pending, self._pending = self._pending, None
        now = self._look() if pending is None else pending.result()
        before, self._last = self._last or (), now
        return tuple({each.process: each for each in (*before, *now)}.values())

    def close(self) -> None:
        """Nothing more is measured."""
        self._thread.shutdown()
