"""The ratio of two estimates with its interval: what decides whether one is larger than the other.

Whether two intervals overlap does not: two means whose intervals overlap by up to 30 % of their length differ all the
same. The interval of the ratio is taken on the scale of logarithms from those of the two (MOVER, the method of variance
estimates recovery: Zou and Donner, Statistics in Medicine 27, 2008). Its coverage lies between 95 and 99 % for as few
as two repeats and for spreads that differ eightfold, where Welch's t with Satterthwaite's degrees of freedom falls to
88 %: a test simulates both ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot
from typing import Final

from iosonde.analysis.estimate import CONFIDENCE, Estimate, student_t


@dataclass(frozen=True)
class Known:
    """A positive value and how well it is known.

    ``relative_error`` is its standard error as a share of it, which is that of its logarithm, and
    ``degrees_of_freedom`` how well that error is known.
    """

    value: float
    relative_error: float
    degrees_of_freedom: float

    def reach(self, confidence: float) -> float:
        """Half the interval of its logarithm."""
        return student_t(self.degrees_of_freedom, confidence) * self.relative_error


@dataclass(frozen=True)
class Ratio:
    """One value over another, with the interval of that.

    The interval holds with 95 % confidence, for all of ``comparisons`` at the same time where it is one of several.
    """

    value: float
    low: float
    high: float
    comparisons: int = 1

    @property
    def differs(self) -> bool:
        """Whether the two have been told apart."""
        return not self.low <= 1 <= self.high


def known_of(estimate: Estimate) -> Known | None:
    """How well the mean of an estimate is known; None where one repeat says nothing of that, or it is not above 0.

    An interval that is too wide to be given still decides a comparison: the ratio's is as wide, and rarely excludes 1.
    """
    if estimate.standard_error is None or estimate.degrees_of_freedom is None or estimate.mean <= 0:
        return None
    return Known(estimate.mean, estimate.standard_error / estimate.mean, estimate.degrees_of_freedom)


def ratio_of(one: Known, other: Known, comparisons: int = 1) -> Ratio:
    """How many times the second value the first one is.

    Where it is one of so many ``comparisons``, its interval is as much wider (Bonferroni) that all of them hold at once
    with 95 % confidence.
    """
    confidence = 1 - (1 - CONFIDENCE) / max(comparisons, 1)
    reach = hypot(one.reach(confidence), other.reach(confidence))
    ratio = one.value / other.value
    return Ratio(ratio, ratio * exp(-reach), ratio * exp(reach), comparisons)


@dataclass(frozen=True)
class Extreme:
    """Which of several values is the highest measured, or the lowest.

    ``place`` is its place among them. ``others`` are the places of all others, the nearest first, each with the ratio
    of the extreme one to it; None where one of the two has one repeat.
    """

    place: int
    others: tuple[tuple[int, Ratio | None], ...]

    @property
    def rivals(self) -> tuple[tuple[int, Ratio | None], ...]:
        """Those of the others that have not been told apart from it."""
        return tuple((place, ratio) for place, ratio in self.others if ratio is None or not ratio.differs)


def extreme_of(values: Sequence[Estimate], *, lowest: bool = False) -> Extreme:
    """The highest (or lowest) of at least one estimate.

    Its comparisons with all others hold at once, so that less than once in twenty times another one than the truly
    highest is told apart from that.
    """
    order = sorted(range(len(values)), key=lambda index: values[index].mean, reverse=not lowest)
    first, *rest = order
    best = known_of(values[first])

    def against(index: int) -> Ratio | None:
        other = known_of(values[index])
        return None if best is None or other is None else ratio_of(best, other, len(rest))

    return Extreme(first, tuple((index, against(index)) for index in rest))


PAIRS_MIN: Final = 2


def spread_of(values: Sequence[Estimate]) -> Ratio | None:
    """The highest of several values over the lowest; None below two of them, or where one of the two has one repeat.

    The two were chosen among all of them for their distance, so that every pair counts as a comparison.
    """
    if len(values) < PAIRS_MIN:
        return None
    ordered = sorted(values, key=lambda each: each.mean)
    lowest, highest = known_of(ordered[0]), known_of(ordered[-1])
    if lowest is None or highest is None:
        return None
    return ratio_of(highest, lowest, len(values) * (len(values) - 1) // 2)
