"""Converts estimates to chart rows: one dictionary per point, with units in the names."""

from collections.abc import Sequence

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.charts.figure import Row
from iosonde.charts.quantities import BANDWIDTH_UNIT, LatencyUnit, latency_unit, with_interval
from iosonde.units import MEGABYTE

Point = tuple[CellEstimate, OperationEstimate]


def unit_of(points: Sequence[Point]) -> LatencyUnit:
    """The common unit of latency for all points of a chart."""
    return latency_unit(figures.latency_ns_mean.mean for _, figures in points)


def row_of(point: Point, series: str, unit: LatencyUnit) -> Row:
    """The values of one point: means over repeats, their intervals as text, and the fields of the tooltip."""
    cell, figures = point
    achieved, device = cell.queue_depth_achieved, cell.queue_depth_device
    return {
        "cell": cell.cell,
        "series": series,
        "drawn_operation": figures.operation,
        "queue_depth_asked": cell.queue_depth_asked,
        "queue_depth_achieved": None if achieved is None else round(achieved.mean, 3),
        "queue_depth_device": None if device is None else round(device.mean, 3),
        "queue_depth_kept": None if cell.queue_depth_kept is None else round(cell.queue_depth_kept, 3),
        "block_size_bytes": cell.workload.block_size_bytes,
        "block_size": cell.workload.size_text,
        "read_percent": cell.workload.read_percent,
        "repeats": figures.iops.repeats,
        "iops": figures.iops.mean,
        "drawn_iops": with_interval(figures.iops),
        "bandwidth_mb_per_s": figures.bytes_per_s.mean / MEGABYTE,
        "drawn_bandwidth": f"{with_interval(figures.bytes_per_s, 1 / MEGABYTE)} {BANDWIDTH_UNIT}",
        unit.field: figures.latency_ns_mean.mean / unit.ns,
        "drawn_latency": f"{with_interval(figures.latency_ns_mean, 1 / unit.ns)} {unit.name}",
    }


def interval_ends(estimate: Estimate, floor: float, factor: float = 1.0) -> Row:
    """The ends of an error bar, for the 95 % interval and for the deviation. Without either, both ends are the mean.

    A bar that extends below ``floor`` is cut there: a log axis could not draw it otherwise. ``factor`` converts units.
    """
    low = estimate.mean if estimate.low is None else estimate.low
    high = estimate.mean if estimate.high is None else estimate.high
    deviation = estimate.standard_deviation or 0.0
    return {
        "low": low * factor,
        "high": high * factor,
        "deviation_low": (estimate.mean - deviation) * factor,
        "deviation_high": (estimate.mean + deviation) * factor,
        "drawn_low": max(low * factor, floor),
        "drawn_deviation_low": max((estimate.mean - deviation) * factor, floor),
        "drawn_cut": low * factor < floor,
        "drawn_without": estimate.low is None,
    }


def bars_text(rows: Sequence[Row]) -> str:
    """A sentence without a full stop on what the error bars are, with the number of repeats."""
    counts = sorted({row["repeats"] for row in rows})
    if not counts:
        return "No repeats have results"
    number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if number == "1":
        return "A single repeat has no error bar"
    cut = "; a triangle marks a bar that extends below the axis" if any(row.get("drawn_cut") for row in rows) else ""
    without = sum(bool(row.get("drawn_without")) for row in rows)
    none = f"; {without} of {len(rows)} points have none" if without else ""
    return f"Error bars are 95 % confidence intervals for the mean over n = {number} repeats{none}{cut}"


def latency_ends(points: Sequence[Point], unit: LatencyUnit) -> list[Row]:
    """The error bars of the mean latencies, cut at the beginning of the logarithmic axis."""
    lowest = min((figures.latency_ns_mean.mean for _, figures in points), default=unit.ns) / unit.ns
    return [interval_ends(figures.latency_ns_mean, lowest / FLOOR_BELOW, 1 / unit.ns) for _, figures in points]


FLOOR_BELOW = 2.0
"""Error bars are cut at the lowest mean divided by this factor, which limits how low a log axis begins."""
