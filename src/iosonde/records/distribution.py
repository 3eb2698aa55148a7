"""Latency distributions: histogram counts, printed percentiles, or a printed mean.

The distributions of a run are ``Times``. Documents of other tools contain less, and only that is recorded.
"""

from typing import Literal, Self

from pydantic import model_validator
from pydantic.dataclasses import dataclass

from iosonde.figures import Printed
from iosonde.records.base import COMPACT
from iosonde.records.interval import Times


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Moments:
    """A printed mean in nanoseconds. The other values are None if they were not printed.

    ``count`` is the number of operations of the mean.
    """

    kind: Literal["moments"] = "moments"
    mean_ns: Printed
    standard_deviation_ns: Printed | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Percentiles:
    """Printed percentiles: ``ns[i]`` is the latency at ``percent[i]``. Both ascend.

    A printed minimum is percentile 0, a printed maximum is percentile 100. ``moments`` are those printed with them.
    """

    kind: Literal["percentiles"] = "percentiles"
    percent: tuple[float, ...]
    ns: tuple[Printed, ...]
    moments: Moments | None = None

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if len(self.percent) != len(self.ns):
            message = f"{len(self.percent)} percentiles, but {len(self.ns)} values"
            raise ValueError(message)
        if any(later <= earlier for earlier, later in zip(self.percent, self.percent[1:], strict=False)):
            message = f"percentiles are not in ascending order: {self.percent}"
            raise ValueError(message)
        values = [each.value for each in self.ns]
        if values != sorted(values):
            message = f"latencies are not in ascending order: {values}"
            raise ValueError(message)
        return self


Distribution = Times | Percentiles | Moments
"""Any form of distribution. An unknown distribution is None."""
