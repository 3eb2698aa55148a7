"""What is known of how long operations took: counts in buckets, printed percentiles, or a printed mean.

A run counts: its distributions are ``Times``. Other people's documents print less, and only that is kept of them.
"""

from typing import Literal, Self

from pydantic import model_validator
from pydantic.dataclasses import dataclass

from iosonde.figures import Printed
from iosonde.records.base import COMPACT
from iosonde.records.interval import Times


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Moments:
    """A mean as it was printed, nanoseconds; the rest is None where it was not printed.

    ``count`` is the number of operations that the mean is of.
    """

    kind: Literal["moments"] = "moments"
    mean_ns: Printed
    standard_deviation_ns: Printed | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Percentiles:
    """Percentiles as they were printed: ``ns[i]`` is the latency at ``percent[i]``. Both ascend.

    A printed minimum is the percentile 0, a printed maximum is 100. ``moments`` are those that stood beside them.
    """

    kind: Literal["percentiles"] = "percentiles"
    percent: tuple[float, ...]
    ns: tuple[Printed, ...]
    moments: Moments | None = None

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if len(self.percent) != len(self.ns):
            message = f"{len(self.percent)} percents against {len(self.ns)} values"
            raise ValueError(message)
        if any(later <= earlier for earlier, later in zip(self.percent, self.percent[1:], strict=False)):
            message = f"percents do not ascend: {self.percent}"
            raise ValueError(message)
        values = [each.value for each in self.ns]
        if values != sorted(values):
            message = f"latencies fall as percents rise: {values}"
            raise ValueError(message)
        return self


Distribution = Times | Percentiles | Moments
"""One of them; where nothing is known there is None in its place."""
