"""A figure over repeats, and how far it can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import fsum, sqrt
from typing import Final

CONFIDENCE: Final = 0.95
REPEATS_MIN: Final = 2
"""One repeat says nothing about how repeats differ; its seconds are no sample, they depend on each other."""

EFFECTIVE_MIN: Final = 30
"""Below so many independent values in all repeats together, an interval itself is a guess: none is given."""


class Level(StrEnum):
    """What an interval comes from: how repeats differ from each other, or how restless each of them is."""

    REPEATS = "repeats"
    WITHIN = "within"


@dataclass(frozen=True)
class Own:
    """What one repeat says of its own value: its standard error, in its unit, and how many independent values."""

    error: float
    effective: float


@dataclass(frozen=True)
class Estimate:
    """A mean over repeats with its spread and its 95 % interval, in the unit of the values that went in.

    ``standard_deviation`` describes the repeats (n - 1 in the denominator); ``low`` and ``high`` bound the mean.
    ``level`` says where the interval comes from: the level with the larger error. All four are None below two repeats;
    the last three also where the repeats have fewer than 30 independent values in all.
    """

    mean: float
    standard_deviation: float | None
    low: float | None
    high: float | None
    repeats: int
    level: Level | None = None

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval: the number after ±."""
        return None if self.high is None else self.high - self.mean


def estimate(
    values: Sequence[float], weights: Sequence[float] | None = None, own: Sequence[Own | None] = ()
) -> Estimate | None:
    """The estimate from one value a repeat, or None without any.

    The values must be independent and of one kind: repeats with seeds of their own, never the seconds of one repeat.
    ``weights`` are how long the repeats were, where they were not equally long. ``own`` is what each says of itself:
    the standard error over the repeats is then compared with that by the errors within them, and the level with the
    larger one gives the interval, with its own degrees of freedom. (Of two intervals the wider one would hold in 98 to
    99 of 100 cases while repeats differ by nothing but what is within them.)
    """
    repeats = len(values)
    if repeats == 0:
        return None
    lengths = [1.0] * repeats if weights is None else list(weights)
    whole = fsum(lengths)
    mean = fsum(length * value for length, value in zip(lengths, values, strict=True)) / whole
    if repeats < REPEATS_MIN:
        return Estimate(mean, None, None, None, repeats)
    lack = repeats / (repeats - 1)
    off = [value - mean for value in values]
    deviation = sqrt(lack * fsum(length * each**2 for length, each in zip(lengths, off, strict=True)) / whole)
    # Of a mean that is weighted by length: the repeats' own deviations, each by the square of its share.
    error = sqrt(lack * fsum((length * each) ** 2 for length, each in zip(lengths, off, strict=True))) / whole
    degrees, level = repeats - 1, Level.REPEATS
    known = [each for each in own if each is not None]
    if len(known) == repeats:
        if are_too_few([each.effective for each in known]):
            return Estimate(mean, deviation, None, None, repeats)
        within = error_within(lengths, known)
        if within > error:
            error, degrees, level = within, degrees_within(known), Level.WITHIN
    reach = student_t(degrees) * error
    return Estimate(mean, deviation, mean - reach, mean + reach, repeats, level)


def are_too_few(effective: Sequence[float | None]) -> bool:
    """Whether repeats have too few independent values for an interval, where each says how many it has."""
    known = [each for each in effective if each is not None]
    return len(known) == len(effective) and fsum(known) < EFFECTIVE_MIN


def error_within(weights: Sequence[float], own: Sequence[Own]) -> float:
    """The standard error of a weighted mean over repeats by the errors within them."""
    return sqrt(fsum((weight * each.error) ** 2 for weight, each in zip(weights, own, strict=True))) / fsum(weights)


def degrees_within(own: Sequence[Own]) -> int:
    """The degrees of freedom of that error: each repeat has at most as many as batch means have."""
    return max(1, round(fsum(min(each.effective, EFFECTIVE_MIN) - 1 for each in own)))


@lru_cache
def student_t(degrees_of_freedom: int, confidence: float = CONFIDENCE) -> float:
    """The half-width of an interval in standard errors, by Student's t; of one of 95 %, unless another is asked for."""
    # Imported here because it costs a quarter of a second, which neither --help nor a probe should pay.
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + confidence) / 2))
