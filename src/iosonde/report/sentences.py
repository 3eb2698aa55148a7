"""The answer of each experiment in one or two sentences, with numbers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, percent_label
from iosonde.analysis.missing_reasons import TOO_WIDE, why_no_mean_interval
from iosonde.analysis.ratios import spread_of
from iosonde.analysis.time_series import STRETCH_NS, moments_of
from iosonde.charts.quantities import (
    BANDWIDTH_UNIT,
    cell_depth_label,
    load_label,
    more_in_table,
    plural,
    significant,
    with_interval,
    workload_label,
)
from iosonde.charts.ratio_texts import ratio_ends
from iosonde.printing import capital
from iosonde.records import CellRecord, Experiment, LatencyKind
from iosonde.report.comparable import Comparables, Pair, Ranked, comparables_of, difference_text, ranked
from iosonde.report.parentheses import in_parentheses
from iosonde.report.validity import MARK, Invalid, left_out_text, see
from iosonde.units import MEGABYTE, format_bandwidth, format_duration, format_iops, format_latency

TAIL_PERCENTS = (99.99, 99.9, 99.0)
DEPTH_REACHED = 0.95
"""A point of a sweep that achieved this share of its requested depth is considered to have reached it."""
NEAR = 0.10
"""An interval is near the mean of its cell if it differs from it by at most this share."""

FAMILIES_MAX = 4
"""The most workloads with a sentence. The table below has the others."""

WITH_PAUSES = "All workloads have pauses, so throughput varies between the intervals by design."
NO_FIGURES = "No cell in this experiment has results."
NO_SUBJECT = "No cell in this experiment has commit results. The table shows writes and flushes separately."


def time_series_sentence(records: Sequence[CellRecord]) -> str:
    """How much throughput varies between the intervals of a cell. Cells with pauses vary by design and are left out."""
    steady = [record for record in records if not record.workload.has_pauses]
    moments = list(moments_of(steady, length_ns_min=STRETCH_NS))
    if not moments:
        return WITH_PAUSES if any(moments_of(records)) else "No finished trial has a time series."
    shares = [moment.share for moment in moments]
    joined = any(len(moment.intervals) > 1 for moment in moments)
    length = f" (about {format_duration(STRETCH_NS)} or longer)" if joined else ""
    near = sum(1 - NEAR <= share <= 1 + NEAR for share in shares) / len(shares)
    return (
        f"In {_percent(near)} of {len(shares):,} intervals{length}, throughput is within {_percent(NEAR)} of the cell "
        f"mean. In the slowest interval, it is {_percent(min(shares))} of the cell mean."
    )


def experiment_sentence(experiment: Experiment, estimates: RunEstimates, invalid: Invalid | None = None) -> str:
    """The answer of an experiment in words. Invalid cells are only named; if all are invalid, the answer is marked."""
    cells, invalid = estimates.of(experiment), invalid or {}
    writer = _WRITERS.get(experiment, _anything)
    pairs = [(cell, figures) for cell in cells if (figures := cell.subject) is not None]
    if pairs and all(cell.cell in invalid for cell, _ in pairs):
        return f"{MARK}, {see(invalid[pairs[0][0].cell])}: {writer(pairs)}"
    # A cell has no subject if the writes and flushes of its commits were timed separately.
    nothing = NO_SUBJECT if any(cell.operations for cell in cells) else NO_FIGURES
    said = writer([(cell, figures) for cell, figures in pairs if cell.cell not in invalid]) if pairs else nothing
    return " ".join(filter(None, (said or nothing, left_out_text((cell.cell for cell, _ in pairs), invalid))))


def _baseline(pairs: Sequence[Pair]) -> str:
    """The mean latency of each cell. The cells are not ranked, because they differ in several parameters."""
    parts = []
    timed = [(cell, figures) for cell, figures in pairs if not cell.workload.flushes_each]
    for (load, word), found in groupby(timed, lambda pair: (_load(pair[0]), _latency_word(pair[0]))):
        means = ", ".join(f"{workload_label(cell.workload)} {_mean(figures)}" for cell, figures in found)
        parts.append(f"Mean {word} at {load}: {means}.")
    parts += [_durable(cell, figures) for cell, figures in pairs if cell.workload.flushes_each]
    unsure = [
        workload_label(cell.workload) for cell, figures in pairs if why_no_mean_interval(figures.iops) == TOO_WIDE
    ]
    if unsure:
        parts.append(f"No confidence interval for {', '.join(unsure)}: {TOO_WIDE}.")
    return " ".join(parts)


def _durable(cell: CellEstimate, figures: OperationEstimate) -> str:
    return (
        f"A durable write {in_parentheses(_with_depth(cell))} takes {_mean(figures)} on average, including the flush "
        f"({with_interval(figures.iops)} commits/s)."
    )


def _mean(figures: OperationEstimate) -> str:
    return f"{'at least ' if figures.saturated else ''}{format_latency(figures.latency_ns_mean.mean)}"


def _block_size(pairs: Sequence[Pair]) -> str:
    return _of_groups([_sizes(group) for group in comparables_of(pairs, "size")])


def _sizes(group: Comparables) -> str:
    """The highest rate and the highest bandwidth over the block sizes of one workload."""
    rate = ranked(group, lambda figures: figures.iops)
    width = ranked(group, lambda figures: figures.bytes_per_s)
    best, widest = rate.pair[1].iops, width.pair[1].bytes_per_s
    return (
        f"{capital(group.label)}: highest measured rate {with_interval(best)} {_rate_unit(rate)}{_at(rate)}; highest "
        f"measured bandwidth {with_interval(widest, 1 / MEGABYTE)} {BANDWIDTH_UNIT}{_at(width)}."
    )


def _mix(pairs: Sequence[Pair]) -> str:
    return _of_groups([_shares(group) for group in comparables_of(pairs, "share")])


def _shares(group: Comparables) -> str:
    """The read shares with the highest and the lowest total rate, and the difference between them."""
    best, worst = (ranked(group, lambda figures: figures.iops, lowest=lowest) for lowest in (False, True))
    highest = f"{with_interval(best.pair[1].iops)} {_rate_unit(best)}{_at(best)}"
    said = f"{capital(group.label)}: highest measured total rate {highest}"
    if len(group.pairs) == 1:
        return f"{said}."
    whole = spread_of([figures.iops for _, figures in group.pairs])
    if whole is None:
        against = "no comparison because confidence intervals are missing"
    elif whole.differs:
        against = f"the highest is {difference_text(whole, 'the lowest')}"
    elif whole.is_undecided:
        against = f"too uncertain to compare the two (ratio {ratio_ends(whole)})"
    else:
        against = f"the highest and the lowest are not distinguishable (ratio {ratio_ends(whole)})"
    return f"{said}; lowest {with_interval(worst.pair[1].iops)} {_rate_unit(worst)} at {worst.name}; {against}."


def _at(found: Ranked) -> str:
    """The cell with an extreme value, and whether it differs significantly; empty if there is only one cell."""
    against = found.against_others
    return f" at {found.name}, {against}" if against else ""


def _rate_unit(found: Ranked) -> str:
    return _unit(found.pair[0])


def _unit(cell: CellEstimate) -> str:
    return "commits/s" if cell.workload.flushes_each else "IOPS"


def _of_groups(said: Sequence[str]) -> str:
    """The first ``FAMILIES_MAX`` sentences, and the number of workloads that only the table has."""
    rest = more_in_table(len(said) - FAMILIES_MAX, "workload", "workloads")
    return " ".join([*said[:FAMILIES_MAX], *rest])


def _queue_depth(pairs: Sequence[Pair]) -> str:
    """How much of the requested depth the points achieved. Other sentences have the knees."""
    reached = [
        (cell.queue_depth_kept / cell.queue_depth_asked, cell) for cell, _ in pairs if cell.queue_depth_kept is not None
    ]
    if not reached:
        return "The achieved queue depth was not recorded."
    share, cell = min(reached, key=lambda each: each[0])
    if share >= 1:
        return "Every point achieved the requested queue depth."
    if share >= DEPTH_REACHED:
        return f"Every point achieved at least {math.floor(share * 100)} % of the requested queue depth."
    return (
        f"Not every point achieved its requested queue depth. The lowest is {cell.cell}, with "
        f"{significant(share * cell.queue_depth_asked, 3)} of {cell.queue_depth_asked} operations in flight on average "
        f"({_percent(share)})."
    )


def _tail(pairs: Sequence[Pair]) -> str:
    return " ".join(_tail_of(cell, figures) for cell, figures in pairs)


def _tail_of(cell: CellEstimate, figures: OperationEstimate) -> str:
    if figures.saturated:
        return f"{_with_depth(cell)}: the arrival rate was not sustained, so tail percentiles are omitted."
    supported = (figures.percentile(percent) for percent in TAIL_PERCENTS)
    known = next((each for each in supported if each.value_ns is not None), None)
    opening = f"{_with_depth(cell)}: the slowest of {figures.count:,} {plural(figures.operation)} took"
    slowest = f"{opening} {format_latency(figures.latency_ns_max)}"
    if known is None or known.value_ns is None:
        return f"{slowest}; no tail percentile has at least {SAMPLES_BEYOND_MIN} samples above it."
    return f"{slowest}, and {percent_label(known.percent)} is {format_latency(known.value_ns)}."


def _matrix(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    said = [_extremes(group) for group in comparables_of(pairs, "size", "depth", "rate")]
    return f"{len(pairs)} cell{'' if len(pairs) == 1 else 's'}. {_of_groups(said)}"


def _extremes(group: Comparables) -> str:
    """The highest throughput and the lowest latency of one workload over its block sizes, depths and rates."""
    if len(group.pairs) == 1:
        return capital(_anything(group.pairs))
    parts = []
    if not group.pairs[0][0].workload.is_open_loop:
        rate = ranked(group, lambda figures: figures.iops)
        width = ranked(group, lambda figures: figures.bytes_per_s)
        parts.append(
            f"highest measured {format_iops(rate.pair[1].iops.mean)} {_rate_unit(rate)} {in_parentheses(rate.name)} "
            f"and {format_bandwidth(width.pair[1].bytes_per_s.mean)} {in_parentheses(width.name)}"
        )
    kept = replace(group, pairs=tuple(pair for pair in group.pairs if not pair[1].saturated))
    if kept.pairs:
        quick = ranked(kept, lambda figures: figures.latency_ns_mean, lowest=True)
        name, word = group.name(quick.pair[0]), _latency_word(quick.pair[0])
        parts.append(f"lowest mean {word} {_mean(quick.pair[1])} {in_parentheses(name)}")
    missed = len(group.pairs) - len(kept.pairs)
    if missed:
        parts.append(f"arrival rate not sustained in {missed} of {len(group.pairs)} cells")
    return f"{capital(group.label)}: {', '.join(parts)}."


def _with_depth(cell: CellEstimate) -> str:
    return f"{workload_label(cell.workload)} at {_load(cell)}"


def _latency_word(cell: CellEstimate) -> str:
    return "response time" if cell.latency_kind is LatencyKind.RESPONSE else "latency"


def _load(cell: CellEstimate) -> str:
    return load_label(cell.workload) if cell.workload.is_open_loop else cell_depth_label(cell)


def _anything(pairs: Sequence[Pair]) -> str:
    parts = [
        f"{_with_depth(cell)}: {format_iops(figures.iops.mean)} {_unit(cell)}, mean {_latency_word(cell)} "
        f"{_mean(figures)}."
        for cell, figures in pairs
    ]
    return " ".join(parts)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


_WRITERS: dict[Experiment, Callable[[Sequence[Pair]], str]] = {
    Experiment.BASELINE: _baseline,
    Experiment.BLOCK_SIZE: _block_size,
    Experiment.MIX: _mix,
    Experiment.QUEUE_DEPTH: _queue_depth,
    Experiment.TAIL: _tail,
    Experiment.MATRIX: _matrix,
}
