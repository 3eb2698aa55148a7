"""How long something may take, by a clock that tests set."""

import time
from collections.abc import Callable


class Deadline:
    """A moment that lies ``after_s`` seconds ahead. ``now_s`` is a clock that is never set back."""

    def __init__(self, after_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._at_s = now_s() + after_s

    @property
    def left_s(self) -> float:
        """Seconds until then; 0 when it has passed."""
        return max(self._at_s - self._now_s(), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return self._now_s() > self._at_s
