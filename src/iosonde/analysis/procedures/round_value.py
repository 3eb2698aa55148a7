"""The values of one cell in one round."""

from dataclasses import dataclass, replace
from typing import Self

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

    def with_throughput(self, bytes_per_operation: float) -> Self:
        """The value with IOPS from bandwidth, or bandwidth from IOPS, if only one of them is known."""
        if self.iops is None and self.bytes_per_s is not None:
            return replace(self, iops=self.bytes_per_s / bytes_per_operation)
        if self.bytes_per_s is None and self.iops is not None:
            return replace(self, bytes_per_s=self.iops * bytes_per_operation)
        return self
