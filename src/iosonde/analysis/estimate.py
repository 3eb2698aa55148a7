"""Estimates over repeats: a mean with its uncertainty.

The value of a repeat has two errors. Repeats differ (location on the drive, competing I/O, state), with a variance
``between`` that does not depend on their length. Each repeat also varies within itself, with a variance
``within / length``. The estimate is the mean with the smallest variance under this model: each repeat has the weight
1 / (between + within / length). The variance between repeats is that of Paule and Mandel (1982): it makes the observed
deviations from the mean equal to those of the model, and is 0 if within-repeat variation explains all of them. The
degrees of freedom are Satterthwaite's (1946): those of the repeats if they differ, else those of the variation within
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import exp, fsum, inf, log, sqrt
from operator import mul
from typing import Final

from iosonde.analysis.student import t_quantile

CONFIDENCE: Final = 0.95
REPEATS_MIN: Final = 2
"""One repeat does not show how repeats differ. Its seconds depend on each other and are not a sample."""

CONFIDENCE_WITHIN: Final = 0.935
"""The larger of two errors, between repeats and within them, determines the interval, so it covers more often than with
one error. If that is the error within, this level gives a coverage of 95 %."""

CONFIDENCE_LOOKED: Final = 0.965
"""Correction for optional stopping: a campaign that stops once repeats agree also stops when they agree by chance. From
the second check on, intervals based on the variance between repeats use this level (``verify repeats``)."""

BATCHES_MAX: Final = 30
"""The largest number of values that the error within a repeat is based on: the number of batch means."""

RATIO_MAX: Final = 2.0
"""An interval whose ends differ from its value by more than this factor is too wide to be useful. It is not shown."""

LEVEL_SHARE_MIN: Final = 0.05
"""A smaller difference between two levels is not relevant to any decision."""

_STEPS_MAX: Final = 100
_PRECISE: Final = 1e-9


class Level(StrEnum):
    """The source of an interval: the differences between repeats, or the variation within each of them."""

    REPEATS = "repeats"
    WITHIN = "within"


@dataclass(frozen=True)
class Own:
    """The within-repeat error of a value: its standard error, in its unit, and the number of independent values."""

    error: float
    effective: float


@dataclass(frozen=True)
class Spread:
    """The variance components of repeats, and the resulting standard error of the weighted mean.

    ``between`` is the variance between repeats. ``within`` is the variance within them times their length, None if it
    is unknown. ``weights`` add up to 1. ``error`` and ``degrees`` are None below two repeats.
    """

    weights: tuple[float, ...]
    mean: float
    between: float
    within: float | None
    error: float | None
    degrees: float | None
    level: Level | None

    def between_share(self, length: float) -> float:
        """The share of the variance of a repeat of this length that longer repeats would not reduce."""
        if self.within is None:
            return 1.0
        whole = self.between + self.within / length
        return self.between / whole if whole else 0.0


@dataclass(frozen=True)
class Estimate:
    """A mean over repeats with its spread and its 95 % interval, in the unit of the input values.

    ``standard_deviation`` describes the repeats (n - 1 in the denominator). ``low`` and ``high`` bound the mean. They
    are computed on logarithms, so no bound is negative, and are None if they would differ from the mean by more than a
    factor of ``RATIO_MAX``. ``standard_error`` has ``degrees_of_freedom``; ``level`` is its source. All of these are
    None below two repeats. ``weights`` are the shares of the repeats in the mean, in their order. ``between_share`` is
    the share of a repeat's variance that longer repeats would not reduce.
    """

    mean: float
    standard_deviation: float | None
    low: float | None
    high: float | None
    repeats: int
    level: Level | None = None
    standard_error: float | None = None
    degrees_of_freedom: float | None = None
    weights: tuple[float, ...] = ()
    between_share: float | None = None

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval: the number after ±."""
        return None if self.high is None or self.low is None else (self.high - self.low) / 2

    @property
    def half_width_share(self) -> float | None:
        """Half the 95 % interval as a share of the mean."""
        if self.half_width is None:
            return None
        return self.half_width / self.mean if self.mean else 0.0


def mean_of(found: Estimate | None) -> float | None:
    """The mean of an estimate; None without an estimate."""
    return None if found is None else found.mean


def estimate(
    values: Sequence[float],
    lengths: Sequence[float] | None = None,
    own: Sequence[Own | None] = (),
    *,
    weights: Sequence[float] | None = None,
    looked: bool = False,
) -> Estimate | None:
    """The estimate from one value per repeat, or None without values. No value is negative.

    The values must be independent and of one kind: repeats with their own seeds, never the seconds of one repeat.
    ``lengths`` are the lengths of the repeats if these differ, and ``own`` are the errors within each repeat.
    ``weights`` replace the computed weights if another quantity of the same repeats has determined them. ``looked``
    means that the campaign has checked fewer of these repeats before and would have stopped if they had agreed.
    """
    if not values:
        return None
    spread = spread_of(values, lengths, own, weights=weights)
    if spread.error is None or spread.degrees is None:
        return Estimate(spread.mean, None, None, None, len(values), weights=spread.weights)
    plain = fsum(values) / len(values)
    low, high = bounds(spread.mean, spread.error, reach_of(spread, looked=looked))
    return Estimate(
        mean=spread.mean,
        standard_deviation=sqrt(fsum((value - plain) ** 2 for value in values) / (len(values) - 1)),
        low=low,
        high=high,
        repeats=len(values),
        level=spread.level,
        standard_error=spread.error,
        degrees_of_freedom=spread.degrees,
        weights=spread.weights,
        between_share=spread.between_share(1.0 if lengths is None else fsum(lengths) / len(lengths)),
    )


def estimate_known(
    values: Sequence[float | None],
    weights: Sequence[float] | None,
    lengths: Sequence[float] | None = None,
    own: Sequence[Own | None] = (),
    *,
    looked: bool = False,
) -> Estimate | None:
    """The estimate of a quantity that some repeats may lack, with the weights of another quantity."""
    places = [place for place, value in enumerate(values) if value is not None]
    chosen = fitting(weights, len(values))
    return estimate(
        [value for value in values if value is not None],
        None if lengths is None else [lengths[place] for place in places],
        [own[place] for place in places] if own else (),
        weights=None if chosen is None else [chosen[place] for place in places],
        looked=looked,
    )


def fitting(weights: Sequence[float] | None, repeats: int) -> Sequence[float] | None:
    """The weights of another quantity if they cover the same repeats, else None."""
    return weights if weights is not None and len(weights) == repeats else None


def reach_of(spread: Spread, *, looked: bool) -> float:
    """The half-width of an interval in standard errors."""
    assert spread.degrees is not None, "expected at least two repeats"
    if spread.level is Level.WITHIN:
        return student_t(spread.degrees, CONFIDENCE_WITHIN)
    return student_t(spread.degrees, CONFIDENCE_LOOKED if looked else CONFIDENCE)


def bounds(mean: float, error: float, reach: float) -> tuple[float | None, float | None]:
    """The ends of an interval, computed on logarithms; None if it would be too wide to be useful."""
    if not error:
        return mean, mean
    off = reach * error / mean if mean else inf
    if off > log(RATIO_MAX):
        return None, None
    return mean * exp(-off), mean * exp(off)


def spread_of(
    values: Sequence[float],
    lengths: Sequence[float] | None = None,
    own: Sequence[Own | None] = (),
    *,
    weights: Sequence[float] | None = None,
) -> Spread:
    """The variance components of one value per repeat, the weighted mean, and its standard error.

    The error within is pooled over the repeats that have one. A repeat's own error is imprecise and correlates with its
    value, so using it alone would bias the mean. If no repeat has one, all have equal weights.
    """
    repeats = len(values)
    known_lengths = [1.0] * repeats if lengths is None else list(lengths)
    within = _pooled(known_lengths, own)
    errors = [0.0 if within is None else within / length for length in known_lengths]
    between = 0.0 if repeats < REPEATS_MIN else _between(values, errors, is_known=within is not None)
    variances = [between + each for each in errors] if weights is None else [1 / each for each in weights]
    shares = _shares(variances)
    mean = fsum(share * value for share, value in zip(shares, values, strict=True))
    if repeats < REPEATS_MIN:
        return Spread(shares, mean, between, within, None, None, None)
    error = sqrt(fsum(share**2 * (between + each) for share, each in zip(shares, errors, strict=True)))
    if between or within is None:
        degrees = _degrees_between(between, errors, shares, _degrees_within(own))
        return Spread(shares, mean, between, within, error, degrees, Level.REPEATS)
    return Spread(shares, mean, between, within, error, _degrees_within(own), Level.WITHIN)


def _pooled(lengths: Sequence[float], own: Sequence[Own | None]) -> float | None:
    """The variance within repeats times their length, from the repeats that have it; None if none has."""
    known = [(length, each) for length, each in zip(lengths, own, strict=False) if each is not None]
    if not known:
        return None
    degrees = [_degrees(each) for _, each in known]
    squares = (each.error**2 * length * degree for (length, each), degree in zip(known, degrees, strict=True))
    return fsum(squares) / fsum(degrees)


def _degrees(own: Own) -> float:
    return max(min(own.effective, BATCHES_MAX) - 1, 1.0)


def _degrees_within(own: Sequence[Own | None]) -> float:
    return fsum(_degrees(each) for each in own if each is not None)


def _degrees_between(between: float, errors: Sequence[float], shares: Sequence[float], within: float) -> float:
    """Satterthwaite's degrees of freedom of a mean's variance, shares² x (between + errors), for repeats that differ.

    The variance between repeats is as precise as the sum of squares it is computed from. If the error within is
    overestimated, the variance between is underestimated by nearly as much, so the two nearly cancel. ``within`` is the
    number of degrees of freedom of the errors. For repeats of equal length the result is their number less one.
    """
    count = len(errors)
    variances = [between + each for each in errors]
    if not all(variances):
        return float(count - 1)
    weights = [1 / each for each in variances]
    whole = fsum(weights)
    free = whole - fsum(each**2 for each in weights) / whole
    of_between = fsum(share**2 for share in shares)
    of_errors = fsum(share**2 * each for share, each in zip(shares, errors, strict=True))
    variance = 2 * (count - 1) * (of_between / free) ** 2
    if within:
        taken = of_between * fsum(weight * each for weight, each in zip(weights, errors, strict=True)) / whole
        variance += 2 * (of_errors - taken) ** 2 / within
    return max(2 * (of_between * between + of_errors) ** 2 / variance, 1.0)


def _shares(variances: Sequence[float]) -> tuple[float, ...]:
    """Weights of 1 / variance that add up to 1; equal weights if nothing varies."""
    if not all(variances):
        return (1 / len(variances),) * len(variances)
    inverse = [1 / each for each in variances]
    whole = fsum(inverse)
    return tuple(each / whole for each in inverse)


def _between(values: Sequence[float], errors: Sequence[float], *, is_known: bool) -> float:
    """The variance between repeats by Paule and Mandel; 0 if their own errors explain the differences."""
    count = len(values)
    mean = fsum(values) / count
    plain = fsum((each - mean) ** 2 for each in values) / (count - 1)
    if not is_known:
        return plain

    if min(errors) == max(errors):
        return max(plain - errors[0], 0.0)
    if not all(errors):
        # Some repeats have no variation within themselves.
        return plain
    between = 0.0
    # The excess is a convex, decreasing function of the variance, so Newton's method never overshoots.
    for _ in range(_STEPS_MAX):
        weights = [1 / (between + each) for each in errors]
        centre = sum(map(mul, weights, values)) / sum(weights)
        strays = [weight * (value - centre) ** 2 for weight, value in zip(weights, values, strict=True)]
        excess = sum(strays) - (count - 1)
        if excess <= _PRECISE * count:
            break
        between += excess / sum(map(mul, weights, strays))
    return between


def student_t(degrees_of_freedom: float, confidence: float = CONFIDENCE) -> float:
    """The half-width of an interval in standard errors, by Student's t; by default of a 95 % interval."""
    return _student_t(max(round(degrees_of_freedom, 1), 1.0), confidence)


@lru_cache(maxsize=4096)
def _student_t(degrees_of_freedom: float, confidence: float) -> float:
    return t_quantile(degrees_of_freedom, (1 - confidence) / 2)
