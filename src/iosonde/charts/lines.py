"""Lines with points and error bars: the main layers of most charts."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.dips import dips_of
from iosonde.analysis.families import Along
from iosonde.charts.theme import INK, Series, colour, dash, shape

_CORNER: Final = (0.9, 0.22)
"""Where in a field of a map its corner points are, as shares of its width and height: a cross is within its field."""

COMMON_TOOLTIP = (
    "series",
    "block_size",
    "queue_depth_asked",
    "queue_depth_achieved",
    "queue_depth_device",
    "drawn_iops",
    "drawn_bandwidth",
    "drawn_latency",
    "repeats",
    "cell",
)
_TITLES = {
    "series": "operations",
    "block_size": "block size",
    "read_percent": "reads requested (%)",
    "queue_depth_asked": "QD requested",
    "queue_depth_achieved": "QD achieved",
    "queue_depth_device": "QD at the device",
    "drawn_iops": "IOPS ± 95 % CI",
    "drawn_bandwidth": "bandwidth ± 95 % CI",
    "drawn_latency": "mean latency ± 95 % CI",
    "repeats": "repeats",
    "cell": "cell",
}


def tooltip(*fields: str, **titled: str) -> list[alt.Tooltip]:
    """The tooltip of a point: ``fields`` have their common titles, ``titled`` have the given titles.

    Fields are typed as nominal, so that Vega prints values unchanged.
    """
    titles = {field: _TITLES[field] for field in fields} | titled
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def named_rows(layer: alt.Chart) -> alt.Chart:
    """Names the layer that has a mark for each row, so that crosses and tests can find it."""
    layer.name = "rows"
    return layer


def corner_rows(chart: alt.Chart, x: alt.X, y: alt.Y) -> alt.Chart:
    """Invisible points in a corner of the fields of a map.

    Crosses on invalid cells are drawn there, so that the number in the field stays readable.
    """
    return named_rows(chart.mark_point(size=1, opacity=0).encode(x=_at(x, _CORNER[0]), y=_at(y, _CORNER[1])))


def _at(channel: alt.X | alt.Y, place: float) -> alt.X | alt.Y:
    copied = channel.copy()
    copied["bandPosition"] = place
    return copied


# A condition, not a filter: the browser warns about a layer without rows, because it has no extent. The condition has
# its exact Altair type: finding the type would take Altair longer than the rest of the chart.
_WHERE_CUT: Final = alt.OpacityValue(
    0,
    condition=alt.ConditionalPredicateValueDefnumberExprRef(test="datum.drawn_cut && spread == 'interval'", value=0.8),
)


def error_bars(along: alt.X | alt.Y, coloured: alt.Color, **other: alt.X | alt.Y) -> list[alt.Chart]:
    """Error bars along an axis: the interval, or the deviation if switched. A triangle marks a bar that was cut."""
    letter = "y" if isinstance(along, alt.Y) else "x"
    axis, second = (alt.Y, alt.Y2) if letter == "y" else (alt.X, alt.X2)
    ends: dict[str, Any] = {
        letter: axis("bar_low:Q", title=along["title"]),
        f"{letter}2": second("bar_high:Q"),
    }
    cut: dict[str, Any] = {letter: axis("drawn_low:Q", title=along["title"])}
    chart = alt.Chart()
    return [
        chart.transform_calculate(
            bar_low="spread == 'deviation' ? datum.drawn_deviation_low : datum.drawn_low",
            bar_high="spread == 'deviation' ? datum.deviation_high : datum.high",
        )
        .mark_rule(strokeWidth=2, opacity=0.6)
        .encode(color=coloured, **ends, **other),
        chart.mark_point(
            shape="triangle-down" if letter == "y" else "triangle-left", size=55, filled=True, tooltip=None
        ).encode(color=coloured, opacity=_WHERE_CUT, **cut, **other),
    ]


DIP_TEXT: Final = "A triangle marks a dip: throughput significantly below that of a point on each side."


def dip_cells(cells: Sequence[CellEstimate], along: Along) -> frozenset[str]:
    """The cells at the bottom of a dip of a sweep."""
    return frozenset(each.cell.cell for each in dips_of(cells) if each.along is along)


def dip_layer(chart: alt.Chart, x: alt.X, y: alt.Y) -> alt.Chart:
    """A triangle around each row whose ``is_dip`` is true."""
    triangles: alt.Chart = chart.transform_filter("datum.is_dip").mark_point(
        size=420, filled=False, stroke=INK, strokeWidth=2, shape="triangle-down"
    )
    return triangles.encode(x=x, y=y, tooltip=tooltip(*COMMON_TOOLTIP))


def ring_layer(chart: alt.Chart, where: str, x: alt.X, y: alt.Y) -> alt.Chart:
    """A ring around the points that a Vega expression selects."""
    rings: alt.Chart = chart.transform_filter(where).mark_point(
        size=420, filled=False, stroke=INK, strokeWidth=2, shape="circle"
    )
    return rings.encode(x=x, y=y, tooltip=tooltip(*COMMON_TOOLTIP))


def lines_with_intervals(
    x: alt.X,
    y: alt.Y,
    series: Sequence[Series],
    *,
    fields: Sequence[str] = COMMON_TOOLTIP,
    order: str | None = None,
) -> list[alt.Chart]:
    """The layers of lines, error bars and points: a line for each series.

    A line connects its points from left to right, or in the order of the field ``order``.
    """
    chart, coloured = alt.Chart(), colour(series)
    joined: dict[str, Any] = {} if order is None else {"order": alt.Order(f"{order}:Q")}
    return [
        chart.mark_line(strokeWidth=2).encode(x=x, y=y, color=coloured, strokeDash=dash(series), **joined),
        *error_bars(y, coloured, x=x),
        named_rows(
            chart.mark_point(size=70, filled=True, opacity=1).encode(
                x=x, y=y, color=coloured, shape=shape(series), tooltip=tooltip(*fields)
            )
        ),
    ]
