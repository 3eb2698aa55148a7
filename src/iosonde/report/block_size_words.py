"""What a sweep over block sizes shows, in words and as a table: its regions and its latency model."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.block_sizes import (
    FIT_SIZES_MIN,
    NEAR_BEST,
    RESIDUAL_MAX,
    Bounded,
    LatencyModel,
    Regions,
    Saturation,
    SizeSweep,
    size_sweeps,
)
from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple, multiple_of
from iosonde.analysis.families import Along
from iosonde.charts.names import names_of
from iosonde.charts.quantities import BANDWIDTH_UNIT, MICROSECOND, cell_depth_label, significant
from iosonde.charts.ratio_texts import times_text
from iosonde.printing import capital
from iosonde.report.dashes import Dash
from iosonde.report.parentheses import with_note
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import MEGABYTE, format_bandwidth, format_latency, format_percent, format_size

TOLD_IN_FULL_MAX: Final = 2
"""The most sweeps whose latency model is in a sentence. The table has it for all of them."""

TOLD_MAX: Final = 4
"""The most sweeps with a sentence. The table has all of them."""

FEW_SIZES: Final = f"the model needs at least {FIT_SIZES_MIN} block sizes"
STILL_GROWING: Final = "bandwidth is still increasing at the largest block size"
ONE_SIZE: Final = "at most one block size is in this region"
POOR_FIT: Final = f"the fit is off by more than {RESIDUAL_MAX:.0%} at some block size".replace("%", " %")
NO_SLOPE: Final = "no rate can be determined: the confidence interval of the slope includes 0"
NO_FIXED: Final = "the fixed cost is not distinguishable from 0"
SINGLE_REPEAT: Final = "not every block size has two repeats"
RATE_NOTE: Final = (
    "The rate is that of a single operation. At a queue depth above 1, several operations transfer data at the same "
    "time, so the bandwidth of the target is higher."
)


def block_size_sentences(cells: Sequence[CellEstimate]) -> list[str]:
    """The regions of each sweep and, for a few sweeps, their latency models. The table has the rest."""
    sweeps = _named_sweeps(cells)
    in_full = len(sweeps) <= TOLD_IN_FULL_MAX
    told = [
        f"{capital(name)} at {cell_depth_label(sweep.cells[0])}: {_regions(sweep, found)}. "
        f"{f'{_model(sweep.model)} {_choice(sweep, found)}' if in_full else ''}".rstrip()
        for name, sweep, found in sweeps
    ]
    more = len(told) - TOLD_MAX
    rest = [f"See the table for the regions of {more} more."] if more > 0 else []
    return [*told[:TOLD_MAX], *rest]


def _named_sweeps(cells: Sequence[CellEstimate]) -> list[tuple[str, SizeSweep, Regions]]:
    sweeps = [(sweep, found) for sweep in size_sweeps(cells) if (found := sweep.regions) is not None]
    names = names_of([sweep for sweep, _ in sweeps], Along.BLOCK_SIZE)
    return [(name, *each) for name, each in zip(names, sweeps, strict=True)]


def _regions(sweep: SizeSweep, found: Regions) -> str:
    parts = []
    if found.saturation is None:
        grown = format_percent(found.growth_share)
        (_, before), (_, last) = sweep.points[-2:]
        growth = multiple_of(last.bytes_per_s, before.bytes_per_s)
        doubt = "" if growth.ratio is None or growth.ratio.differs else ", which is not significant"
        parts.append(f"bandwidth is still increasing at the largest block size (by {grown} over the last step{doubt})")
    else:
        parts.append(_reached(found.saturation))
    if found.iops_bound is not None:
        parts.append(f"IOPS-bound at {_span(found.iops_bound)}")
    if found.bandwidth_bound is not None:
        parts.append(f"bandwidth-bound at {_span(found.bandwidth_bound)}")
    return "; ".join(parts)


def _reached(found: Saturation) -> str:
    near = f"{format_percent(NEAR_BEST)} of the best bandwidth"
    if found.fallen is None:
        return f"{near} from {_saturated(found)} on"
    size, share = found.fallen
    return f"{near} first at {_saturated(found)}, but only {format_percent(share)} at {format_size(size)}"


def _saturated(found: Saturation) -> str:
    size = format_size(found.size_bytes)
    if found.low_bytes is None or found.high_bytes is None:
        return size
    return with_note(size, f"95 % CI {_span((found.low_bytes, found.high_bytes))}")


def _span(ends: tuple[int, int]) -> str:
    low, high = (format_size(each) for each in ends)
    return low if low == high else f"{low} to {high}"


def _model(model: LatencyModel | None) -> str:
    if model is None:
        return ""
    size, off = model.largest_residual
    at = f"{format_percent(off, signed=True)} at {format_size(size)}"
    if not model.ns_per_byte.is_positive:
        return "Mean latency does not follow a fixed cost plus size / rate: no rate can be determined."
    if not model.fits:
        return f"Mean latency does not follow a fixed cost plus size / rate: the largest error is {at}."
    rate = format_bandwidth(model.bytes_per_s.value)
    line = f"{format_latency(model.fixed_ns.value)} + size / {rate}" if model.fixed_ns.is_positive else f"size / {rate}"
    none = "" if model.fixed_ns.is_positive else "; a fixed cost is not measurable"
    return f"Mean latency fits {line}{none}; the largest error is {at}."


def _choice(sweep: SizeSweep, found: Regions) -> str:
    """What the smallest block size is good for, what the size with the best bandwidth is, and what that costs."""
    (small, first), *_, (largest, _) = sweep.points
    size = largest if found.saturation is None else found.saturation.size_bytes
    chosen = next(figures for each, figures in sweep.points if each == size)
    if size == small or not first.latency_ns_mean.mean or not first.bytes_per_s.mean:
        return ""
    wider = multiple_of(chosen.bytes_per_s, first.bytes_per_s)
    slower = multiple_of(chosen.latency_ns_mean, first.latency_ns_mean)
    return (
        f"A block of {format_size(small)} takes {format_latency(first.latency_ns_mean.mean)}; blocks of "
        f"{format_size(size)} move {_told(wider)} as many bytes per second and take {_told(slower)} as long."
    )


def _told(multiple: Multiple) -> str:
    is_certain = multiple.ratio is not None and multiple.ratio.differs
    return times_text(multiple) if is_certain else f"{times_text(multiple)} (not significant)"


def block_size_table(cells: Sequence[CellEstimate]) -> ResultTable | None:
    """Regions and latency model of each sweep; None if there is no sweep."""
    sweeps = _named_sweeps(cells)
    if not sweeps:
        return None
    lines = tuple(
        Line((name, str(sweep.cells[0].queue_depth_asked), *_region_texts(found), *_model_texts(sweep.model)))
        for name, sweep, found in sweeps
    )
    return ResultTable(
        caption=f"Regions of block size, and the latency model (mean latency = fixed cost + size / rate). A size is "
        f"IOPS-bound or bandwidth-bound if it reaches {format_percent(NEAR_BEST)} of the best IOPS or bandwidth.",
        heads=(
            Head("Operations", number=False),
            Head("QD", "requested"),
            Head("IOPS-bound", number=False),
            Head("95 % of best bandwidth", "first at"),
            Head("95 % CI", number=False),
            Head("Bandwidth-bound", number=False),
            Head("Fixed cost", f"{MICROSECOND.name}, 95 % CI"),
            Head("Rate", f"{BANDWIDTH_UNIT}, 95 % CI"),
            Head("Largest error", "%"),
            Head("Error at", "block size"),
        ),
        lines=lines,
        notes=(RATE_NOTE,),
    )


def _region_texts(found: Regions) -> tuple[str, str, str, str]:
    iops, bandwidth = (
        Dash(ONE_SIZE) if ends is None else _span(ends) for ends in (found.iops_bound, found.bandwidth_bound)
    )
    first = found.saturation
    if first is None:
        return iops, Dash(STILL_GROWING), Dash(STILL_GROWING), bandwidth
    low, high = first.low_bytes, first.high_bytes
    interval = Dash(SINGLE_REPEAT) if low is None or high is None else _span((low, high))
    return iops, format_size(first.size_bytes), interval, bandwidth


def _model_texts(model: LatencyModel | None) -> tuple[str, str, str, str]:
    if model is None:
        return (Dash(FEW_SIZES),) * 4
    size, off = model.largest_residual
    error = (f"{100 * off:+.0f}", format_size(size))
    if not model.fits:
        why = POOR_FIT if model.ns_per_byte.is_positive else NO_SLOPE
        return Dash(why), Dash(why), *error
    fixed = _bounded(model.fixed_ns, 1 / MICROSECOND.ns) if model.fixed_ns.is_positive else Dash(NO_FIXED)
    return fixed, _bounded(model.bytes_per_s, 1 / MEGABYTE), *error


def _bounded(found: Bounded, factor: float) -> str:
    value, low, high = (significant(each * factor, 3) for each in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"
