"""A figure over repeats, and how far it can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, fsum, pi, sin, sqrt, tan
from typing import Final

CONFIDENCE: Final = 0.95
_BISECTIONS: Final = 60
"""More than a float has bits: bisection has ended by then."""

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
    """The t that Student's distribution stays within with the chosen confidence, for whole degrees of freedom.

    By bisection on the angle atan(t / sqrt(degrees)), on which the distribution is a finite sum (Abramowitz and
    Stegun 26.7.3 and 26.7.4). SciPy knows it too and is the oracle of the tests, but takes a quarter of a second to
    import: more than a report's whole statistics.
    """
    low, high = 0.0, pi / 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if _within(middle, degrees_of_freedom) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return tan((low + high) / 2) * sqrt(degrees_of_freedom)


def _within(angle: float, degrees_of_freedom: int) -> float:
    """The probability that Student's t lies within ± tan(angle) * sqrt(degrees of freedom)."""
    odd = degrees_of_freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if degrees_of_freedom > 1 else 0.0
    for factor in range(2 + odd, degrees_of_freedom - 1, 2):
        term *= cos(angle) ** 2 * (factor - 1) / factor
        total += term
    share = sin(angle) * total
    return 2 / pi * (angle + share) if odd else share
