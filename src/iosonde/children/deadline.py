"""A time limit, with a clock that tests can replace."""

import time
from collections.abc import Callable


class Deadline:
    """A time ``after_s`` seconds from now. ``now_s`` is a monotonic clock."""

    def __init__(self, after_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._at_s = now_s() + after_s

    @property
    def left_s(self) -> float:
        """The seconds left; 0 after the deadline."""
        return max(self._at_s - self._now_s(), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self._now_s() > self._at_s
