"""The zero-queue baseline: the median and the tail of each cell at depth 1."""

from collections.abc import Sequence

import altair as alt

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.charts.axes import log_latency
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.points import unit_of
from iosonde.charts.quantities import LatencyUnit, direction_label, load_label, significant
from iosonde.charts.theme import INK_SOFT, Series, colour, layered, shape
from iosonde.records import Sync, Workload

_POINTS = (
    (50.0, Series("p50", "#0072B2", "circle")),
    (99.0, Series("p99", "#E69F00", "square")),
    (99.9, Series("p99.9", "#D55E00", "diamond")),
)
_ROW_HEIGHT = 46


def baseline_percentiles(cells: Sequence[CellEstimate]) -> Figure:
    """Median, p99 and p99.9 of each baseline cell as dots on one logarithmic latency axis."""
    points = [(cell, figures) for cell in cells if (figures := cell.subject) is not None]
    unit = unit_of(points)
    rows = [row for cell, figures in points for row in _rows(cell, figures, unit)]
    caption = (
        f"Service latency ({unit.name}) at depth 1, all repeats added up; a percentile with fewer than 10 samples "
        "beyond it is not drawn."
    )
    title = "Latency without a queue"
    if not rows:
        return Figure("baseline-percentiles", title, caption, None, (), left_out(cells, rows))
    chart = layered(_layers(rows, unit), rows, caption, height=_ROW_HEIGHT * len(points))
    return Figure("baseline-percentiles", title, caption, chart, tuple(rows), left_out(cells, rows))


def _rows(cell: CellEstimate, figures: OperationEstimate, unit: LatencyUnit) -> list[Row]:
    known = [
        (series, value_ns)
        for percent, series in _POINTS
        if (value_ns := figures.percentile(percent).value_ns) is not None
    ]
    return [
        {
            "cell": cell.cell,
            "name": _name(cell.workload),
            "series": series.name,
            f"latency_{unit.name}": value_ns / unit.ns,
            "drawn_latency": f"{significant(value_ns / unit.ns)} {unit.name}",
            "samples": figures.count,
        }
        for series, value_ns in known
    ]


def _name(workload: Workload) -> str:
    """Two lines, parted by a bar, so that the axis leaves room for the figures on a phone."""
    size = workload.size_text
    if workload.sync is Sync.FDATASYNC:
        return f"write + fdatasync|{size} {workload.pattern}"
    if workload.sync is Sync.DSYNC:
        return f"O_DSYNC write|{size} {workload.pattern}"
    load = "" if workload.operations_in_flight == 1 else f", {load_label(workload)}"
    return f"{workload.pattern} {direction_label(workload)}|{size}{load}"


def _layers(rows: Sequence[Row], unit: LatencyUnit) -> list[alt.Chart]:
    field = f"latency_{unit.name}"
    series = [each for _, each in _POINTS]
    x = alt.X(**log_latency(rows, unit, labelOverlap="greedy"))
    y = alt.Y(
        "name:N",
        title=None,
        sort=list(dict.fromkeys(row["name"] for row in rows)),
        axis=alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=140, labelLineHeight=14, grid=True),
    )
    chart = alt.Chart()
    told = tooltip(name="workload", series="percentile", drawn_latency="latency", samples="samples", cell="cell")
    return [
        chart.mark_rule(strokeWidth=2, color=INK_SOFT, opacity=0.5).encode(
            x=alt.X(f"min({field}):Q", title=x["title"]), x2=alt.X2(f"max({field}):Q"), y=y
        ),
        named_rows(
            chart.mark_point(size=110, filled=True, opacity=1).encode(
                x=x, y=y, color=colour(series), shape=shape(series), tooltip=told
            )
        ),
    ]
