"""A figure of real time beside the one that was expected."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Compared:
    """What came, and what should have come; ``own_lag_ns_mean`` is how late the engine was on average.

    ``SHARE_MAX`` is how far one may be off the other, as a share of what was expected.
    """

    SHARE_MAX: ClassVar[float]

    expected: float
    measured: float
    own_lag_ns_mean: float

    @property
    def off(self) -> float:
        """How far it is off, as a share of what was expected."""
        return self.measured / self.expected - 1

    @property
    def holds(self) -> bool:
        """Whether it is no further off than it may be."""
        return abs(self.off) <= self.SHARE_MAX
