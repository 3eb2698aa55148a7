"""Intervals of percentiles, from counts.

The share of operations above a percentile varies between repeats, and so does the percentile. The interval of that
share is converted to one of latency through the ranks at its ends. For independent operations it is the binomial
interval (Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2). Operations of a drive depend on each
other, so the variance of the share between and within repeats is estimated as for any other quantity
(``analysis.estimate``). If the variance within repeats is unknown, the binomial one is used. Counts are added up, so
the weight of a repeat is its count.
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
"""A bucket with more than this multiple of the count of either neighbour may contain one value many times."""

EXPONENT_MAX: Final = 700.0
"""Slightly below the overflow of a floating-point number."""


@dataclass(frozen=True)
class PercentileInterval:
    """The 95 % interval of a latency percentile in nanoseconds, and its source.

    ``standard_error_ns`` is half the interval divided by its half-width in standard errors. It is derived from the
    standard error of the share of operations above the percentile, with the same ``degrees_of_freedom``.
    """

    low_ns: int
    high_ns: int
    level: Level
    between_share: float
    standard_error_ns: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class _Reach:
    """Half an interval of the share above a percentile, its source, and its size in standard errors."""

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
    """The 95 % intervals of latency percentiles.

    Each interval contains the midpoint of the percentile's bucket, which is the reported value. Its ends are
    interpolated in evenly filled buckets, and include the whole of other buckets. It stays within the smallest and the
    largest latency. ``merged`` is the sum of all ``repeats``. ``own`` maps each percentile to the errors of the share
    above it within each repeat; unknown errors are taken as binomial. ``looked`` is that of ``estimate``.
    An interval is None below two repeats, with fewer than 10 samples above the percentile, if it would extend above the
    largest sample, and if an end differs from the value by more than a factor of ``RATIO_MAX``.
    """
    if len(repeats) < REPEATS_MIN:
        return (None,) * len(own)
    pooled = _Reached.of(merged.latency)
    parts = [_Reached.of(coarsen(each.latency, merged.latency.layout)) for each in repeats]
    return tuple(_interval(merged, pooled, parts, each, looked=looked) for each in own.items())


@dataclass(frozen=True, slots=True)
class _Reached:
    """A histogram with cumulative counts: those below each bucket, and the total."""

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
        """The index of the bucket that contains a rank (from 1)."""
        return bisect_left(self.below, rank) - 1

    def edges(self, layout: Layout, rank: int) -> tuple[int, int]:
        """The bounds of the value of a rank: the edges of its bucket, or closer ones if it is evenly filled."""
        place = self.place(rank)
        low, width = low_and_width(layout, self.bucket[place])
        if not self.is_even(place):
            return low, low + width
        ahead, count = rank - self.below[place], self.count[place]
        return low + width * (ahead - 1) // count, low - (-width * ahead // count)

    def is_even(self, place: int) -> bool:
        """Whether a bucket's count is similar to that of its neighbours, so that it counts as evenly filled."""
        return self.count[place] <= EVEN_MAX * min(self._count_beside(place, -1), self._count_beside(place, 1))

    def parts(self, place: int, rank: int) -> tuple[float, ...]:
        """The share of a bucket below the value of a rank: both none and all if it is unknown."""
        return ((rank - self.below[place]) / self.count[place],) if self.is_even(place) else (0.0, 1.0)

    def _count_beside(self, place: int, side: int) -> int:
        """The count of the adjacent bucket on one side. Empty buckets are not listed."""
        beside = place + side
        if not 0 <= beside < len(self.bucket) or self.bucket[beside] != self.bucket[place] + side:
            return 0
        return self.count[beside]

    def share_below(self, bucket: int, part: float) -> float:
        """The share of all samples below this part of a bucket."""
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
    # The reported value is the midpoint of its bucket, which the interval of the ranks may not contain.
    lows, highs = zip(*(pooled.edges(layout, each) for each in (low, rank, high)), strict=True)
    low_ns = max(min(*lows, middle_ns), merged.latency_ns_min)
    high_ns = min(max(*highs, middle_ns), merged.latency_ns_max)
    if high_ns > RATIO_MAX * middle_ns or low_ns < middle_ns / RATIO_MAX - width:
        return None
    error_ns = (high_ns - low_ns) / 2 / reach.errors
    return PercentileInterval(low_ns, high_ns, reach.level, reach.between_share, error_ns, reach.degrees)


def _ranks(total: int, share: float, reach: float) -> tuple[int, int]:
    """The ranks at the ends of the interval, computed in log odds: a small share varies more upwards than downwards."""
    odds, reach_in_odds = log(share / (1 - share)), reach / (share * (1 - share))
    low, high = (1 / (1 + exp(min(-odds - sign * reach_in_odds, EXPONENT_MAX))) for sign in (-1, 1))
    return max(floor(total * low), 1), ceil(total * high) + 1


def _reach(
    below: Sequence[Sequence[float]], counts: Sequence[int], share: float, own: Sequence[Own | None], *, looked: bool
) -> _Reach:
    """The error of the repeats' shares below the percentile; of several series, the largest one.

    If no repeat has an error of its own, that of independent operations is used, which is a lower bound.
    """
    known = own if any(own) else [Own(sqrt(share * (1 - share) / count), BATCHES_MAX) for count in counts]
    found = []
    for shares in below:
        spread = spread_of(shares, counts, known, weights=counts)
        assert spread.error is not None, "expected at least two repeats"
        assert spread.degrees is not None, "expected at least two repeats"
        assert spread.level is not None, "expected at least two repeats"
        between_share = spread.between_share(sum(counts) / len(counts))
        errors = reach_of(spread, looked=looked)
        found.append(_Reach(spread.error * errors, errors, spread.degrees, spread.level, between_share))
    return max(found, key=lambda each: each.share)
