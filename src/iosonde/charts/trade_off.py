"""Throughput against latency in queue-depth sweeps, with the knee of each sweep."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log10
from typing import Any, Final, Literal

import altair as alt

from iosonde.analysis.experiments import DepthSweep
from iosonde.analysis.families import Along
from iosonde.analysis.knee import Knee
from iosonde.charts.axes import iops_axis, log_mean_latency
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import lines_with_intervals, ring_layer
from iosonde.charts.names import names_of
from iosonde.charts.panels import LINES_MAX, Line, Panel, series_of
from iosonde.charts.points import Point, bars_text, interval_ends, latency_ends, row_of, unit_of
from iosonde.charts.quantities import IOPS_BASE, LatencyUnit, significant
from iosonde.charts.theme import Series, colour, layered, text_colour

LABEL_APART = 0.045
"""The least distance of labels on a line, as a share of the chart: 12 of the 260 pixels on a phone, 1.5 digits."""

LINES_LABELLED_IN_FULL = 2
LABELS_OF_LINES_APART = 0.16
"""The least distance of labels if there are more lines. Then even labels with the word *knee* do not overlap."""

LABEL_ROOM = 1.18
"""The end of the IOPS axis, as a multiple of the highest value: room for the labels of the largest depths."""

LEFT_ROOM = 0.3
"""A line that ends below this share of the IOPS axis has no room on its left for the label of the knee on a phone."""

_KNEE_LABELS = {"right": "{}\nknee"}
"""The label of the knee: in two lines near the edge of the chart, else in one."""

_SIDES: Mapping[str, tuple[Literal["left", "center", "right"], Literal["top", "middle", "bottom"], int, int]] = {
    "above": ("center", "bottom", 0, -9),
    "below": ("center", "top", 0, 10),
    "right": ("left", "top", 13, 2),
    "left": ("right", "bottom", -13, -1),
}
_NO_SIDE = "none"


def throughput_latency(sweeps: Sequence[DepthSweep]) -> tuple[Figure, ...]:
    """Mean latency against IOPS. Points have their depth as a label, knees have a ring. A mix is one line."""
    named = list(zip(names_of(sweeps, Along.DEPTH), sweeps, strict=True))
    parts = [named[first : first + LINES_MAX] for first in range(0, len(named), LINES_MAX)]
    return tuple(_figure(part, number, len(parts)) for number, part in enumerate(parts, start=1))


def _figure(named: Sequence[tuple[str, DepthSweep]], number: int, of: int) -> Figure:
    panel = Panel(
        tuple(
            Line(series, sweep.whole, sweep.cells, is_whole=True)
            for (_, sweep), series in zip(named, series_of(named), strict=True)
        ),
        suffix="" if number == 1 else f"-{number}",
        subject="" if of == 1 else f", {number} of {of}",
        note="Each mix is shown with all operations combined." if any(sweep.is_mix for _, sweep in named) else "",
    )
    knees = {name: sweep.knee for name, sweep in named}
    points = [point for _, point in panel.points]
    unit = unit_of(points)
    ends = latency_ends(points, unit)
    rows = [_row(line.name, point, unit, knees) | end for (line, point), end in zip(panel.points, ends, strict=True)]
    rows = _with_label_sides(rows, unit.field)
    caption = (
        f"Mean latency ({unit.name}) against IOPS ({IOPS_BASE}), one point per queue depth. "
        f"{bars_text(rows)}. A ring marks the knee (the median of three rules), if one is identifiable."
    )
    if len(named) <= LINES_LABELLED_IN_FULL:
        caption += "".join(_at_knee(name, knee) for name, knee in knees.items())
    return panel.figure(
        "throughput-latency",
        "Mean latency against IOPS",
        caption,
        rows,
        lambda said: layered(_layers(rows, unit, panel.series), rows, said),
    )


def _at_knee(name: str, knee: Knee) -> str:
    """Throughput and latency at the knee, relative to the depth with the highest throughput; empty without a knee."""
    if knee.point is None or knee.best is None or knee.throughput_share is None or knee.latency_share is None:
        return ""
    if knee.throughput_share == 1:
        return f" The knee of {name} (depth {knee.point.queue_depth}) is at the peak throughput."
    return (
        f" At the knee of {name} (depth {knee.point.queue_depth}), throughput is "
        f"{significant(100 * knee.throughput_share, 2)} % and mean latency "
        f"{significant(100 * knee.latency_share, 2)} % of the values at peak throughput "
        f"(depth {knee.best.queue_depth})."
    )


def _row(series: str, point: Point, unit: LatencyUnit, knees: Mapping[str, Knee]) -> Row:
    cell, figures = point
    depth = cell.queue_depth_asked
    knee = knees[series]
    at_knee = knee.point is not None and knee.point.queue_depth == depth
    across = interval_ends(figures.iops, 0.0)
    return row_of(point, series, unit) | {
        "iops_low": across["low"],
        "iops_high": across["high"],
        "iops_deviation_low": across["deviation_low"],
        "iops_deviation_high": across["deviation_high"],
        "drawn_iops_low": across["drawn_low"],
        "drawn_iops_deviation_low": across["drawn_deviation_low"],
        "knee": at_knee,
        "drawn_label": str(depth),
    }


def _layers(rows: Sequence[Row], unit: LatencyUnit, series: Sequence[Series]) -> list[alt.Chart]:
    title = f"IOPS ({IOPS_BASE})"
    most = max(row["iops_high"] for row in rows)
    x = alt.X(
        "iops:Q",
        title=title,
        scale=alt.Scale(domain=[0, most * LABEL_ROOM], nice=False),
        axis=iops_axis(tickCount=6),
    )
    y = log_mean_latency(rows, unit)
    chart = alt.Chart()
    across = (
        chart.transform_calculate(
            across_low="spread == 'deviation' ? datum.drawn_iops_deviation_low : datum.drawn_iops_low",
            across_high="spread == 'deviation' ? datum.iops_deviation_high : datum.iops_high",
        )
        .mark_rule(strokeWidth=2, opacity=0.6)
        .encode(x=alt.X("across_low:Q", title=title), x2=alt.X2("across_high:Q"), y=y, color=colour(series))
    )
    ring = ring_layer(chart, "datum.knee", x, y)
    # Connected by depth, not from left to right: beyond saturation, throughput often decreases again.
    lines = lines_with_intervals(x, y, series, order="queue_depth_asked")
    return [*lines, across, ring, *_labels(chart, x, y, series)]


_EDGE: Final[dict[str, Any]] = {"color": "white", "stroke": "white", "strokeWidth": 4, "strokeJoin": "round"}
_PLAIN: Final[dict[str, Any]] = {}


def _labels(chart: alt.Chart, x: alt.X, y: alt.Y, series: Sequence[Series]) -> list[alt.Chart]:
    """The depth beside each point, in one layer per side, because Vega-Lite sets the alignment per layer.

    Each label is drawn twice, first as a white outline, so that error bars do not cross it.
    """
    return [
        chart.transform_filter(f"datum.drawn_side == '{side}'")
        .mark_text(align=align, baseline=baseline, dx=dx, dy=dy, fontSize=12, fontWeight=600, lineBreak="\n", **edge)
        .encode(x=x, y=y, text=alt.Text("drawn_label:N"), **({} if edge else {"color": text_colour(series)}))
        for side, (align, baseline, dx, dy) in _SIDES.items()
        for edge in (_EDGE, _PLAIN)
    ]


def _with_label_sides(rows: Sequence[Row], latency_field: str) -> list[Row]:
    """The rows with the side of each label: above or below the flat part of a line, right or left of its steep part.

    A point too close to the last labelled one has no label: two adjacent numbers would read as one.
    """
    if not rows:
        return []
    widest = max(row["iops"] for row in rows)
    # A latency below 1 ns is 0: it is drawn at the beginning of the logarithmic axis.
    least = min((row[latency_field] for row in rows if row[latency_field] > 0), default=1.0)

    def height(row: Row) -> float:
        return log10(max(row[latency_field], least) / least)

    span = max(map(height, rows)) or 1.0

    def moves(first: Row, second: Row) -> tuple[float, float]:
        """The horizontal distance of two points, and the rise to the second one, as shares of the chart."""
        rise = (height(second) - height(first)) / span
        return abs(second["iops"] - first["iops"]) / widest, rise

    sided = []
    for name, (flat_side, steep_side) in _sides(rows, latency_field).items():
        line = [row for row in rows if row["series"] == name]
        # A label on the left fits only if the line rises to its point; on the right also if it rises from the point.
        ahead = 2 if steep_side == "right" else 1
        labelled: Row | None = None
        for index, row in enumerate(line):
            if labelled is not None and not row["knee"] and max(map(abs, moves(labelled, row))) < LABEL_APART:
                sided.append(row | {"drawn_side": _NO_SIDE})
                continue
            labelled = row
            nearby = pairwise(line[max(index - 1, 0) : index + ahead])
            side = steep_side if any(rise > run for run, rise in (moves(*pair) for pair in nearby)) else flat_side
            label = _KNEE_LABELS.get(side, "knee {}").format(row["drawn_label"]) if row["knee"] else row["drawn_label"]
            sided.append(row | {"drawn_side": side, "drawn_label": label})
    return _thinned(sided, moves) if len({row["series"] for row in rows}) > LINES_LABELLED_IN_FULL else sided


def _thinned(rows: Sequence[Row], moves: Callable[[Row, Row], tuple[float, float]]) -> list[Row]:
    """Keeps one of several overlapping labels: a knee first, then the largest depth of a line, then the first one."""
    last = {row["series"]: row["queue_depth_asked"] for row in rows}
    order = sorted(rows, key=lambda row: (not row["knee"], row["queue_depth_asked"] != last[row["series"]]))
    kept: list[Row] = []
    for row in order:
        free = all(max(map(abs, moves(row, other))) >= LABELS_OF_LINES_APART for other in kept)
        if row["drawn_side"] != _NO_SIDE and free:
            kept.append(row)
    return [row if any(row is each for each in kept) else row | {"drawn_side": _NO_SIDE} for row in rows]


def _sides(rows: Sequence[Row], latency_field: str) -> dict[str, tuple[str, str]]:
    """The label sides of each series, for its flat part and its steep part. They point away from the other series.

    Flat part: above for the series with the highest latency at its first depth, below for others. Steep part: right
    for the series with the highest IOPS, left for others, or right if the label would overlap the axis.
    """
    first = {name: next(row for row in rows if row["series"] == name) for name in {row["series"]: None for row in rows}}
    most = {name: max(row["iops"] for row in rows if row["series"] == name) for name in first}
    slowest = max(first, key=lambda name: first[name][latency_field])
    widest = max(most, key=lambda name: most[name])
    return {
        name: (
            "above" if name == slowest else "below",
            "right" if name == widest or most[name] < LEFT_ROOM * most[widest] else "left",
        )
        for name in first
    }
