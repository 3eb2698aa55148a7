"""Within-repeat variation: how much a repeat varied from interval to interval, and whether it had settled.

Throughput is a mean over intervals. Mean latency and the share of operations above the repeat's own p99 are ratios of
sums. Their errors are those of the mean deviation of each interval from its share (Cochran, Sampling Techniques, 3rd
edition, section 6.4).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.histogram import TAIL_PERCENT, coarsen, percentile_supported, rank_of
from iosonde.analysis.latency import leading
from iosonde.analysis.series import batch_means, find_changes, find_warm_up, geweke
from iosonde.analysis.totals import measured_intervals, merge_totals, total_of, whole_intervals
from iosonde.records import (
    CellRecord,
    Histogram,
    OperationTotals,
    Outcome,
    Phase,
    WithinRepeat,
)

GEWEKE_MAX: Final = 3.29
"""A settled series exceeds this once in a thousand times, or once in a hundred if adjacent values correlate by up to
0.6. A campaign tests hundreds of series."""

BIAS_MIN: Final = 0.005
"""If the start moves the mean by a smaller share, it does not matter."""


def within_repeat(record: CellRecord) -> WithinRepeat | None:
    """The within-repeat variation of a finished repeat, from its intervals; None if there are too few of them."""
    measured = measured_intervals(record)
    found = [total_of(each.operations, record.workload.subject) for each in measured]
    totals = [None if each is None else leading(each) for each in found]
    counts = np.array([0 if each is None else each.count for each in totals], dtype=np.float64)
    if record.outcome is not Outcome.FINISHED or not counts.sum():
        return None
    rates = counts / np.array([each.end_ns - each.start_ns for each in measured], dtype=np.float64)
    throughput = batch_means(rates)
    # If the drive stalled early, all completions may be in the few values that do not fit into whole batches.
    if throughput is None or throughput.error is None or not throughput.mean:
        return None
    sums = np.array([0 if each is None else each.latency_ns_sum for each in totals], dtype=np.float64)
    latency = _ratio_error(sums, counts)
    cut_ns, settled, distance = _settling(record, rates)
    return WithinRepeat(
        throughput_error=throughput.error / throughput.mean,
        latency_error=latency * counts.sum() / sums.sum() if sums.sum() else 0.0,
        beyond_error=_beyond_error(totals, counts),
        effective=throughput.effective,
        correlation=throughput.correlation,
        warm_up_ns=cut_ns,
        settled=settled,
        geweke=distance,
    )


def _ratio_error(parts: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """The standard error of the sum of parts divided by the sum of counts."""
    found = batch_means(parts - parts.sum() / counts.sum() * counts, scale=float(parts.mean()))
    assert found is not None
    assert found.error is not None, "expected at least two values for a standard error"
    return found.error / float(counts.mean())


def _beyond_error(totals: Sequence[OperationTotals | None], counts: NDArray[np.float64]) -> float | None:
    merged = merge_totals([each for each in totals if each is not None])
    if merged is None or not percentile_supported(merged.count, TAIL_PERCENT):
        return None
    reached = list(accumulate(merged.latency.count))
    edge = merged.latency.bucket[bisect_left(reached, rank_of(merged.count, TAIL_PERCENT))]
    beyond = [0 if each is None else _beyond(coarsen(each.latency, merged.latency.layout), edge) for each in totals]
    return _ratio_error(np.array(beyond, dtype=np.float64), counts)


def _beyond(histogram: Histogram, bucket: int) -> int:
    return sum(histogram.count[bisect_right(histogram.bucket, bucket) :])


def _settling(record: CellRecord, rates: NDArray[np.float64]) -> tuple[int, bool, float | None]:
    """The time from the start of the warm-up until throughput settled, whether it had settled, and Geweke's distance.

    MSER-5 alone has false positives. Its cut counts only if Geweke's test or a level change confirms it.
    """
    every = whole_intervals(record.intervals)
    found = [total_of(each.operations, record.workload.subject) for each in every]
    series = [
        (0 if totals is None else totals.count) / (each.end_ns - each.start_ns)
        for each, totals in zip(every, found, strict=True)
    ]
    cut = find_warm_up(series)
    distance = geweke(rates)
    bias = rates.mean() - rates[len(rates) // 2 :].mean()
    differs = distance is not None and abs(distance) > GEWEKE_MAX and abs(bias) > BIAS_MIN * rates.mean()
    moves = differs or bool(find_changes(rates))
    settled = not moves or cut == 0 or every[cut].phase is not Phase.MEASURE
    return every[cut].start_ns - every[0].start_ns, settled, distance
