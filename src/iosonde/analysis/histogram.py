"""Distributions as counts: where buckets lie, how histograms merge, and percentiles by rank."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iosonde.records import Histogram, Layout

PERCENTS: Final = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
"""The percentile points that every table shows, in percent."""

SAMPLES_BEYOND_MIN: Final = 10
"""A percentile is shown only with this many samples beyond it; fewer make it a story about single operations."""

_U64_MAX: Final = 2**64 - 1
_PARTS_PER_PERCENT: Final = 100
"""Percents are taken in hundredths, as integers: in floating point, 99.9 % of 1000 need not be 999."""


def percent_name(percent: float) -> str:
    """The percentile's name in columns and fields: ``p50``, ``p99_9``."""
    return f"p{percent:g}".replace(".", "_")


def percent_label(percent: float) -> str:
    """The percentile's name for people: ``p50``, ``p99.9``."""
    return f"p{percent:g}"


def buckets_of(layout: Layout, values_ns: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The bucket of each value (any shape, nanoseconds), by the rule in ``records/histogram.py``."""
    bits = _bits(layout)
    values = np.asarray(values_ns, dtype=np.uint64)
    # The exponent of a float is floor(log2) + 1, except that values next to a power of 2 above 2^53 round up to it.
    octave = np.maximum(np.frexp(values.astype(np.float64))[1].astype(np.int64) - 1, bits)
    octave -= (octave > bits) & ((values >> np.minimum(octave, 63).astype(np.uint64)) == 0)
    shift = octave - bits
    return shift * layout.buckets_per_octave + (values >> shift.astype(np.uint64)).astype(np.int64)


def bucket_bounds(layout: Layout, bucket: Iterable[int]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Lowest value (inclusive) and end (exclusive) of each bucket, nanoseconds.

    The last bucket of all ends at 2^64, which no u64 holds: its end is given as 2^64 - 1.
    """
    low, shift = _low_and_shift(layout, np.fromiter(bucket, dtype=np.int64))
    width = np.uint64(1) << shift
    high = low + np.minimum(width, np.uint64(_U64_MAX) - low)
    return low, high


def midpoints(layout: Layout, bucket: Iterable[int]) -> NDArray[np.uint64]:
    """The value that stands for each bucket, nanoseconds: its middle, at most half a bucket from any value in it."""
    low, shift = _low_and_shift(layout, np.fromiter(bucket, dtype=np.int64))
    return low + ((np.uint64(1) << shift) >> np.uint64(1))


def coarsen(histogram: Histogram, layout: Layout) -> Histogram:
    """The same counts in a layout with as many or fewer buckets an octave. Nothing is split: fine buckets nest."""
    if layout == histogram.layout:
        return histogram
    if layout.buckets_per_octave > histogram.layout.buckets_per_octave:
        message = f"{histogram.layout.buckets_per_octave} buckets an octave can't become {layout.buckets_per_octave}"
        raise ValueError(message)
    low, _ = bucket_bounds(histogram.layout, histogram.bucket)
    return _added(layout, buckets_of(layout, low), np.array(histogram.count, dtype=np.int64))


def merge_histograms(histograms: Sequence[Histogram]) -> Histogram:
    """All counts added up, in the coarsest of the layouts. No histograms give an empty one."""
    if not histograms:
        return Histogram(bucket=(), count=())
    if len(histograms) == 1:
        return histograms[0]
    layout = min((histogram.layout for histogram in histograms), key=lambda each: each.buckets_per_octave)
    same = [coarsen(histogram, layout) for histogram in histograms]
    bucket = np.concatenate([np.array(histogram.bucket, dtype=np.int64) for histogram in same])
    count = np.concatenate([np.array(histogram.count, dtype=np.int64) for histogram in same])
    return _added(layout, bucket, count)


def rank_of(count: int, percent: float) -> int:
    """The rank, from 1, of the value at a percentile of ``count`` sorted values: ceil(percent / 100 * count)."""
    parts = round(percent * _PARTS_PER_PERCENT)
    return max(1, -(-count * parts // (100 * _PARTS_PER_PERCENT)))


def percentile_supported(count: int, percent: float) -> bool:
    """Whether at least 10 of ``count`` samples lie beyond the percentile."""
    return count - rank_of(count, percent) >= SAMPLES_BEYOND_MIN


def percentiles(
    histogram: Histogram, percents: Sequence[float], *, smallest_ns: int, largest_ns: int
) -> tuple[int | None, ...]:
    """For each percent the value in nanoseconds, or None where fewer than 10 samples lie beyond it.

    The value is the midpoint of the bucket that holds the rank, clipped to the exact smallest and largest value;
    with 128 buckets an octave it is within 0.4 % of the sample of that rank.
    """
    total = sum(histogram.count)
    if total == 0:
        return (None,) * len(percents)
    ranks = [rank_of(total, percent) for percent in percents]
    values = values_at_ranks(histogram, ranks, smallest_ns=smallest_ns, largest_ns=largest_ns)
    return tuple(
        value if percentile_supported(total, percent) else None for percent, value in zip(percents, values, strict=True)
    )


def values_at_ranks(
    histogram: Histogram, ranks: Sequence[int], *, smallest_ns: int, largest_ns: int
) -> tuple[int, ...]:
    """The value of each rank (from 1, at most the count) in nanoseconds, as in ``percentiles``."""
    at = np.searchsorted(np.cumsum(np.array(histogram.count, dtype=np.int64)), ranks)
    values = midpoints(histogram.layout, (histogram.bucket[index] for index in at))
    return tuple(min(max(int(value), smallest_ns), largest_ns) for value in values)


def _bits(layout: Layout) -> int:
    bits = layout.buckets_per_octave.bit_length() - 1
    assert 1 << bits == layout.buckets_per_octave, "buckets an octave are a power of 2"
    return bits


def _low_and_shift(layout: Layout, bucket: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    per_octave = layout.buckets_per_octave
    shift = np.maximum(bucket // per_octave - 1, 0)
    mantissa = bucket - shift * per_octave
    return mantissa.astype(np.uint64) << shift.astype(np.uint64), shift.astype(np.uint64)


def _added(layout: Layout, bucket: NDArray[np.int64], count: NDArray[np.int64]) -> Histogram:
    order = np.argsort(bucket, kind="stable")
    bucket, count = bucket[order], count[order]
    first = np.flatnonzero(np.diff(bucket, prepend=-1))
    added = np.add.reduceat(count, first) if len(bucket) else count
    return Histogram(layout=layout, bucket=tuple(bucket[first].tolist()), count=tuple(added.tolist()))
