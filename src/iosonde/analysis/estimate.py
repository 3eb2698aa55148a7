"""A figure over repeats, and how far it can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt
from typing import Final

CONFIDENCE: Final = 0.95
REPEATS_MIN: Final = 2
"""One repeat says nothing about how repeats differ; its seconds are no sample, they depend on each other."""


@dataclass(frozen=True)
class Estimate:
    """A mean over repeats with its spread and its 95 % interval, in the unit of the values that went in.

    ``standard_deviation`` describes the repeats (n - 1 in the denominator); ``low`` and ``high`` bound the mean by
    Student's t. All three are None below two repeats.
    """

    mean: float
    standard_deviation: float | None
    low: float | None
    high: float | None
    repeats: int

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval: the number after ±."""
        return None if self.high is None else self.high - self.mean


def estimate(values: Sequence[float]) -> Estimate | None:
    """The estimate from one value a repeat, or None without any.

    The values must be independent and of one kind: repeats with seeds of their own, never the seconds of one repeat.
    """
    repeats = len(values)
    if repeats == 0:
        return None
    mean = fsum(values) / repeats
    if repeats < REPEATS_MIN:
        return Estimate(mean, None, None, None, repeats)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (repeats - 1))
    reach = _student_t(repeats - 1) * deviation / sqrt(repeats)
    return Estimate(mean, deviation, mean - reach, mean + reach, repeats)


@lru_cache
def _student_t(degrees_of_freedom: int) -> float:
    # Imported here because it costs a quarter of a second, which neither --help nor a probe should pay.
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2))
