"""A value measured in real time, and its expected value."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Compared:
    """A measured value and the expected one. ``own_lag_ns_mean`` is the mean lag of the engine.

    ``SHARE_MAX`` is the largest allowed difference, as a share of the expected value.
    """

    SHARE_MAX: ClassVar[float]

    expected: float
    measured: float
    own_lag_ns_mean: float

    @property
    def off(self) -> float:
        """The difference, as a share of the expected value."""
        return self.measured / self.expected - 1

    @property
    def holds(self) -> bool:
        """Whether the difference is within ``SHARE_MAX``."""
        return abs(self.off) <= self.SHARE_MAX
