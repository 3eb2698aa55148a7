"""The values of one cell in one round."""

from dataclasses import dataclass

from iosonde.records import Histogram
from iosonde.vocabulary import Quantity

TRACKABLE = (Quantity.IOPS, Quantity.BYTES_PER_S, Quantity.LATENCY_NS_MEAN)
"""The quantities of which each round has a value."""


@dataclass(frozen=True)
class RoundValue:
    """One cell in one round. None is unknown.

    ``latency_ns_max`` is the longest operation. ``latency`` has the distribution of all operations of the round, None
    if its source does not keep it.
    """

    iops: float | None = None
    bytes_per_s: float | None = None
    latency_ns_mean: float | None = None
    latency_ns_min: int | None = None
    latency_ns_max: int | None = None
    latency: Histogram | None = None

    def of(self, quantity: Quantity) -> float | None:
        """The value of one of ``TRACKABLE``."""
        found: float | None = getattr(self, quantity.value)
        return found
