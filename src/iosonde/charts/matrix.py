"""Any cells at all, a row each: what a campaign of one's own is drawn as."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import drawn_classes
from iosonde.charts.axes import iops_axis, log_domain, log_latency, log_scaled, log_ticks
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import COMMON_TOOLTIP, error_bars, named_rows, tooltip
from iosonde.charts.points import Point, bars_text, interval_ends, latency_ends, row_of, unit_of
from iosonde.charts.quantities import IOPS_BASE, LatencyUnit, latency_words, load_label, workload_label
from iosonde.charts.theme import BY_CLASS, Series, colour, layered, shape
from iosonde.records import Workload

_ROW_HEIGHT = 40
ROWS_MAX: Final = 60
"""More rows than this are a page of their own; the cells are then points between two axes."""


def matrix_charts(
    cells: Sequence[CellEstimate],
) -> tuple[Callable[[Sequence[CellEstimate]], tuple[Figure, ...]], ...]:
    """What draws a matrix: rates and latencies a row each, or one field of points where there are many."""
    return (matrix_field,) if len(_points(cells)) > ROWS_MAX else (matrix_iops, matrix_latency)


def matrix_field(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Every cell as a point: IOPS against mean latency, both logarithmic; of a mix each kind, and all of them."""
    points = _points(cells)
    unit = unit_of(points)
    rows = [row_of(point, str(point[1].operation), unit) for point in points]
    caption = (
        f"Each point is a cell: IOPS ({IOPS_BASE}) against mean latency ({unit.name}), means over repeats, "
        "both axes logarithmic; the point says which cell it is, and the table has all of them. "
        f"{latency_words(cells)}.{_mix_note(cells)}"
    )
    chart = layered(_field_layers(rows, unit), rows, caption) if rows else None
    return (Figure("matrix-field", "Cells, IOPS against latency", caption, chart, tuple(rows), _left_out(cells, rows)),)


def _field_layers(rows: Sequence[Row], unit: LatencyUnit) -> list[alt.Chart]:
    domain = log_domain(row["iops"] for row in rows)
    axis = iops_axis(values=log_ticks(domain), labelOverlap="greedy")
    x = alt.X(**log_scaled("iops", f"IOPS ({IOPS_BASE})", domain, axis))
    y = alt.Y(**log_latency(rows, unit, of="Mean latency"))
    series = _series(rows)
    point = alt.Chart().mark_point(size=45, filled=True, opacity=0.75)
    drawn = point.encode(x=x, y=y, color=colour(series), shape=shape(series), tooltip=tooltip(*COMMON_TOOLTIP))
    return [named_rows(drawn)]


def matrix_iops(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """IOPS of each cell; of a mix each kind, and all of them."""
    points = _points(cells)
    unit = unit_of(points)
    names = _names(cells)
    rows = [_row(point, unit, interval_ends(point[1].iops, 0.0), names) for point in points]
    caption = f"IOPS ({IOPS_BASE}) of each cell; {bars_text(rows)}.{_mix_note(cells)}"
    x = alt.X(
        "iops:Q",
        title=f"IOPS ({IOPS_BASE})",
        scale=alt.Scale(zero=True),
        axis=iops_axis(tickCount=4, labelOverlap="greedy", labelSeparation=8, titleAnchor="end"),
    )
    chart = _chart(x, rows, caption) if rows else None
    return (Figure("matrix-iops", "Cells and IOPS", caption, chart, tuple(rows), _left_out(cells, rows)),)


def matrix_latency(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Mean latency of each cell; of a mix each kind, and all of them."""
    points = _points(cells)
    unit = unit_of(points)
    names, ends = _names(cells), latency_ends(points, unit)
    rows = [_row(point, unit, end, names) for point, end in zip(points, ends, strict=True)]
    words = latency_words(cells)
    caption = f"{words}, mean ({unit.name}) of each cell; {bars_text(rows)}.{_mix_note(cells)}"
    axis = log_latency(
        rows, unit, ends=("drawn_low", "high"), of="Mean latency", labelOverlap="greedy", titleAnchor="end"
    )
    chart = _chart(alt.X(**axis), rows, caption) if rows else None
    return (Figure("matrix-latency", "Cells and latency", caption, chart, tuple(rows), _left_out(cells, rows)),)


def _points(cells: Sequence[CellEstimate]) -> list[Point]:
    return [
        (cell, figures)
        for cell in cells
        for operation in drawn_classes(cell.workload)
        if (figures := cell.of(operation)) is not None
    ]


def _series(rows: Sequence[Row]) -> list[Series]:
    present = {row["series"] for row in rows}
    return [series for series in BY_CLASS.values() if series.name in present]


def _mix_note(cells: Sequence[CellEstimate]) -> str:
    mixed = any(cell.workload.only_operation is None for cell in cells)
    return " A mix has each kind of its operations, and all of them together." if mixed else ""


def _left_out(cells: Sequence[CellEstimate], rows: Sequence[Row]) -> tuple[str, ...]:
    return left_out(
        [(cell, operation, str(operation)) for cell in cells for operation in drawn_classes(cell.workload)], rows
    )


def _row(point: Point, unit: LatencyUnit, ends: Row, names: Mapping[str, str]) -> Row:
    cell, figures = point
    return row_of(point, str(figures.operation), unit) | ends | {"name": names[cell.cell]}


def _names(cells: Sequence[CellEstimate]) -> dict[str, str]:
    """The names of rows; with the cell's own where the short one belongs to several, which never share a row."""
    short = {cell.cell: _name(cell.workload) for cell in cells}
    often = Counter(short.values())
    return {cell: name if often[name] == 1 else f"{name.partition('|')[0]}|{cell}" for cell, name in short.items()}


def _name(workload: Workload) -> str:
    """Two lines, parted by a bar, so that the axis leaves room for the figures on a phone."""
    size, _, rest = workload_label(workload).partition(f" {workload.pattern} ")
    many = "".join(
        f" x {number} {word}" for number, word in ((workload.jobs, "jobs"), (workload.targets, "targets")) if number > 1
    )
    return f"{size} {workload.pattern}|{rest}, {load_label(workload)}{many}"


def _chart(x: alt.X, rows: Sequence[Row], caption: str) -> alt.LayerChart:
    names = list(dict.fromkeys(row["name"] for row in rows))
    y = alt.Y(
        "name:N",
        title=None,
        sort=names,
        axis=alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=170, labelLineHeight=14, grid=True),
    )
    chart, series = alt.Chart(), _series(rows)
    layers = [
        *error_bars(x, colour(series), y=y),
        named_rows(
            chart.mark_point(size=80, filled=True, opacity=1).encode(
                x=x, y=y, color=colour(series), shape=shape(series), tooltip=tooltip(*COMMON_TOOLTIP)
            )
        ),
    ]
    return layered(layers, rows, caption, height=_ROW_HEIGHT * len(names))
