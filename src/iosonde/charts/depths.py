"""The queue-depth sweep: IOPS and latency against depth, asked and achieved."""

from collections.abc import Sequence

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import iops_from_zero, lines_with_intervals, log_latency
from iosonde.charts.points import interval_ends, latency_ends, pure_points, row_of, unit_of
from iosonde.charts.quantities import IOPS_BASE
from iosonde.charts.theme import READ, WRITE, colour, layered

SERIES = (READ, WRITE)
_ACHIEVED = (
    "the mark stands at the depth asked, the open circle at the depth achieved; bars are 95 % intervals over repeats."
)


def queue_depth_iops(cells: Sequence[CellEstimate]) -> Figure:
    """IOPS against asked depth, with an open circle at the achieved depth."""
    points = pure_points(cells)
    unit = unit_of(points)
    rows = [row_of(point, str(point[1].operation), unit) | interval_ends(point[1].iops, 0.0) for point in points]
    caption = f"IOPS ({IOPS_BASE}) against queue depth: {_ACHIEVED}"
    chart = layered(_layers(rows, iops_from_zero()), rows, caption) if rows else None
    return Figure("queue-depth-iops", "Queue depth and IOPS", caption, chart, tuple(rows), left_out(cells, rows))


def queue_depth_latency(cells: Sequence[CellEstimate]) -> Figure:
    """Mean latency against asked depth, with an open circle at the achieved depth."""
    points = pure_points(cells)
    unit = unit_of(points)
    ends = latency_ends(points, unit)
    rows = [row_of(point, str(point[1].operation), unit) | end for point, end in zip(points, ends, strict=True)]
    caption = f"Mean service latency ({unit.name}) against queue depth: {_ACHIEVED}"
    chart = layered(_layers(rows, log_latency(rows, unit)), rows, caption) if rows else None
    return Figure("queue-depth-latency", "Queue depth and latency", caption, chart, tuple(rows), left_out(cells, rows))


def _layers(rows: Sequence[Row], y: alt.Y) -> list[alt.Chart]:
    depths = sorted({row["queue_depth_asked"] for row in rows})
    lowest = min([depths[0], *(row["queue_depth_achieved"] or depths[0] for row in rows)])
    x = alt.X(
        "queue_depth_asked:Q",
        title="Queue depth (in flight), log scale",
        scale=alt.Scale(type="log", base=2, domain=[lowest / 1.2, depths[-1] * 1.2], nice=False),
        axis=alt.Axis(values=depths, format="d", grid=False, labelOverlap="parity"),
    )
    achieved = alt.X("queue_depth_achieved:Q", title=x["title"])
    chart, coloured = alt.Chart(), colour(SERIES)
    return [
        chart.mark_rule(strokeWidth=1, strokeDash=[2, 2]).encode(
            x=achieved, x2=alt.X2("queue_depth_asked:Q"), y=y, color=coloured
        ),
        chart.mark_point(size=130, filled=False, strokeWidth=1.2, shape="circle").encode(
            x=achieved, y=y, color=coloured
        ),
        *lines_with_intervals(x, y, SERIES),
    ]
