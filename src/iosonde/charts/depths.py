"""The queue-depth sweep: IOPS and latency by requested and achieved depth."""

from collections.abc import Sequence

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import Along
from iosonde.charts.axes import LABEL_GAP_PX, iops_from_zero, log_mean_latency
from iosonde.charts.end_labels import named_ends
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import DIP_TEXT, dip_cells, dip_layer, lines_with_intervals
from iosonde.charts.panels import Line, Panel, panels_of
from iosonde.charts.points import Point, bars_text, interval_ends, latency_ends, row_of, unit_of
from iosonde.charts.quantities import IOPS_BASE
from iosonde.charts.theme import Series, colour, layered
from iosonde.units import SECOND_NS

_MARKS = "Filled marks are at the requested depth, open circles at "


def _little(predicted: str, measured: str) -> str:
    return (
        f"The thin line shows the {predicted} predicted by Little's law from the requested depth and the measured "
        f"{measured}. A mark off the line means that the queue was not always full or that the repeats differ."
    )


def queue_depth_iops(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """IOPS by requested depth, with an open circle at the achieved depth."""
    return tuple(_iops(panel) for panel in panels_of(cells, Along.DEPTH))


def queue_depth_latency(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Mean latency by requested depth, with an open circle at the achieved depth."""
    return tuple(_latency(panel) for panel in panels_of(cells, Along.DEPTH))


def _iops(panel: Panel) -> Figure:
    points = panel.points
    unit = unit_of([point for _, point in points])
    dips = dip_cells(panel.cells, Along.DEPTH)
    rows = [
        row_of(point, line.name, unit)
        | interval_ends(point[1].iops, 0.0)
        | {"is_dip": line.is_whole and point[0].cell in dips}
        | {"iops_by_little": _by_little(line, point, point[1].latency_ns_mean.mean)}
        for line, point in points
    ]
    caption = f"IOPS ({IOPS_BASE}) by queue depth. {_marks(rows)}. {bars_text(rows)}. {_little('IOPS', 'mean latency')}"
    if any(row["is_dip"] for row in rows):
        caption += f" {DIP_TEXT}"
    rows, layers = _drawn(rows, iops_from_zero(rows), ("iops", "iops_by_little"), panel.series) if rows else (rows, [])
    return panel.figure(
        "queue-depth-iops", "IOPS by queue depth", caption, rows, lambda said: layered(layers, rows, said)
    )


def _latency(panel: Panel) -> Figure:
    points = panel.points
    unit = unit_of([point for _, point in points])
    ends = latency_ends([point for _, point in points], unit)
    rows = [
        row_of(point, line.name, unit)
        | end
        | {"latency_by_little": _by_little(line, point, point[1].iops.mean, 1 / unit.ns)}
        for (line, point), end in zip(points, ends, strict=True)
    ]
    caption = (
        f"Mean latency ({unit.name}) by queue depth. {_marks(rows)}. {bars_text(rows)}. {_little('latency', 'IOPS')}"
    )
    fields = (unit.field, "latency_by_little")
    rows, layers = _drawn(rows, log_mean_latency(rows, unit), fields, panel.series) if rows else (rows, [])
    return panel.figure(
        "queue-depth-latency", "Latency by queue depth", caption, rows, lambda said: layered(layers, rows, said)
    )


def _marks(rows: Sequence[Row]) -> str:
    """What the marks are. Runs of older versions have only the depth at the host, not the depth at the device."""
    return _MARKS + (
        "the achieved depth" if any(row["queue_depth_device"] is None for row in rows) else "the depth at the device"
    )


def _by_little(line: Line, point: Point, other: float, factor: float = 1.0) -> float | None:
    """One quantity by Little's law, from the requested depth and the ``other`` quantity.

    None for a single class of a mix, because the depth applies to all operations, and if ``other`` is 0.
    """
    return point[0].queue_depth_asked * SECOND_NS / other * factor if line.is_whole and other else None


def depth_axis(rows: Sequence[Row]) -> alt.X:
    """A logarithmic axis of requested depths. It begins at the lowest requested or achieved depth."""
    depths = sorted({row["queue_depth_asked"] for row in rows})
    lowest = min([depths[0], *(row["queue_depth_kept"] or depths[0] for row in rows)])
    return alt.X(
        "queue_depth_asked:Q",
        title="Queue depth (in flight), log scale",
        scale=alt.Scale(type="log", base=2, domain=[lowest / 1.2, depths[-1] * 1.2], nice=False),
        axis=alt.Axis(values=depths, format="d", grid=False, labelOverlap="parity", labelSeparation=LABEL_GAP_PX),
    )


def _drawn(
    rows: Sequence[Row], y: alt.Y, fields: tuple[str, str], series: Sequence[Series]
) -> tuple[list[Row], list[alt.Chart]]:
    """The rows and the layers. ``fields`` are the measured quantity and its value by Little's law."""
    up, by_little = fields
    ends = named_ends(rows, series, (depth_axis(rows), y), across="queue_depth_asked", up=up)
    x = ends.x
    kept = alt.X("queue_depth_kept:Q", title=x["title"])
    chart, coloured = alt.Chart(), colour(ends.series)
    return ends.rows, [
        chart.transform_filter(f"isValid(datum.{by_little})")
        .mark_line(strokeWidth=1, opacity=0.7, clip=True)
        .encode(x=x, y=alt.Y(f"{by_little}:Q", title=y["title"]), color=coloured),
        chart.mark_rule(strokeWidth=1, strokeDash=[2, 2]).encode(
            x=kept, x2=alt.X2("queue_depth_asked:Q"), y=y, color=coloured
        ),
        chart.mark_point(size=130, filled=False, strokeWidth=1.2, shape="circle").encode(x=kept, y=y, color=coloured),
        *lines_with_intervals(x, y, ends.series),
        *([dip_layer(chart, x, y)] if any(row.get("is_dip") for row in rows) else []),
        *ends.layers,
    ]
