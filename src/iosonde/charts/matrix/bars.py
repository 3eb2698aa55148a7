"""A matrix as bars from 0: for few cells, and for such as differ in names that have no order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import altair as alt

from iosonde.charts.axes import iops_axis, number_axis
from iosonde.charts.figure import Row
from iosonde.charts.lines import COMMON_TOOLTIP, named_rows, tooltip
from iosonde.charts.matrix.quantities import Quantity
from iosonde.charts.theme import BY_CLASS, INK, Series, colour

ROW_HEIGHT: Final = 26
ROOM: Final = 1.5
"""The axis goes on beyond the longest bar, where its number stands."""

NAME_PX: Final = 190


def classes_in(rows: Sequence[Row]) -> list[Series]:
    """The classes of operations that have a bar."""
    present = {row["series"] for row in rows}
    return [series for series in BY_CLASS.values() if series.name in present]


def bars(
    rows: Sequence[Row], quantity: Quantity, everywhere: Sequence[float]
) -> tuple[list[Row], list[alt.Chart], int]:
    """The rows, the layers, and how high they are."""
    series = classes_in(rows)
    names = list(dict.fromkeys(row["name"] for row in rows))
    axis = iops_axis if quantity.field == "iops" else number_axis
    most = max(everywhere, default=1.0) or 1.0
    x = alt.X(
        f"{quantity.field}:Q",
        title=quantity.axis,
        scale=alt.Scale(domain=[0, most * ROOM], nice=False),
        axis=axis(tickCount=4, labelOverlap="greedy", titleAnchor="start"),
    )
    y = alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=NAME_PX))
    # A workload of one kind has its row for itself.
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
