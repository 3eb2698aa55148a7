"""Several purges at the same time, reported as one."""

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iosonde.campaign.preparing import PurgeObserver

STAGES: Final = ("", "sampling", "purging", "reading back")
"""In their order. Together, the purges are in the earliest stage of all of them."""


class Together:
    """Reports the progress of the slowest of several purges. Each purge has its own part and thread."""

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
        """The observer of one of the purges."""
        return Part(self, number)

    @property
    def has_begun(self) -> bool:
        """Whether something may have been written."""
        return self._begun.is_set()

    def enter(self) -> None:
        """Waits until every purge has opened its device. Raises BrokenBarrierError if one of them failed."""
        self._gate.wait()

    def abandon(self) -> None:
        """A purge has failed. Purges that have not begun to write do not begin any more."""
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
    """The observer of one of several purges. An interruption raises KeyboardInterrupt in its thread, once."""

    def __init__(self, together: Together, number: int) -> None:
        self._together = together
        self._number = number
        self._is_told = False

    def stage(self, name: str) -> None:
        """A stage begins. Sampling begins in all purges at the same time, once each has its device."""
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
