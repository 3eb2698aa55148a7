"""The bounds of histogram buckets, for whole columns."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iosonde.records import Layout

_U64_MAX: Final = 2**64 - 1


def bucket_bounds(layout: Layout, bucket: Iterable[int]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Lowest value (inclusive) and end (exclusive) of each bucket, nanoseconds.

    The last bucket ends at 2^64, which does not fit into a u64, so its end is reported as 2^64 - 1.
    """
    low, shift = _low_and_shift(layout, np.fromiter(bucket, dtype=np.int64))
    width = np.uint64(1) << shift
    high = low + np.minimum(width, np.uint64(_U64_MAX) - low)
    return low, high


def _low_and_shift(layout: Layout, bucket: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    per_octave = layout.buckets_per_octave
    shift = np.maximum(bucket // per_octave - 1, 0)
    mantissa = bucket - shift * per_octave
    return mantissa.astype(np.uint64) << shift.astype(np.uint64), shift.astype(np.uint64)
