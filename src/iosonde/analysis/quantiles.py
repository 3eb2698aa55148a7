"""How well a percentile is known, read from counts.

The share of operations beyond the percentile strays from repeat to repeat, and with it the percentile: an interval of
that share is turned into one of latency by the ranks at its ends. For independent operations it is the binomial
interval (Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2); operations of a drive depend on each
other, so the share's variance between repeats, and within them, is estimated as that of any other figure
(``analysis.estimate``), from the binomial one where nothing is known of what lies within. Counts are added up, so each
repeat weighs what it has counted.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, exp, floor, log, sqrt
from typing import Final

from iosonde.analysis.estimate import BATCHES_MAX, RATIO_MAX, REPEATS_MIN, Level, Own, reach_of, spread_of
from iosonde.analysis.histogram import coarsen, low_and_width, percentile_supported, rank_of
from iosonde.records import Histogram, Layout, OperationTotals

EVEN_MAX: Final = 2
"""A bucket with more than so many times what either of those beside it holds may hold a single value many times."""

EXPONENT_MAX: Final = 700.0
"""A little below where a floating-point number ends; what lies beyond is no share of any count."""


@dataclass(frozen=True)
class PercentileInterval:
    """The 95 % interval of a percentile of latency, nanoseconds, and what it comes from.

    ``standard_error_ns`` is half of it over its half-width in standard errors, which have ``degrees_of_freedom``: it is
    taken from that of the share of operations beyond the percentile.
    """

    low_ns: int
    high_ns: int
    level: Level
    between_share: float
    standard_error_ns: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class _Reach:
    """Half an interval of the share beyond a percentile, what it comes from, and how many standard errors it is."""

    share: float
    errors: float
    degrees: float
    level: Level
    between_share: float


def percentile_intervals(
    merged: OperationTotals,
    repeats: Sequence[OperationTotals],
    own: Mapping[float, Sequence[Own | None]],
    *,
    looked: bool = False,
) -> tuple[PercentileInterval | None, ...]:
    """The 95 % intervals of percentiles of latency.

    Each takes in the middle of the bucket that holds the percentile, which is the value that is given for it. Its ends
    are interpolated where a bucket is filled evenly; of another one it takes in the whole. It stays within the smallest
    and largest latency.
    ``merged`` is all of ``repeats`` added up. ``own`` names the percentiles, each with the errors of the share beyond
    it within each repeat; where these are not known, they are at least binomial. ``looked`` is that of ``estimate``.
    None below two repeats, where fewer than 10 samples lie beyond the percentile, where the interval would reach beyond
    them all, and where an end is further from the value than by the factor that establishes nothing.
    """
    if len(repeats) < REPEATS_MIN:
        return (None,) * len(own)
    pooled = _Reached.of(merged.latency)
    parts = [_Reached.of(coarsen(each.latency, merged.latency.layout)) for each in repeats]
    return tuple(_interval(merged, pooled, parts, each, looked=looked) for each in own.items())


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
        if not self.is_even(place):
            return low, low + width
        ahead, count = rank - self.below[place], self.count[place]
        return low + width * (ahead - 1) // count, low - (-width * ahead // count)

    def is_even(self, place: int) -> bool:
        """Whether a bucket holds no more than its neighbours, so that it is taken for evenly filled."""
        return self.count[place] <= EVEN_MAX * min(self._count_beside(place, -1), self._count_beside(place, 1))

    def parts(self, place: int, rank: int) -> tuple[float, ...]:
        """How much of a bucket lies below the value of a rank: none and all of it, where that is unknown."""
        return ((rank - self.below[place]) / self.count[place],) if self.is_even(place) else (0.0, 1.0)

    def _count_beside(self, place: int, side: int) -> int:
        """What the next bucket on one side holds; those that hold nothing are not listed."""
        beside = place + side
        if not 0 <= beside < len(self.bucket) or self.bucket[beside] != self.bucket[place] + side:
            return 0
        return self.count[beside]

    def share_below(self, bucket: int, part: float) -> float:
        """The share of all that lies below this part of a bucket."""
        first, last = (self.below[bisect_left(self.bucket, edge)] for edge in (bucket, bucket + 1))
        return (first + part * (last - first)) / self.total


def _interval(
    merged: OperationTotals,
    pooled: _Reached,
    parts: Sequence[_Reached],
    asked: tuple[float, Sequence[Own | None]],
    *,
    looked: bool,
) -> PercentileInterval | None:
    total, (percent, own) = pooled.total, asked
    if not percentile_supported(total, percent):
        return None
    rank, layout = rank_of(total, percent), merged.latency.layout
    place = pooled.place(rank)
    share = percent / 100
    strays = [[each.share_below(pooled.bucket[place], part) for each in parts] for part in pooled.parts(place, rank)]
    reach = _reach(strays, [each.total for each in parts], share, own, looked=looked)
    low, high = _ranks(total, share, reach.share)
    if high > total:
        return None
    own_low, width = low_and_width(layout, pooled.bucket[place])
    middle_ns = own_low + width // 2
    # The value that is given is the middle of its bucket, which the interval of the ranks need not take in.
    lows, highs = zip(*(pooled.edges(layout, each) for each in (low, rank, high)), strict=True)
    low_ns = max(min(*lows, middle_ns), merged.latency_ns_min)
    high_ns = min(max(*highs, middle_ns), merged.latency_ns_max)
    if high_ns > RATIO_MAX * middle_ns or low_ns < middle_ns / RATIO_MAX - width:
        return None
    error_ns = (high_ns - low_ns) / 2 / reach.errors
    return PercentileInterval(low_ns, high_ns, reach.level, reach.between_share, error_ns, reach.degrees)


def _ranks(total: int, share: float, reach: float) -> tuple[int, int]:
    """The ranks at the ends of the interval. It is taken in log odds: a small share strays upwards more than down."""
    odds, reach_in_odds = log(share / (1 - share)), reach / (share * (1 - share))
    low, high = (1 / (1 + exp(min(-odds - sign * reach_in_odds, EXPONENT_MAX))) for sign in (-1, 1))
    return max(floor(total * low), 1), ceil(total * high) + 1


def _reach(
    below: Sequence[Sequence[float]], counts: Sequence[int], share: float, own: Sequence[Own | None], *, looked: bool
) -> _Reach:
    """The error of the repeats' shares below the percentile; of several series, the larger one.

    Where no repeat knows its own error, that of independent operations stands for it, the least that it can be.
    """
    known = own if any(own) else [Own(sqrt(share * (1 - share) / count), BATCHES_MAX) for count in counts]
    found = []
    for shares in below:
        spread = spread_of(shares, counts, known, weights=counts)
        assert spread.error is not None, "there are two repeats"
        assert spread.degrees is not None, "there are two repeats"
        assert spread.level is not None, "there are two repeats"
        between_share = spread.between_share(sum(counts) / len(counts))
        errors = reach_of(spread, looked=looked)
        found.append(_Reach(spread.error * errors, errors, spread.degrees, spread.level, between_share))
    return max(found, key=lambda each: each.share)
