"""Percentiles and buckets of many histograms as columns, for tables with hundreds of thousands of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.buckets import bucket_bounds
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, rank_of
from iosonde.records import OperationTotals

_NOTHING: Final = -1


@dataclass(frozen=True)
class ManyHistograms:
    """The latencies of many totals, one per row; None if no operation completed.

    ``lengths`` is the number of buckets of each row. ``low_ns``, ``high_ns`` (exclusive) and ``count`` are those of
    each bucket, row after row.
    """

    totals: Sequence[OperationTotals | None]
    lengths: NDArray[np.int64]
    low_ns: NDArray[np.uint64]
    high_ns: NDArray[np.uint64]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, totals: Sequence[OperationTotals | None]) -> "ManyHistograms":
        """The histograms of these rows, in their order."""
        latencies = [None if each is None else each.latency for each in totals]
        lengths = np.array([0 if each is None else len(each.bucket) for each in latencies], dtype=np.int64)
        known = [each for each in latencies if each is not None]
        bucket = np.fromiter(chain.from_iterable(each.bucket for each in known), dtype=np.int64)
        count = np.fromiter(chain.from_iterable(each.count for each in known), dtype=np.int64)
        low_ns, high_ns = np.zeros(len(bucket), dtype=np.uint64), np.zeros(len(bucket), dtype=np.uint64)
        # Nearly all runs have a single layout.
        places = {layout: place for place, layout in enumerate(dict.fromkeys(each.layout for each in known))}
        own = np.array([_NOTHING if each is None else places[each.layout] for each in latencies], dtype=np.int64)
        of_bucket = np.repeat(own, lengths)
        for layout, place in places.items():
            chosen = of_bucket == place
            low_ns[chosen], high_ns[chosen] = bucket_bounds(layout, bucket[chosen])
        return cls(totals, lengths, low_ns, high_ns, count)

    def percentile(self, percent: float) -> NDArray[Any]:
        """The percentile of each row in nanoseconds, as in ``histogram.percentiles``; masked if it is None."""
        counts = [0 if each is None else sum(each.latency.count) for each in self.totals]
        known = {count: rank_of(count, percent) for count in set(counts)}
        ranks = np.array([known[count] for count in counts], dtype=np.int64)
        held = np.array(counts, dtype=np.int64)
        found = held - ranks >= SAMPLES_BEYOND_MIN
        before = np.cumsum(held) - held
        # The buckets of all rows are concatenated, so ranks are offset by the counts of the previous rows.
        places = np.searchsorted(np.cumsum(self.count), (before + ranks)[found], side="left")
        low_ns, width_ns = self.low_ns[places], self.high_ns[places] - self.low_ns[places]
        rows = [
            each for each, is_found in zip(self.totals, found.tolist(), strict=True) if is_found and each is not None
        ]
        smallest = np.array([each.latency_ns_min for each in rows], dtype=np.uint64)
        largest = np.array([each.latency_ns_max for each in rows], dtype=np.uint64)
        values = np.zeros(len(counts), dtype=np.int64)
        values[found] = np.clip(low_ns + width_ns // np.uint64(2), smallest, largest).astype(np.int64)
        return np.ma.array(values, mask=~found)
