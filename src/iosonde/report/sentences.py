"""Answers in words, with their numbers: a sentence or two for each experiment."""

import math
from collections.abc import Callable, Sequence

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.course import moments_of
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.histogram import percent_label
from iosonde.charts.quantities import (
    BANDWIDTH_UNIT,
    MEGABYTE,
    cell_depth_label,
    load_label,
    plural,
    significant,
    with_interval,
    workload_label,
)
from iosonde.records import CellRecord, Experiment, LatencyKind
from iosonde.units import format_bandwidth, format_iops, format_latency

TAIL_PERCENTS = (99.99, 99.9, 99.0)
DEPTH_REACHED = 0.95
"""From this share of the asked depth on, the sweep's points are where they say they are."""
NEAR = 0.10
"""An interval this close to its cell's mean counts as near it."""

NO_FIGURES = "No cell of this experiment has figures."
NO_SUBJECT = "No cell of this experiment has figures of commits; the table has those of writes and flushes."

Pair = tuple[CellEstimate, OperationEstimate]


def course_sentence(records: Sequence[CellRecord]) -> str:
    """How far intervals stay from the mean of their cell."""
    shares = [moment.share for moment in moments_of(records)]
    if not shares:
        return "No finished measurement has intervals."
    near = sum(1 - NEAR <= share <= 1 + NEAR for share in shares) / len(shares)
    return (
        f"{_percent(near)} of {len(shares):,} intervals stay within {_percent(NEAR)} of the mean of their cell; the "
        f"slowest has {_percent(min(shares))} of it."
    )


def experiment_sentence(experiment: Experiment, estimates: RunEstimates) -> str:
    """The answer that an experiment gives, in words."""
    cells = estimates.of(experiment)
    writer = _WRITERS.get(experiment, _anything)
    pairs = [(cell, figures) for cell in cells if (figures := cell.subject) is not None]
    if pairs:
        return writer(pairs)
    # A subject can be missing where writes and flushes of a commit were timed apart.
    return NO_SUBJECT if any(cell.operations for cell in cells) else NO_FIGURES


def _baseline(pairs: Sequence[Pair]) -> str:
    parts = []
    plain = [(cell, figures) for cell, figures in pairs if not cell.workload.flushes_each]
    if plain:
        means = ", ".join(
            f"{workload_label(cell.workload)} {format_latency(figures.latency_ns_mean.mean)}" for cell, figures in plain
        )
        parts.append(f"Mean latency of one operation at a time: {means}.")
    for cell, figures in pairs:
        if cell.workload.flushes_each:
            parts.append(
                f"A write made durable by fdatasync takes {format_latency(figures.latency_ns_mean.mean)}, and "
                f"{format_iops(figures.iops.mean)} commits/s are made one after another (means of the repeats)."
            )
    return " ".join(parts)


def _block_size(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    rate_cell, rate = max(pairs, key=lambda pair: pair[1].iops.mean)
    width_cell, width = max(pairs, key=lambda pair: pair[1].bytes_per_s.mean)
    return (
        f"The highest rate is {with_interval(rate.iops)} IOPS ({workload_label(rate_cell.workload)}), the highest "
        f"bandwidth {with_interval(width.bytes_per_s, 1 / MEGABYTE)} {BANDWIDTH_UNIT} "
        f"({workload_label(width_cell.workload)}), at "
        f"{_depths([rate_cell, width_cell])}."
    )


def _mix(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    ordered = sorted(pairs, key=lambda pair: pair[1].iops.mean)
    (worst_cell, worst), (best_cell, best) = ordered[0], ordered[-1]
    said = (
        f"Reads and writes together are fastest at {best_cell.workload.read_percent} % reads "
        f"({with_interval(best.iops)} IOPS) and slowest at {worst_cell.workload.read_percent} % reads "
        f"({with_interval(worst.iops)} IOPS)"
    )
    return f"{said}{'; the intervals overlap' if _overlap(best.iops, worst.iops) else ''}."


def _overlap(one: Estimate, other: Estimate) -> bool:
    """Whether the 95 % intervals of two means meet; False where one of them has none."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low <= other.high and other.low <= one.high


def _queue_depth(pairs: Sequence[Pair]) -> str:
    """How well the asked depths were reached; the knees stand beside the trade-off chart."""
    reached = [
        (cell.queue_depth_achieved.mean / cell.queue_depth_asked, cell)
        for cell, _ in pairs
        if cell.queue_depth_achieved is not None
    ]
    if not reached:
        return "How much of the depth asked was in flight is not recorded."
    share, cell = min(reached, key=lambda each: each[0])
    if share >= DEPTH_REACHED:
        return f"At every point at least {math.floor(share * 100)} % of the depth asked was in flight."
    return (
        f"The depth asked was not always in flight: furthest off is {cell.cell}, with "
        f"{significant(share * cell.queue_depth_asked, 3)} of {cell.queue_depth_asked} operations on average "
        f"({_percent(share)})."
    )


def _tail(pairs: Sequence[Pair]) -> str:
    return " ".join(_tail_of(cell, figures) for cell, figures in pairs)


def _tail_of(cell: CellEstimate, figures: OperationEstimate) -> str:
    if figures.saturated:
        return f"At {_load(cell)} the rate was not kept, so that there is no tail to tell."
    supported = (figures.percentile(percent) for percent in TAIL_PERCENTS)
    known = next((each for each in supported if each.value_ns is not None), None)
    opening = f"At {_load(cell)} the slowest of {figures.count:,} {plural(figures.operation)} took"
    slowest = f"{opening} {format_latency(figures.latency_ns_max)}"
    if known is None or known.value_ns is None:
        return f"{slowest}; there are too few samples for a tail percentile."
    return f"{slowest}, and {percent_label(known.percent)} is {format_latency(known.value_ns)}."


def _matrix(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    rate_cell, rate = max(pairs, key=lambda pair: pair[1].iops.mean)
    width_cell, width = max(pairs, key=lambda pair: pair[1].bytes_per_s.mean)
    # A latency with the wait before a full queue in it is not set against one without.
    closed = [pair for pair in pairs if not pair[0].workload.is_open_loop]
    kept = [pair for pair in pairs if not pair[1].saturated]
    quick_cell, quick = min(closed or kept or pairs, key=lambda pair: pair[1].latency_ns_mean.mean)
    return (
        f"{len(pairs)} cells: the highest rate is {format_iops(rate.iops.mean)} IOPS ({_with_depth(rate_cell)}), the "
        f"highest bandwidth {format_bandwidth(width.bytes_per_s.mean)} ({_with_depth(width_cell)}), the lowest mean "
        f"{_latency_word(quick_cell)} {format_latency(quick.latency_ns_mean.mean)} ({_with_depth(quick_cell)})."
    )


def _with_depth(cell: CellEstimate) -> str:
    return f"{workload_label(cell.workload)} at {_load(cell)}"


def _latency_word(cell: CellEstimate) -> str:
    return "response" if cell.latency_kind is LatencyKind.RESPONSE else "latency"


def _load(cell: CellEstimate) -> str:
    return load_label(cell.workload) if cell.workload.is_open_loop else cell_depth_label(cell)


def _anything(pairs: Sequence[Pair]) -> str:
    parts = [
        f"{_with_depth(cell)}: {format_iops(figures.iops.mean)} IOPS, "
        f"mean {_latency_word(cell)} {'at least ' if figures.saturated else ''}"
        f"{format_latency(figures.latency_ns_mean.mean)}."
        for cell, figures in pairs
    ]
    return " ".join(parts)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _depths(cells: Sequence[CellEstimate]) -> str:
    labels = dict.fromkeys(cell_depth_label(cell) for cell in sorted(cells, key=lambda cell: cell.queue_depth_asked))
    return " and ".join(labels)


_WRITERS: dict[Experiment, Callable[[Sequence[Pair]], str]] = {
    Experiment.BASELINE: _baseline,
    Experiment.BLOCK_SIZE: _block_size,
    Experiment.MIX: _mix,
    Experiment.QUEUE_DEPTH: _queue_depth,
    Experiment.TAIL: _tail,
    Experiment.MATRIX: _matrix,
}
