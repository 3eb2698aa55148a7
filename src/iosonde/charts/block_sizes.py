"""The block-size sweep: IOPS, bandwidth and latency by block size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.families import Along
from iosonde.charts.axes import LABEL_GAP_PX, iops_axis, log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.end_labels import named_ends
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import lines_with_intervals
from iosonde.charts.panels import Panel, panels_of
from iosonde.charts.points import FLOOR_BELOW, bars_text, interval_ends, row_of, unit_of
from iosonde.charts.quantities import (
    BANDWIDTH_BASE,
    BANDWIDTH_UNIT,
    IOPS_BASE,
    MEGABYTE,
    MICROSECOND,
    LatencyUnit,
)
from iosonde.charts.theme import Series, layered

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
    )
    return _figure(panel, view)


def _rows(panel: Panel, view: _View) -> list[Row]:
    means = (view.estimate(figures).mean * view.factor for _, (_, figures) in panel.points)
    lowest = min((mean for mean in means if mean > 0), default=1.0)
    return [
        row_of(point, line.name, view.unit)
        | interval_ends(view.estimate(point[1]), lowest / FLOOR_BELOW, view.factor)
        | {"drawn_at_bytes": point[0].workload.bytes_per_operation}
        for line, point in panel.points
    ]


def _figure(panel: Panel, view: _View) -> Figure:
    rows = _rows(panel, view)
    depths = sorted({cell.queue_depth_asked for cell in panel.cells})
    caption = (
        f"{view.quantity} by block size at requested queue depth {', '.join(map(str, depths))}. {bars_text(rows)}."
    )
    if any(cell.workload.block_sizes is not None for cell in panel.cells):
        caption += " A mix of block sizes is plotted at its mean block size."
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
    return ends.rows, [*lines_with_intervals(ends.x, y, ends.series), *ends.layers]
