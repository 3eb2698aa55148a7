"""The tail as bars: what the slowest one in a hundred, a thousand, ten thousand takes, on an axis that begins at 0."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.histogram import percent_label
from iosonde.charts.axes import number_axis
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.points import pure_points, unit_of
from iosonde.charts.quantities import LatencyUnit, latency_words, significant
from iosonde.charts.tail import tail_series
from iosonde.charts.theme import CASES, INK, Series, colour, layered

PERCENTS_DRAWN: Final = (50.0, 99.0, 99.9, 99.99)
_BAR_HEIGHT: Final = 26
_CELL_HEIGHT: Final = 34


def tail_bars(cells: Sequence[CellEstimate]) -> Figure:
    """Bars from the median to p99.99 of each tail cell, side by side."""
    points = pure_points(cells)[: len(CASES)]
    unit = unit_of(points)
    rows = [row for cell, figures in points for row in _rows(cell, figures, unit)]
    caption = (
        f"{latency_words(cells)} ({unit.name}) at each percentile, all repeats added up, on a linear axis from 0; a "
        "percentile with fewer than 10 samples beyond it has no bar."
    )
    title = "The tail against the median"
    chart = _chart(rows, unit, caption) if rows else None
    return Figure("tail-bars", title, caption, chart, tuple(rows), left_out(cells, rows))


def _rows(cell: CellEstimate, figures: OperationEstimate, unit: LatencyUnit) -> list[Row]:
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
                "series": tail_series(cell, figures),
                "percentile": percent_label(percent),
                f"latency_{unit.name}": value_ns / unit.ns,
                "drawn_latency": f"{significant(value_ns / unit.ns)} {unit.name}",
                "drawn_label": f"{significant(value_ns / unit.ns, 3)}{times}",
                "samples": figures.count,
            }
        )
    return rows


def _chart(rows: Sequence[Row], unit: LatencyUnit, caption: str) -> alt.LayerChart:
    names = list(dict.fromkeys(row["series"] for row in rows))
    series = [Series(name, style.colour, style.shape, style.dash) for name, style in zip(names, CASES, strict=False)]
    field = f"latency_{unit.name}"
    most = max(row[field] for row in rows)
    x = alt.X(
        f"{field}:Q",
        title=f"Latency ({unit.name})",
        # Room for the label at the end of the longest bar.
        scale=alt.Scale(domain=[0, most * 1.5], nice=False),
        axis=number_axis(tickCount=4, labelOverlap="greedy"),
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
