"""Baseline latency (QD 1): the median and the tail of each cell at depth 1."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.families import drawn_classes
from iosonde.charts.axes import LABEL_GAP_PX, log_latency
from iosonde.charts.figure import NO_FIGURES, NO_PERCENTILES, Figure, Row, left_out
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.names import class_name
from iosonde.charts.points import unit_of
from iosonde.charts.quantities import SYNC_LABELS, LatencyUnit, direction_label, load_label, significant
from iosonde.charts.theme import INK_SOFT, Series, colour, layered, shape
from iosonde.records import Operation, Sync, Workload
from iosonde.vocabulary import percentile_quantity

_POINTS = (
    (50.0, Series("p50", "#0072B2", "circle")),
    (95.0, Series("p95", "#009E73", "triangle-up")),
    (99.0, Series("p99", "#E69F00", "square")),
    (99.9, Series("p99.9", "#D55E00", "diamond")),
)

_ROW_HEIGHT = 46
ROWS_MAX: Final = 40
"""The most rows of a chart: more would not fit a printed page. Further rows are in another chart."""


@dataclass(frozen=True)
class _Dots:
    """A row of the chart: a class of operations of a cell, with a name of two lines."""

    name: str
    cell: CellEstimate
    operation: Operation

    @property
    def figures(self) -> OperationEstimate | None:
        return self.cell.of(self.operation)


def baseline_percentiles(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Median, p95, p99 and p99.9 of each baseline cell as dots on one log axis; for a mix, of each class and of all."""
    dots = _named(
        [_Dots(_name(cell.workload, each), cell, each) for cell in cells for each in drawn_classes(cell.workload)]
    )
    parts = [dots[first : first + ROWS_MAX] for first in range(0, len(dots), ROWS_MAX)]
    return tuple(_figure(part, number, len(parts)) for number, part in enumerate(parts, start=1))


def _figure(dots: Sequence[_Dots], number: int, of: int) -> Figure:
    points = [(each.cell, figures) for each in dots if (figures := each.figures) is not None]
    unit = unit_of(points)
    rows = [row for each in dots if each.figures is not None for row in _rows(each, each.figures, unit)]
    depths = sorted({each.cell.queue_depth_asked for each in dots})
    caption = (
        f"Latency ({unit.name}) at queue depth {', '.join(map(str, depths))}, with all repeats merged. "
        "Percentiles with fewer than 10 samples above them are omitted."
    )
    identity = "baseline-percentiles" if number == 1 else f"baseline-percentiles-{number}"
    title = "Baseline latency" if of == 1 else f"Baseline latency, {number} of {of}"
    named = [{"cell": row["cell"], "series": row["name"]} for row in rows]
    drawn = {row["name"] for row in rows}
    return Figure(
        identity,
        title,
        caption,
        layered(_layers(rows, unit), rows, caption, height=_ROW_HEIGHT * len(drawn)) if rows else None,
        tuple(rows),
        left_out([(each.cell, each.operation, each.name) for each in dots], named),
        NO_PERCENTILES if points else NO_FIGURES,
    )


def _rows(dots: _Dots, figures: OperationEstimate, unit: LatencyUnit) -> list[Row]:
    known = [
        (percent, series, value_ns)
        for percent, series in _POINTS
        if (value_ns := figures.percentile(percent).value_ns) is not None
    ]
    return [
        {
            "cell": dots.cell.cell,
            "name": dots.name,
            "series": series.name,
            "drawn_operation": dots.operation,
            "drawn_quantity": percentile_quantity(percent),
            unit.field: value_ns / unit.ns,
            "drawn_latency": f"{significant(value_ns / unit.ns)} {unit.name}",
            "samples": figures.count,
        }
        for percent, series, value_ns in known
    ]


def _name(workload: Workload, operation: Operation) -> str:
    """The name of a row in two lines, separated by a bar. Short lines leave room for the dots on a phone."""
    size = workload.size_text
    if workload.only_operation is None:
        mix = f"{direction_label(workload)}{SYNC_LABELS[workload.sync]}"
        return f"{class_name(mix, operation)}|{size} {workload.pattern}"
    only = workload.only_operation
    if workload.sync is Sync.FDATASYNC:
        return f"{only} + fdatasync|{size} {workload.pattern}"
    if workload.sync is Sync.DSYNC:
        return f"O_DSYNC {only}|{size} {workload.pattern}"
    load = "" if workload.operations_in_flight == 1 else f", {load_label(workload)}"
    return f"{workload.pattern} {only}|{size}{load}"


def _named(dots: Sequence[_Dots]) -> list[_Dots]:
    """The rows with unique names. If a short name occurs more than once, its second line is the name of the cell."""
    often = Counter(each.name for each in dots)
    return [
        each if often[each.name] == 1 else replace(each, name=f"{each.name.partition('|')[0]}|{each.cell.cell}")
        for each in dots
    ]


def _layers(rows: Sequence[Row], unit: LatencyUnit) -> list[alt.Chart]:
    field = unit.field
    present = {row["series"] for row in rows}
    series = [each for _, each in _POINTS if each.name in present]
    x = alt.X(**log_latency(rows, unit, labelOverlap="greedy", labelSeparation=LABEL_GAP_PX, titleAnchor="end"))
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
