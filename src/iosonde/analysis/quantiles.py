"""How well a percentile is known, read from counts.

The share of operations beyond the percentile strays from repeat to repeat, and with it the percentile: an interval of
that share is turned into one of latency by the ranks at its ends. For independent operations it is the binomial
interval (Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2); operations of a drive depend on each
other, so the share's own spread between repeats, and within them, is measured as well; the largest of the three errors
gives the interval.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import ceil, exp, floor, fsum, log, sqrt
from typing import Final

from iosonde.analysis.estimate import REPEATS_MIN, Own, degrees_within, error_within, student_t
from iosonde.analysis.histogram import coarsen, low_and_width, percentile_supported, rank_of
from iosonde.records import Histogram, OperationTotals

NORMAL: Final = 1.96
"""Half a 95 % interval in standard errors, where these are known and not measured."""

EXPONENT_MAX: Final = 700.0
"""A little below where a floating-point number ends; what lies beyond is no share of any count."""

_Spread = tuple[float, float]
"""A standard error of the share beyond, and half the interval that it makes."""


def percentile_interval(
    merged: OperationTotals, repeats: Sequence[OperationTotals], percent: float, own: Sequence[Own | None] = ()
) -> tuple[int, int] | None:
    """The 95 % interval of a percentile of latency, nanoseconds.

    It reaches from the lower edge of a bucket to the upper one of another, within the smallest and the largest latency.
    ``merged`` is all of ``repeats`` added up; ``own`` are the errors of the share beyond within each. None below two
    repeats, where fewer than 10 samples lie beyond the percentile, and where the interval would reach beyond them all.
    """
    histogram, total = merged.latency, sum(merged.latency.count)
    if len(repeats) < REPEATS_MIN or not percentile_supported(total, percent):
        return None
    reached = list(accumulate(histogram.count))
    place = bisect_left(reached, rank_of(total, percent))
    share = percent / 100
    _, reach = max(
        _binomial(total, share),
        _between(histogram, place, [each.latency for each in repeats]),
        _within(repeats, own),
    )
    low, high = _ranks(total, share, reach)
    if high > total:
        return None
    return (
        max(low_and_width(histogram.layout, histogram.bucket[bisect_left(reached, low)])[0], merged.latency_ns_min),
        min(sum(low_and_width(histogram.layout, histogram.bucket[bisect_left(reached, high)])), merged.latency_ns_max),
    )


def _ranks(total: int, share: float, reach: float) -> tuple[int, int]:
    """The ranks at the ends of the interval. It is taken in log odds: a small share strays upwards more than down."""
    odds, reach_in_odds = log(share / (1 - share)), reach / (share * (1 - share))
    low, high = (1 / (1 + exp(min(-odds - sign * reach_in_odds, EXPONENT_MAX))) for sign in (-1, 1))
    return max(floor(total * low), 1), ceil(total * high) + 1


def _binomial(total: int, share: float) -> _Spread:
    error = sqrt(share * (1 - share) / total)
    return error, NORMAL * error


def _between(histogram: Histogram, place: int, repeats: Sequence[Histogram]) -> _Spread:
    """By how repeats differ in the share beyond, whether the bucket itself counts or not."""
    edges = (histogram.bucket[place], histogram.bucket[place] + 1)
    found = [coarsen(each, histogram.layout) for each in repeats]
    counts = [sum(each.count) for each in found]
    error = max(_error([_below(each, edge) for each in found], counts) for edge in edges)
    return error, student_t(len(repeats) - 1) * error


def _below(histogram: Histogram, bucket: int) -> int:
    return sum(histogram.count[: bisect_right(histogram.bucket, bucket - 1)])


def _error(parts: Sequence[int], wholes: Sequence[int]) -> float:
    """The standard error of a ratio of sums, from its parts."""
    whole, repeats = sum(wholes), len(wholes)
    ratio = sum(parts) / whole
    squares = fsum((part - ratio * each) ** 2 for part, each in zip(parts, wholes, strict=True))
    return sqrt(repeats / (repeats - 1) * squares) / whole


def _within(repeats: Sequence[OperationTotals], own: Sequence[Own | None]) -> _Spread:
    known = [each for each in own if each is not None]
    if len(known) != len(repeats):
        return 0.0, 0.0
    error = error_within([each.count for each in repeats], known)
    return error, student_t(degrees_within(known)) * error
