"""Several purges at the same time, heard as one."""

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iosonde.campaign.preparing import PurgeObserver

STAGES: Final = ("", "sampling", "purging", "reading back")
"""In their order. Together, the purges are in the earliest stage of all of them."""


class Together:
    """Tells an observer of the last of several purges. Each purge has its part, and a thread of its own."""

    def __init__(self, observer: "PurgeObserver", count: int) -> None:
        self._observer = observer
        self._lock = threading.Lock()
        self._stages = [0] * count
        self._done: list[int | None] = [None] * count
        self._shown = 0
        self._stopping = threading.Event()
        self._begun = threading.Event()
        self._gate = threading.Barrier(count, self._begun.set)

    def part(self, number: int) -> "Part":
        """What one of the purges is heard by."""
        return Part(self, number)

    @property
    def has_begun(self) -> bool:
        """Whether something may have been written."""
        return self._begun.is_set()

    def enter(self) -> None:
        """Waits until each purge has its device, and nothing was written. Raises BrokenBarrierError if one has none."""
        self._gate.wait()

    def abandon(self) -> None:
        """A purge has ended without its device: none begins that has not begun."""
        if not self.has_begun:
            self._gate.abort()

    def interrupt(self) -> None:
        """Asks each purge to stop."""
        self.abandon()
        self._observer.interrupted()
        self._stopping.set()

    @property
    def is_stopping(self) -> bool:
        """Whether the purges are asked to stop."""
        return self._stopping.is_set()

    def begin(self, number: int, stage: str) -> None:
        """A purge begins a stage."""
        with self._lock:
            self._stages[number], self._done[number] = STAGES.index(stage), None
            if min(self._stages) > self._shown:
                self._shown = min(self._stages)
                self._observer.stage(STAGES[self._shown])

    def hear(self, number: int, done_permille: int | None) -> None:
        """A purge goes on."""
        with self._lock:
            self._done[number] = done_permille
            last = [done for stage, done in zip(self._stages, self._done, strict=True) if stage == min(self._stages)]
            known = [each for each in last if each is not None]
            self._observer.progress(min(known) if len(known) == len(last) else None)


class Part:
    """Hears one of several purges. It is interrupted by a KeyboardInterrupt in its own thread, once."""

    def __init__(self, together: Together, number: int) -> None:
        self._together = together
        self._number = number
        self._is_told = False

    def stage(self, name: str) -> None:
        """A stage begins, the first one in all purges at the same time."""
        if name == STAGES[1]:
            self._together.enter()
        self._together.begin(self._number, name)

    def progress(self, done_permille: int | None) -> None:
        """A stage goes on. Raises KeyboardInterrupt, as the signal would have done in the first thread."""
        self._together.hear(self._number, done_permille)
        if self._together.is_stopping and not self._is_told:
            self._is_told = True
            raise KeyboardInterrupt

    def interrupted(self) -> None:
        """Nothing: the observer was told for all of them."""
