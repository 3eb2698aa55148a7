"""The theme of all charts: colours that colour-blind people can distinguish, shapes and fonts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import altair as alt

from iosonde.records import Operation

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK: Final = "#1f2933"
INK_SOFT: Final = "#52606d"
TEXT_EDGE: Final[Mapping[str, Any]] = MappingProxyType(
    {"color": "white", "stroke": "white", "strokeWidth": 4, "strokeJoin": "round"}
)
"""A white outline, drawn below a label so that lines do not cross it."""
GRID: Final = "#e4e7eb"
HEIGHT: Final = 340
HEIGHT_MIN: Final = 150
"""The lowest height of a chart in a report. Labels must not overlap at this height."""
LEGEND_COLUMNS: Final = 2
"""Two columns of names fit the 390 pixels of a phone. Up to ``LEGEND_SHORT`` short names fit one line."""
LEGEND_SHORT: Final = 3
LEGEND_NAME_PX: Final = 270
LEGEND_LETTERS: Final = 34
"""The most characters in a line of a legend on a phone."""


@dataclass(frozen=True)
class Series:
    """The style of a line. Colours are those of Okabe and Ito (2008). Shape and dash identify a line without colour.

    ``is_named`` is whether the chart itself names the line, so that it needs no legend.
    """

    name: str
    colour: str
    shape: str
    dash: tuple[int, ...] = (1, 0)
    is_named: bool = False


READ: Final = Series("read", "#0072B2", "circle")
WRITE: Final = Series("write", "#D55E00", "square")
TRIM: Final = Series("trim", "#009E73", "triangle-up", (6, 3))
COMMIT: Final = Series("commit", "#CC79A7", "triangle-down", (8, 2, 2, 2))
ALL: Final = Series("all", "#000000", "diamond", (2, 3))
BY_CLASS: Final = {
    Operation.READ: READ,
    Operation.WRITE: WRITE,
    Operation.TRIM: TRIM,
    Operation.COMMIT: COMMIT,
    Operation.ALL: ALL,
}
SEQUENTIAL_READ: Final = Series("sequential read", "#56B4E9", "triangle-up", (6, 3))
SEQUENTIAL_WRITE: Final = Series("sequential write", "#E69F00", "diamond", (6, 3))
PALETTE: Final = (
    Series("first", "#0072B2", "circle"),
    Series("second", "#009E73", "triangle-up", (6, 3)),
    Series("third", "#CC79A7", "diamond", (2, 3)),
    Series("fourth", "#E69F00", "square", (8, 2, 2, 2)),
    Series("fifth", "#D55E00", "triangle-down", (4, 2)),
    Series("sixth", "#56B4E9", "cross", (10, 3)),
)
"""The styles of lines that are neither classes of operations nor sequential reads or writes."""

SPREAD_SWITCH: Final = alt.VariableParameter(name="spread", value="interval")
"""What error bars show: ``interval`` (95 % CI of the mean) or ``deviation`` (of the repeats). The page switches it."""

CONFIG: Final = alt.Config(
    font=FONT,
    background="transparent",
    view=alt.ViewConfig(stroke=GRID),
    axis=alt.AxisConfig(
        labelFontSize=12,
        titleFontSize=12.5,
        titleFontWeight=600,
        labelColor=INK_SOFT,
        titleColor=INK,
        gridColor=GRID,
        domainColor="#9aa5b1",
        tickColor="#9aa5b1",
        titlePadding=8,
        labelPadding=4,
    ),
    legend=alt.LegendConfig(labelFontSize=12.5, titleFontSize=12.5, labelColor=INK, titleColor=INK, symbolSize=110),
)


def layered(
    layers: Sequence[alt.Chart], rows: Sequence[dict[str, Any]], description: str, height: int = HEIGHT
) -> alt.LayerChart:
    """The finished chart: as wide as its container, in the theme, with a description for screen readers.

    The chart has the rows once. If each layer had them, the page would repeat them for every layer.
    """
    switch: dict[str, Any] = {"params": [SPREAD_SWITCH]} if rows and "deviation_low" in rows[0] else {}
    chart = alt.LayerChart(
        layer=list(layers),
        **switch,
        width="container",
        height=height,
        description=description,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        config=CONFIG,
    )
    # Set last, because Altair copies all rows whenever it makes a chart with data into another chart.
    chart.data = alt.InlineData(values=list(rows))
    return chart


def colour(series: Sequence[Series], *, lines: bool = False) -> alt.Color:
    """Colour by the field ``series``, with the legend on top. ``lines``: the legend shows strokes, for lines only."""
    return alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=[each.name for each in series], range=[each.colour for each in series]),
        legend=_legend(series, lines=lines),
    )


def shape(series: Sequence[Series]) -> alt.Shape:
    """Shape by the field ``series``. Its legend equals that of the colour, so that Vega-Lite merges the two."""
    return alt.Shape(
        "series:N",
        title=None,
        scale=alt.Scale(domain=[each.name for each in series], range=[each.shape for each in series]),
        legend=_legend(series),
    )


def dash(series: Sequence[Series], *, lines: bool = False) -> alt.StrokeDash:
    """Dash by the field ``series``, for lines."""
    return alt.StrokeDash(
        "series:N",
        title=None,
        scale=alt.Scale(domain=[each.name for each in series], range=[list(each.dash) for each in series]),
        legend=_legend(series, lines=lines),
    )


def _legend(series: Sequence[Series], *, lines: bool = False) -> alt.Legend | None:
    if all(each.is_named for each in series):
        return None
    symbol: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": 2} if lines else {"symbolStrokeWidth": 0}
    return alt.Legend(
        orient="top",
        direction="horizontal",
        columns=_columns([each.name for each in series]),
        symbolOpacity=1,
        columnPadding=18,
        labelLimit=LEGEND_NAME_PX,
        **symbol,
    )


def _columns(names: Sequence[str]) -> int:
    """The number of names in a line of the legend that fit a phone."""
    longest = max(map(len, names), default=0)
    if len(names) <= LEGEND_SHORT and longest * len(names) <= LEGEND_LETTERS:
        return max(len(names), 1)
    return LEGEND_COLUMNS if longest * LEGEND_COLUMNS <= LEGEND_LETTERS else 1


# Text needs more contrast than lines: the same hues, but darker.
_DARKER: Final = {
    "#0072B2": "#00609a",
    "#D55E00": "#a84a00",
    "#009E73": "#00674b",
    "#CC79A7": "#8f3f6c",
    "#E69F00": "#7d5600",
    "#56B4E9": "#1d6591",
}


def text_colour(series: Sequence[Series]) -> alt.ColorValue:
    """The text colour of each series. Uses conditions: Vega-Lite would merge a scale with that of the lines."""
    # The condition has its exact Altair type, because finding the type would take Altair long.
    return alt.ColorValue(
        INK,
        condition=[
            alt.ConditionalPredicateValueDefGradientstringnullExprRef(
                test=f"datum.series == {json.dumps(each.name)}", value=_DARKER[each.colour]
            )
            for each in series
            if each.colour in _DARKER
        ],
    )
