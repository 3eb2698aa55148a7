"""Two separate modes of a latency distribution, such as the hits and the misses of a cache."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from iosonde.analysis.histogram import low_and_width
from iosonde.records import Histogram

GAP_FACTOR: Final = 1.5
"""The gap between two modes is at least this wide: its upper end divided by its lower end. A histogram of one mechanism
whose latency varies is dense, and has no such gap in its middle."""

GAP_SHARE_MAX: Final = 0.005
"""The largest share of all operations within the gap."""

EDGE_SHARE: Final = 0.05
"""A mode has at least this share of the operations. Samples at both ends of a distribution are sparse anyway."""

SAMPLES_MIN: Final = 1000
"""With fewer samples, an exponential distribution also has such gaps near its lower end."""


@dataclass(frozen=True)
class Modes:
    """The medians of two modes in nanoseconds, and the share of operations in the faster one."""

    fast_ns: float
    slow_ns: float
    fast_share: float


def two_modes(histogram: Histogram) -> Modes | None:
    """The two modes of a distribution; None if it has no wide gap in its middle, or too few samples."""
    counts = np.asarray(histogram.count, dtype=np.int64)
    total = int(counts.sum())
    if total < SAMPLES_MIN:
        return None
    bounds = [low_and_width(histogram.layout, bucket) for bucket in histogram.bucket]
    middles = np.array([low + width / 2 for low, width in bounds])
    cumulative = np.cumsum(counts)
    widest: tuple[float, int, int] | None = None
    last = 0
    for first in range(len(counts)):
        # The bucket after the gap that starts behind `first`: as far as the gap may contain operations.
        last = max(last, first + 1)
        while last < len(counts) - 1 and cumulative[last] - cumulative[first] <= GAP_SHARE_MAX * total:
            last += 1
        if last >= len(counts):
            break
        below = cumulative[first] / total
        if EDGE_SHARE <= below <= 1 - EDGE_SHARE:
            factor = middles[last] / max(middles[first], 1.0)
            if factor >= GAP_FACTOR and (widest is None or factor > widest[0]):
                widest = factor, first, last
    if widest is None:
        return None
    _, first, last = widest
    fast = int(cumulative[first])
    return Modes(
        fast_ns=float(middles[np.searchsorted(cumulative, fast / 2)]),
        slow_ns=float(middles[np.searchsorted(cumulative, fast + (total - fast) / 2)]),
        fast_share=fast / total,
    )
