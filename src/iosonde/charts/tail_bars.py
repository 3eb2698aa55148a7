"""The tail as bars on a linear axis from 0: median, p95, p99, p99.9 and p99.99."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import Along
from iosonde.analysis.histogram import percent_label
from iosonde.charts.axes import LABEL_GAP_PX, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.panels import Panel, panels_of
from iosonde.charts.points import Point
from iosonde.charts.quantities import LatencyUnit, latency_words, significant
from iosonde.charts.tail import series_in, unit_in
from iosonde.charts.theme import INK, Series, colour, layered
from iosonde.vocabulary import percentile_quantity

PERCENTS_DRAWN: Final = (50.0, 95.0, 99.0, 99.9, 99.99)
_BAR_HEIGHT: Final = 26
_CELL_HEIGHT: Final = 34


def tail_bars(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Bars from the median to p99.99 of each tail cell, side by side."""
    return tuple(_figure(panel) for panel in panels_of(cells, Along.NOTHING))


def _figure(panel: Panel) -> Figure:
    unit = unit_in(panel)
    rows = [row for line, point in panel.points for row in _rows(line.name, point, unit)]
    caption = (
        f"{latency_words(panel.cells)} ({unit.name}) at each percentile, with all repeats merged, on a linear "
        "axis from 0. Percentiles with fewer than 10 samples above them have no bar."
    )
    return panel.figure(
        "tail-bars",
        "Tail latency relative to the median",
        caption,
        rows,
        lambda said: _chart(rows, series_in(rows, panel), unit, said),
    )


def _rows(series: str, point: Point, unit: LatencyUnit) -> list[Row]:
    cell, figures = point
    median_ns = figures.percentile(50.0).value_ns
    rows = []
    for percent in PERCENTS_DRAWN:
        value_ns = figures.percentile(percent).value_ns
        if value_ns is None:
            continue
        times = f" ({value_ns / median_ns:.1f} x)" if median_ns and percent > 50.0 else ""  # noqa: PLR2004 - the median
        rows.append(
            {
                "cell": cell.cell,
                "series": series,
                "percentile": percent_label(percent),
                "drawn_operation": figures.operation,
                "drawn_quantity": percentile_quantity(percent),
                unit.field: value_ns / unit.ns,
                "drawn_latency": f"{significant(value_ns / unit.ns)} {unit.name}",
                "drawn_label": f"{significant(value_ns / unit.ns, 3)}{times}",
                "samples": figures.count,
            }
        )
    return rows


def _chart(rows: Sequence[Row], series: Sequence[Series], unit: LatencyUnit, caption: str) -> alt.LayerChart:
    names = [each.name for each in series]
    field = unit.field
    most = max(row[field] for row in rows)
    x = alt.X(
        f"{field}:Q",
        title=f"Latency ({unit.name})",
        # Room for the label at the end of the longest bar.
        scale=alt.Scale(domain=[0, most * 1.5], nice=False),
        axis=number_axis(tickCount=4, labelOverlap="greedy", labelSeparation=LABEL_GAP_PX),
    )
    shown = list(dict.fromkeys(row["percentile"] for row in rows))
    y = alt.Y("percentile:N", title=None, sort=[percent_label(each) for each in PERCENTS_DRAWN], axis=alt.Axis())
    offset = alt.YOffset("series:N", sort=names)
    told = tooltip(
        series="operations", percentile="percentile", drawn_latency="latency", samples="samples", cell="cell"
    )
    chart = alt.Chart()
    layers = [
        named_rows(chart.mark_bar().encode(x=x, y=y, yOffset=offset, color=colour(series), tooltip=told)),
        chart.mark_text(align="left", baseline="middle", dx=5, fontSize=12, color=INK).encode(
            x=x, y=y, yOffset=offset, text=alt.Text("drawn_label:N")
        ),
    ]
    height = len(shown) * (_BAR_HEIGHT * len(names)) + _CELL_HEIGHT
    return layered(layers, rows, caption, height=height)
