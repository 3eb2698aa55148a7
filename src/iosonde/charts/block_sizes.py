"""The block-size sweep: IOPS, bandwidth and latency by block size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt

from iosonde.analysis.block_sizes import NEAR_BEST, Regions, SizeSweep
from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.families import Along
from iosonde.charts.axes import LABEL_GAP_PX, iops_axis, log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.end_labels import named_ends
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import DIP_TEXT, dip_cells, dip_layer, lines_with_intervals, ring_layer
from iosonde.charts.panels import Line, Panel, panels_of
from iosonde.charts.points import FLOOR_BELOW, bars_text, interval_ends, row_of, unit_of
from iosonde.charts.quantities import BANDWIDTH_BASE, BANDWIDTH_UNIT, IOPS_BASE, MICROSECOND, LatencyUnit
from iosonde.charts.theme import Series, colour, layered
from iosonde.units import MEGABYTE, format_percent

_SIZE_LABEL = (
    "datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value + ' B'"
)


@dataclass(frozen=True)
class _View:
    """The quantity on the vertical axis of one of the three charts, and its texts.

    ``field`` is the field of the rows. ``factor`` converts from the estimate's base unit to the unit of the axis.
    """

    id: str
    title: str
    quantity: str
    field: str
    axis_title: str
    axis: Callable[..., alt.Axis]
    estimate: Callable[[OperationEstimate], Estimate]
    factor: float = 1.0
    unit: LatencyUnit = MICROSECOND
    ringed: Callable[[Regions], int | None] = lambda _: None
    ring_text: str = ""
    is_modelled: bool = False
    marks_dips: bool = False


def _iops_bound_up_to(found: Regions) -> int | None:
    return None if found.iops_bound is None else found.iops_bound[1]


def _saturated_from(found: Regions) -> int | None:
    return None if found.saturation is None else found.saturation.size_bytes


def block_size_iops(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """IOPS by block size, on logarithmic axes."""
    view = _View(
        id="block-size-iops",
        title="IOPS by block size",
        quantity=f"IOPS ({IOPS_BASE})",
        field="iops",
        axis_title=f"IOPS ({IOPS_BASE})",
        axis=iops_axis,
        estimate=lambda figures: figures.iops,
        ringed=_iops_bound_up_to,
        ring_text="the largest IOPS-bound block size",
    )
    return tuple(_figure(panel, view) for panel in panels_of(cells, Along.BLOCK_SIZE))


def block_size_bandwidth(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Bandwidth in MB/s (1,000,000 bytes/s) by block size, on logarithmic axes."""
    view = _View(
        id="block-size-bandwidth",
        title="Bandwidth by block size",
        quantity=f"Bandwidth ({BANDWIDTH_BASE})",
        field="bandwidth_mb_per_s",
        axis_title=f"Bandwidth ({BANDWIDTH_UNIT})",
        axis=number_axis,
        estimate=lambda figures: figures.bytes_per_s,
        factor=1 / MEGABYTE,
        ringed=_saturated_from,
        marks_dips=True,
        ring_text=f"the smallest block size with {format_percent(NEAR_BEST)} of the best bandwidth",
    )
    return tuple(_figure(panel, view) for panel in panels_of(cells, Along.BLOCK_SIZE))


def block_size_latency(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Mean latency by block size, on logarithmic axes."""
    return tuple(_latency(panel) for panel in panels_of(cells, Along.BLOCK_SIZE))


def _latency(panel: Panel) -> Figure:
    unit = unit_of([point for _, point in panel.points])
    view = _View(
        id="block-size-latency",
        title="Latency by block size",
        quantity=f"Mean latency ({unit.name})",
        field=unit.field,
        axis_title=f"Mean latency ({unit.name})",
        axis=number_axis,
        estimate=lambda figures: figures.latency_ns_mean,
        factor=1 / unit.ns,
        unit=unit,
        is_modelled=True,
    )
    return _figure(panel, view)


def _rows(panel: Panel, view: _View) -> list[Row]:
    sweeps = {line.name: SizeSweep(line.cells) for line in panel.lines if line.is_whole and _is_sweep(line)}
    means = (view.estimate(figures).mean * view.factor for _, (_, figures) in panel.points)
    dips = dip_cells(panel.cells, Along.BLOCK_SIZE) if view.marks_dips else frozenset()
    lowest = min((mean for mean in means if mean > 0), default=1.0)
    return [
        row_of(point, line.name, view.unit)
        | interval_ends(view.estimate(point[1]), lowest / FLOOR_BELOW, view.factor)
        | {"drawn_at_bytes": point[0].workload.bytes_per_operation}
        | _marks(point[0], sweeps.get(line.name), view)
        | {"is_dip": line.is_whole and point[0].cell in dips}
        for line, point in panel.points
    ]


def _is_sweep(line: Line) -> bool:
    """Whether its points are a sweep of a closed loop over single block sizes."""
    return not any(cell.workload.is_open_loop or cell.workload.block_sizes is not None for cell in line.cells)


def _marks(cell: CellEstimate, sweep: SizeSweep | None, view: _View) -> Row:
    """Whether a point has a ring, and the latency model at its block size (None where there is none)."""
    size = cell.workload.bytes_per_operation
    regions, model = (None, None) if sweep is None else (sweep.regions, sweep.model)
    fitted = None
    if view.is_modelled and model is not None and model.fits:
        fitted = (model.fixed_ns.value + model.ns_per_byte.value * size) * view.factor
    ringed = None if regions is None else view.ringed(regions)
    return {"ringed": ringed is not None and ringed == size, "latency_by_model": fitted}


def _figure(panel: Panel, view: _View) -> Figure:
    rows = _rows(panel, view)
    depths = sorted({cell.queue_depth_asked for cell in panel.cells})
    caption = (
        f"{view.quantity} by block size at requested queue depth {', '.join(map(str, depths))}. {bars_text(rows)}."
    )
    if any(cell.workload.block_sizes is not None for cell in panel.cells):
        caption += " A mix of block sizes is plotted at its mean block size."
    if any(row["ringed"] for row in rows):
        caption += f" A ring marks {view.ring_text}."
    if any(row["is_dip"] for row in rows):
        caption += f" {DIP_TEXT}"
    if any(row["latency_by_model"] for row in rows):
        caption += " Where it fits, a thin line shows the latency model (fixed cost + size / rate)."
    rows, layers = _drawn(rows, view, panel.series) if rows else (rows, [])
    return panel.figure(view.id, view.title, caption, rows, lambda said: layered(layers, rows, said))


def _drawn(rows: Sequence[Row], view: _View, series: Sequence[Series]) -> tuple[list[Row], list[alt.Chart]]:
    sizes = sorted({row["drawn_at_bytes"] for row in rows})
    domain = log_domain(row[end] for row in rows for end in (view.field, "drawn_low", "high"))
    x = alt.X(
        "drawn_at_bytes:Q",
        title="Block size (1 KiB = 1024 B), log scale",
        scale=alt.Scale(type="log", base=2, domain=[sizes[0] / 1.2, sizes[-1] * 1.2], nice=False),
        axis=alt.Axis(
            values=sizes, labelExpr=_SIZE_LABEL, labelOverlap="parity", labelSeparation=LABEL_GAP_PX, grid=False
        ),
    )
    y = alt.Y(**log_scaled(view.field, view.axis_title, domain, view.axis(values=log_ticks(domain))))
    ends = named_ends(rows, series, (x, y), across="drawn_at_bytes", up=view.field)
    chart = alt.Chart()
    model = (
        chart.transform_filter("isValid(datum.latency_by_model)")
        .mark_line(strokeWidth=1, opacity=0.7, clip=True)
        .encode(x=ends.x, y=alt.Y("latency_by_model:Q", title=y["title"]), color=colour(ends.series))
    )
    modelled = [model] if any(row["latency_by_model"] for row in rows) else []
    rings = [ring_layer(chart, "datum.ringed", ends.x, y)] if any(row["ringed"] for row in rows) else []
    rings += [dip_layer(chart, ends.x, y)] if any(row["is_dip"] for row in rows) else []
    return ends.rows, [*modelled, *lines_with_intervals(ends.x, y, ends.series), *rings, *ends.layers]
