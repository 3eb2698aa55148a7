"""The read/write mix: directions apart and together, against the share of reads."""

from collections.abc import Sequence

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.axes import bandwidth_from_zero, iops_from_zero, log_mean_latency
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import lines_with_intervals
from iosonde.charts.points import Point, bars_text, interval_ends, latency_ends, row_of, unit_of
from iosonde.charts.quantities import BANDWIDTH_BASE, IOPS_BASE, MEGABYTE
from iosonde.charts.theme import ALL, READ, WRITE, Series, layered
from iosonde.records import Operation

TOOLTIP = (
    "series",
    "read_percent",
    "queue_depth_asked",
    "queue_depth_achieved",
    "drawn_iops",
    "drawn_latency",
    "repeats",
    "cell",
)


def mix_iops(cells: Sequence[CellEstimate]) -> Figure:
    """IOPS of reads, of writes, and of both together, against the share of reads."""
    # Both together first, so that they lie below the direction that they equal in a pure workload.
    points = _points(cells, (Operation.ALL, Operation.READ, Operation.WRITE))
    unit = unit_of(points)
    rows = [row_of(point, str(point[1].operation), unit) | interval_ends(point[1].iops, 0.0) for point in points]
    caption = f"IOPS ({IOPS_BASE}) against the asked share of reads; {bars_text(rows)}."
    chart = layered(_layers(rows, iops_from_zero(), (READ, WRITE, ALL)), rows, caption) if rows else None
    return Figure("mix-iops", "Mix and IOPS", caption, chart, tuple(rows), left_out(cells, rows))


def mix_bandwidth(cells: Sequence[CellEstimate]) -> Figure:
    """Bandwidth of reads, of writes, and of both together, against the share of reads."""
    points = _points(cells, (Operation.ALL, Operation.READ, Operation.WRITE))
    unit = unit_of(points)
    rows = [
        row_of(point, str(point[1].operation), unit) | interval_ends(point[1].bytes_per_s, 0.0, 1 / MEGABYTE)
        for point in points
    ]
    caption = f"Bandwidth ({BANDWIDTH_BASE}) against the asked share of reads; {bars_text(rows)}."
    chart = layered(_layers(rows, bandwidth_from_zero(), (READ, WRITE, ALL)), rows, caption) if rows else None
    return Figure("mix-bandwidth", "Mix and bandwidth", caption, chart, tuple(rows), left_out(cells, rows))


def mix_latency(cells: Sequence[CellEstimate]) -> Figure:
    """Mean service latency of each direction against the share of reads."""
    points = _points(cells, (Operation.READ, Operation.WRITE))
    unit = unit_of(points)
    ends = latency_ends(points, unit)
    rows = [row_of(point, str(point[1].operation), unit) | end for point, end in zip(points, ends, strict=True)]
    caption = (
        f"Mean service latency ({unit.name}) of each direction against the asked share of reads; {bars_text(rows)}."
    )
    chart = layered(_layers(rows, log_mean_latency(rows, unit), (READ, WRITE)), rows, caption) if rows else None
    return Figure("mix-latency", "Mix and latency", caption, chart, tuple(rows), left_out(cells, rows))


def _points(cells: Sequence[CellEstimate], operations: Sequence[Operation]) -> list[Point]:
    return [
        (cell, figures) for operation in operations for cell in cells if (figures := cell.of(operation)) is not None
    ]


def _layers(rows: Sequence[Row], y: alt.Y, series: Sequence[Series]) -> list[alt.Chart]:
    shares = sorted({row["read_percent"] for row in rows})
    x = alt.X(
        "read_percent:Q",
        title="Share of reads (% of operations asked)",
        scale=alt.Scale(domain=[-4, 104], nice=False),
        axis=alt.Axis(values=shares, grid=False),
    )
    return lines_with_intervals(x, y, series, fields=TOOLTIP)
