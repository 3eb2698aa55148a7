"""How well a percentile is known, read from counts.

The share of operations beyond the percentile strays from repeat to repeat, and with it the percentile: an interval of
that share is turned into one of latency by the ranks at its ends. For independent operations it is the binomial
interval (Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2); operations of a drive depend on each
other, so the share's own spread between repeats, and within them, is measured as well; the largest of the three errors
gives the interval.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, exp, floor, fsum, log, sqrt
from typing import Final

from iosonde.analysis.estimate import REPEATS_MIN, Own, degrees_within, error_within, student_t
from iosonde.analysis.histogram import coarsen, low_and_width, percentile_supported, rank_of
from iosonde.records import Histogram, Layout, OperationTotals

NORMAL: Final = 1.96
"""Half a 95 % interval in standard errors, where these are known and not measured."""

EVEN_MAX: Final = 2
"""A bucket with more than so many times what either of those beside it holds may hold a single value many times."""

EXPONENT_MAX: Final = 700.0
"""A little below where a floating-point number ends; what lies beyond is no share of any count."""

_Spread = tuple[float, float]
"""A standard error of the share beyond, and half the interval that it makes."""


def percentile_intervals(
    merged: OperationTotals, repeats: Sequence[OperationTotals], own: Mapping[float, Sequence[Own | None]]
) -> tuple[tuple[int, int] | None, ...]:
    """The 95 % intervals of percentiles of latency, nanoseconds.

    Each takes in the whole bucket that holds the percentile, whose midpoint is the value that is given for it; beyond
    that its ends are interpolated where a bucket is filled evenly. It stays within the smallest and largest latency.
    ``merged`` is all of ``repeats`` added up. ``own`` names the percentiles, each with the errors of the share beyond
    it within each repeat. None below two repeats, where fewer than 10 samples lie beyond the percentile, and where the
    interval would reach beyond them all.
    """
    if len(repeats) < REPEATS_MIN:
        return (None,) * len(own)
    pooled = _Reached.of(merged.latency)
    parts = [_Reached.of(coarsen(each.latency, merged.latency.layout)) for each in repeats]
    return tuple(_interval(merged, pooled, parts, percent, errors) for percent, errors in own.items())


@dataclass(frozen=True, slots=True)
class _Reached:
    """A histogram with how many lie below each of its buckets, and below all of them."""

    bucket: Sequence[int]
    count: Sequence[int]
    below: Sequence[int]

    @classmethod
    def of(cls, histogram: Histogram) -> "_Reached":
        return cls(histogram.bucket, histogram.count, list(accumulate(histogram.count, initial=0)))

    @property
    def total(self) -> int:
        return self.below[-1]

    def place(self, rank: int) -> int:
        """Where among the buckets the value of a rank lies, from 1."""
        return bisect_left(self.below, rank) - 1

    def edges(self, layout: Layout, rank: int) -> tuple[int, int]:
        """Between what the value of a rank lies: the edges of its bucket, or nearer where that is filled evenly."""
        place = self.place(rank)
        low, width = low_and_width(layout, self.bucket[place])
        count = self.count[place]
        if count > EVEN_MAX * min(self._count_beside(place, -1), self._count_beside(place, 1)):
            return low, low + width
        ahead = rank - self.below[place]
        return low + width * (ahead - 1) // count, low - (-width * ahead // count)

    def _count_beside(self, place: int, side: int) -> int:
        """What the next bucket on one side holds; those that hold nothing are not listed."""
        beside = place + side
        if not 0 <= beside < len(self.bucket) or self.bucket[beside] != self.bucket[place] + side:
            return 0
        return self.count[beside]

    def below_bucket(self, bucket: int) -> int:
        return self.below[bisect_left(self.bucket, bucket)]


def _interval(
    merged: OperationTotals, pooled: _Reached, parts: Sequence[_Reached], percent: float, own: Sequence[Own | None]
) -> tuple[int, int] | None:
    total = pooled.total
    if not percentile_supported(total, percent):
        return None
    bucket = pooled.bucket[pooled.place(rank_of(total, percent))]
    share = percent / 100
    _, reach = max(_binomial(total, share), _between(bucket, parts), _within(parts, own))
    low, high = _ranks(total, share, reach)
    if high > total:
        return None
    layout = merged.latency.layout
    own_low, width = low_and_width(layout, bucket)
    return (
        max(min(pooled.edges(layout, low)[0], own_low), merged.latency_ns_min),
        min(max(pooled.edges(layout, high)[1], own_low + width), merged.latency_ns_max),
    )


def _ranks(total: int, share: float, reach: float) -> tuple[int, int]:
    """The ranks at the ends of the interval. It is taken in log odds: a small share strays upwards more than down."""
    odds, reach_in_odds = log(share / (1 - share)), reach / (share * (1 - share))
    low, high = (1 / (1 + exp(min(-odds - sign * reach_in_odds, EXPONENT_MAX))) for sign in (-1, 1))
    return max(floor(total * low), 1), ceil(total * high) + 1


def _binomial(total: int, share: float) -> _Spread:
    error = sqrt(share * (1 - share) / total)
    return error, NORMAL * error


def _between(bucket: int, parts: Sequence[_Reached]) -> _Spread:
    """By how repeats differ in the share beyond, whether the bucket itself counts or not."""
    counts = [each.total for each in parts]
    error = max(_error([each.below_bucket(edge) for each in parts], counts) for edge in (bucket, bucket + 1))
    return error, student_t(len(parts) - 1) * error


def _error(parts: Sequence[int], wholes: Sequence[int]) -> float:
    """The standard error of a ratio of sums, from its parts."""
    whole, repeats = sum(wholes), len(wholes)
    ratio = sum(parts) / whole
    squares = fsum((part - ratio * each) ** 2 for part, each in zip(parts, wholes, strict=True))
    return sqrt(repeats / (repeats - 1) * squares) / whole


def _within(parts: Sequence[_Reached], own: Sequence[Own | None]) -> _Spread:
    known = [each for each in own if each is not None]
    if len(known) != len(parts):
        return 0.0, 0.0
    error = error_within([each.total for each in parts], known)
    return error, student_t(degrees_within(known)) * error
