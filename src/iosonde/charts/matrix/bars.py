"""A matrix as bars from 0: for few cells, and for cells that differ in values without an order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import altair as alt

from iosonde.charts.axes import iops_axis, number_axis
from iosonde.charts.end_labels import GAP_PX, LETTER_PX, linear_axis_end
from iosonde.charts.figure import Row
from iosonde.charts.lines import COMMON_TOOLTIP, named_rows, tooltip
from iosonde.charts.matrix.quantities import Quantity
from iosonde.charts.theme import BY_CLASS, INK, Series, colour

ROW_HEIGHT: Final = 30
NAME_PX: Final = 150
NAME_LETTERS: Final = 22
"""Longer names are in two lines, so that there is room for the bars on a phone."""


def classes_in(rows: Sequence[Row]) -> list[Series]:
    """The classes of operations that have a bar."""
    present = {row["series"] for row in rows}
    return [series for series in BY_CLASS.values() if series.name in present]


def _in_two_lines(name: str) -> str:
    """A long name split into two lines at the comma nearest to its middle; a bar (``|``) separates the lines."""
    commas = [place for place, letter in enumerate(name) if letter == ","]
    if len(name) <= NAME_LETTERS or not commas:
        return name
    middle = min(commas, key=lambda place: abs(place - len(name) / 2))
    return f"{name[: middle + 1]}|{name[middle + 2 :]}"


def _text_px(rows: Sequence[Row]) -> int:
    """The width of the numbers at the ends of the bars, in pixels."""
    return int(max(len(row["drawn_text"]) for row in rows) * LETTER_PX) + GAP_PX


def bars(
    rows: Sequence[Row], quantity: Quantity, everywhere: Sequence[float]
) -> tuple[list[Row], list[alt.Chart], int]:
    """The rows, the layers, and the height in pixels."""
    series = classes_in(rows)
    rows = [row | {"drawn_name": _in_two_lines(row["name"])} for row in rows]
    names = list(dict.fromkeys(row["drawn_name"] for row in rows))
    axis = iops_axis if quantity.field == "iops" else number_axis
    most = max(everywhere, default=1.0) or 1.0
    x = alt.X(
        f"{quantity.field}:Q",
        title=quantity.axis,
        scale=alt.Scale(zero=False, nice=False, domainMin=0, domainMax=linear_axis_end(0, most, _text_px(rows))),
        axis=axis(tickCount=3, labelOverlap="greedy", labelSeparation=8, labelBound=True, titleAnchor="start"),
    )
    y = alt.Y(
        "drawn_name:N",
        title=None,
        sort=names,
        axis=alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=NAME_PX, labelLineHeight=13),
    )
    # With one bar per name, no offset is needed within a row.
    bars_a_row = max(Counter(row["name"] for row in rows).values(), default=1)
    apart = {"yOffset": alt.YOffset("series:N", sort=[each.name for each in series])} if bars_a_row > 1 else {}
    is_alone = len(series) == 1
    chart, coloured = alt.Chart(), colour([replace(each, is_named=is_alone) for each in series])
    layers = [
        named_rows(
            chart.mark_bar(cornerRadiusEnd=2).encode(
                x=x, y=y, color=coloured, tooltip=tooltip(*COMMON_TOOLTIP, drawn_text=quantity.title), **apart
            )
        ),
        chart.mark_text(align="left", baseline="middle", dx=6, fontSize=12, color=INK).encode(
            x=x, y=y, text=alt.Text("drawn_text:N"), **apart
        ),
    ]
    return list(rows), layers, ROW_HEIGHT * len(names) * (len(series) if bars_a_row > 1 else 1) + 10
