"""Histograms: merging, and percentiles by rank. It uses plain integers, so that a probe does not import NumPy."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain
from math import sqrt
from typing import Final

from iosonde.records import Histogram, Layout

PERCENTS: Final = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
"""The percentile points that every table shows, in percent."""

TAIL_PERCENT: Final = 99.0
VALUES_FOR_DEVIATION_MIN: Final = 2
"""The percentile that a requested precision applies to."""

SAMPLES_BEYOND_MIN: Final = 10
"""A percentile is shown only with at least this many samples above it. With fewer, single operations determine it."""

MANY_BUCKETS: Final = 4096
"""From this number of buckets on, arrays are much faster."""

_PARTS_PER_PERCENT: Final = 100
"""Percents are integers in hundredths, because 99.9 % of 1000 may not be 999 in floating point."""


def percent_name(percent: float) -> str:
    """The percentile's name in columns and fields: ``p50``, ``p99_9``."""
    return f"p{percent:g}".replace(".", "_")


def percent_label(percent: float) -> str:
    """The percentile's name in text: ``p50``, ``p99.9``."""
    return f"p{percent:g}"


def _precision_bits(layout: Layout) -> int:
    """The base-2 logarithm of the number of buckets per octave."""
    bits = layout.buckets_per_octave.bit_length() - 1
    assert 1 << bits == layout.buckets_per_octave, "the number of buckets per octave must be a power of 2"
    return bits


def bucket_of(layout: Layout, value_ns: int) -> int:
    """The bucket of a value, by the rule in ``records/histogram.py``."""
    if layout.ceiling_ns is not None:
        value_ns = min(value_ns, layout.ceiling_ns - 1)
    shift = max(value_ns.bit_length() - 1 - _precision_bits(layout), 0)
    return shift * layout.buckets_per_octave + (value_ns >> shift)


def low_and_width(layout: Layout, bucket: int) -> tuple[int, int]:
    """The lowest value of a bucket and its width, in nanoseconds."""
    shift = max(bucket // layout.buckets_per_octave - 1, 0)
    return (bucket - shift * layout.buckets_per_octave) << shift, 1 << shift


def resolution_ns(layout: Layout, value_ns: int) -> float:
    """The width of a value's bucket in nanoseconds: the resolution of its counts."""
    return float(low_and_width(layout, bucket_of(layout, value_ns))[1])


def deviation_of(histogram: Histogram) -> float | None:
    """The standard deviation of the counted values, each at the middle of its bucket; None below two values."""
    total = sum(histogram.count)
    if total < VALUES_FOR_DEVIATION_MIN:
        return None
    middles = [low + (width - 1) / 2 for low, width in (low_and_width(histogram.layout, at) for at in histogram.bucket)]
    mean = sum(count * middle for count, middle in zip(histogram.count, middles, strict=True)) / total
    squares = sum(count * (middle - mean) ** 2 for count, middle in zip(histogram.count, middles, strict=True))
    return sqrt(squares / (total - 1))


def coarsen(histogram: Histogram, layout: Layout) -> Histogram:
    """The same counts in a layout with at most as many buckets per octave. Fine buckets nest in coarse ones.

    Raises ValueError for a finer layout, and for a different ceiling, because values above it are unknown.
    """
    if layout == histogram.layout:
        return histogram
    if layout.ceiling_ns != histogram.layout.ceiling_ns:
        message = f"cannot convert a histogram ceiling of {histogram.layout.ceiling_ns} ns to {layout.ceiling_ns} ns"
        raise ValueError(message)
    if layout.buckets_per_octave > histogram.layout.buckets_per_octave:
        have, want = histogram.layout.buckets_per_octave, layout.buckets_per_octave
        message = f"cannot convert a histogram with {have} buckets per octave to {want} buckets per octave"
        raise ValueError(message)
    lows = (low_and_width(histogram.layout, bucket)[0] for bucket in histogram.bucket)
    coarse = Histogram(layout=layout, bucket=tuple(bucket_of(layout, low) for low in lows), count=histogram.count)
    return _added([coarse])


def merge_histograms(histograms: Sequence[Histogram]) -> Histogram:
    """The sum of all counts, in the coarsest of the layouts. Without histograms, the result is empty.

    Raises ValueError for layouts with different ceilings: results of two engines must not be merged.
    """
    if not histograms:
        return Histogram(bucket=(), count=())
    if len(histograms) == 1:
        return histograms[0]
    layout = min((histogram.layout for histogram in histograms), key=lambda each: each.buckets_per_octave)
    return _added([coarsen(histogram, layout) for histogram in histograms])


def rank_of(count: int, percent: float) -> int:
    """The rank, from 1, of the value at a percentile of ``count`` sorted values: ceil(percent / 100 * count)."""
    parts = round(percent * _PARTS_PER_PERCENT)
    return max(1, -(-count * parts // (100 * _PARTS_PER_PERCENT)))


def percentile_supported(count: int, percent: float) -> bool:
    """Whether at least 10 of ``count`` samples are above the percentile."""
    return _has_beyond(count, rank_of(count, percent))


def _has_beyond(count: int, rank: int) -> bool:
    return count - rank >= SAMPLES_BEYOND_MIN


def percentiles(
    histogram: Histogram, percents: Sequence[float], *, smallest_ns: int, largest_ns: int
) -> tuple[int | None, ...]:
    """The value of each percentile in nanoseconds, or None if fewer than 10 samples are above it.

    The value is the midpoint of the bucket that contains the rank, clipped to the exact smallest and largest value.
    With 128 buckets per octave it is within 0.4 % of the sample of that rank.
    """
    ranks = _supported(sum(histogram.count), tuple(percents))
    values = values_at_ranks(histogram, tuple(ranks.values()), smallest_ns=smallest_ns, largest_ns=largest_ns)
    known = dict(zip(ranks, values, strict=True))
    return tuple(known.get(percent) for percent in percents)


@lru_cache(maxsize=1 << 16)
def _supported(total: int, percents: tuple[float, ...]) -> dict[float, int]:
    """The ranks of the percentiles that ``total`` samples support. Cached: many intervals have the same count."""
    return {percent: rank for percent in percents if _has_beyond(total, rank := rank_of(total, percent))}


def values_at_ranks(
    histogram: Histogram, ranks: Sequence[int], *, smallest_ns: int, largest_ns: int
) -> tuple[int, ...]:
    """The value of each rank (from 1, at most the count) in nanoseconds, as in ``percentiles``."""
    reached = list(accumulate(histogram.count))
    values = []
    for rank in ranks:
        low, width = low_and_width(histogram.layout, histogram.bucket[bisect_left(reached, rank)])
        values.append(min(max(low + width // 2, smallest_ns), largest_ns))
    return tuple(values)


def _added(histograms: Sequence[Histogram]) -> Histogram:
    """The sum of histograms of one layout. A bucket may occur twice in one histogram."""
    if sum(len(histogram.bucket) for histogram in histograms) >= MANY_BUCKETS:
        return _added_at_once(histograms)
    largest, *others = sorted(histograms, key=lambda each: len(each.bucket), reverse=True)
    counts = dict(zip(largest.bucket, largest.count, strict=True))
    if len(counts) < len(largest.bucket):
        counts, others = {}, [largest, *others]
    for histogram in others:
        for bucket, count in zip(histogram.bucket, histogram.count, strict=True):
            counts[bucket] = counts.get(bucket, 0) + count
    buckets = tuple(sorted(counts))
    return Histogram(layout=histograms[0].layout, bucket=buckets, count=tuple(map(counts.__getitem__, buckets)))


def _added_at_once(histograms: Sequence[Histogram]) -> Histogram:
    # Imported here because it takes longer than the few histograms of most commands.
    import numpy as np

    buckets = np.fromiter(chain.from_iterable(each.bucket for each in histograms), dtype=np.int64)
    counts = np.fromiter(chain.from_iterable(each.count for each in histograms), dtype=np.int64)
    found, places = np.unique(buckets, return_inverse=True)
    sums = np.zeros(len(found), dtype=np.int64)
    np.add.at(sums, places, counts)
    return Histogram(layout=histograms[0].layout, bucket=tuple(found.tolist()), count=tuple(sums.tolist()))
