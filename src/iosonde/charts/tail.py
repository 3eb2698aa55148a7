"""The tail: percentile curves on an axis with equal room for each nine (90, 99, 99.9)."""

from collections.abc import Sequence

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.curve import percentile_curve
from iosonde.analysis.families import Along
from iosonde.analysis.histogram import percent_label
from iosonde.charts.axes import log_latency
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.panels import Panel, panels_of
from iosonde.charts.points import Point, unit_of
from iosonde.charts.quantities import LatencyUnit, latency_words, significant
from iosonde.charts.theme import Series, colour, dash, layered, shape
from iosonde.vocabulary import percentile_quantity

# The percentiles with a tick on the axis. p95 would be too close to p90.
_PLACES = {1 / (1 - percent / 100): f"{percent:g}" for percent in (50.0, 90.0, 99.0, 99.9, 99.99, 99.999)}
_NEAR = 1e-6


def tail_percentiles(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Latency by percentile, with a line for each cell. Lines end where fewer than 10 samples are beyond."""
    return tuple(_figure(panel) for panel in panels_of(cells, Along.NOTHING))


def _figure(panel: Panel) -> Figure:
    unit = unit_in(panel)
    rows = [row for line, point in panel.points for row in _rows(line.name, point, unit)]
    caption = (
        f"{latency_words(panel.cells)} ({unit.name}) at each percentile, with all repeats merged. "
        "Lines end at the highest percentile with at least 10 samples above it."
    )
    return panel.figure(
        "tail-percentiles",
        "Latency percentiles",
        caption,
        rows,
        lambda said: layered(_layers(rows, series_in(rows, panel), unit), rows, said),
    )


def unit_in(panel: Panel) -> LatencyUnit:
    """The unit for the drawn cells. It ignores saturated cells, which have no line and a mean that grows with time."""
    points = [point for _, point in panel.points]
    return unit_of([point for point in points if not point[1].saturated] or points)


def series_in(rows: Sequence[Row], panel: Panel) -> list[Series]:
    """The lines with at least one row. A line can have figures but too few samples for any percentile."""
    present = {row["series"] for row in rows}
    return [series for series in panel.series if series.name in present]


def _rows(series: str, point: Point, unit: LatencyUnit) -> list[Row]:
    cell, figures = point
    return [
        {
            "cell": cell.cell,
            "series": series,
            "percent": round(point.percent, 6),
            "inverse_beyond": point.inverse_beyond,
            unit.field: point.latency_ns / unit.ns,
            "drawn_latency": f"{significant(point.latency_ns / unit.ns)} {unit.name}",
            "named": None,
            "drawn_quantity": None,
        }
        for point in percentile_curve(figures)
    ] + [
        {
            "cell": cell.cell,
            "series": series,
            "percent": each.percent,
            "inverse_beyond": 1 / (1 - each.percent / 100),
            unit.field: each.value_ns / unit.ns,
            "drawn_latency": f"{significant(each.value_ns / unit.ns)} {unit.name}",
            "named": percent_label(each.percent),
            "drawn_operation": figures.operation,
            "drawn_quantity": percentile_quantity(each.percent),
        }
        for each in figures.percentiles
        if each.value_ns is not None
    ]


def _layers(rows: Sequence[Row], series: Sequence[Series], unit: LatencyUnit) -> list[alt.Chart]:
    last = max(row["inverse_beyond"] for row in rows)
    x = alt.X(
        "inverse_beyond:Q",
        title="Percentile (%), log scale of 1/(1 - p)",
        scale=alt.Scale(type="log", domain=[1, max(last * 1.3, 12)], nice=False),
        axis=alt.Axis(values=[place for place in _PLACES if place <= last * 1.3], labelExpr=_place_labels()),
    )
    y = alt.Y(**log_latency(rows, unit))
    chart, coloured = alt.Chart(), colour(series)
    told = tooltip(series="operations", named="percentile", drawn_latency="latency", cell="cell")
    return [
        chart.transform_filter("datum.named == null")
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=coloured, strokeDash=dash(series)),
        named_rows(
            chart.transform_filter("datum.named != null")
            .mark_point(size=80, filled=True, opacity=1)
            .encode(x=x, y=y, color=coloured, shape=shape(series), tooltip=told)
        ),
    ]


def _place_labels() -> str:
    """A Vega expression that maps a position on the axis to the label of its percentile."""
    label = "''"
    for place, name in _PLACES.items():
        label = f"abs(datum.value / {place!r} - 1) < {_NEAR} ? '{name}' : {label}"
    return label
