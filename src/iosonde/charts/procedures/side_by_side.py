"""One figure of several drives or runs: a horizontal bar for each, in their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from iosonde.charts.axes import LABEL_GAP_PX, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import Unit
from iosonde.charts.quantities import significant
from iosonde.charts.theme import INK, layered

BAR_PX: Final = 26
PLOT_PX_MIN: Final = 90
NAME_PX: Final = 150
"""The width of a name beside its bar. Longer ones are cut; the tables have them in full."""

ROOM: Final = 1.35
"""Room for the number at the end of the longest bar."""

COLOUR: Final = "#0072B2"
COLOUR_MARKED: Final = "#b8c0c8"


@dataclass(frozen=True)
class Bar:
    """The value of one entry. ``mark`` is written beside an invalid or doubtful one, whose bar is grey."""

    label: str
    cell: str
    value: float
    mark: str = ""


def side_by_side(identity: str, title: str, bars: Sequence[Bar], unit: Unit, caption: str) -> Figure:
    """A bar for each entry that has a value."""
    rows = tuple(
        {
            "entry": each.label,
            "cell": each.cell,
            unit.field: round(unit.shown(each.value), 6),
            "is_marked": bool(each.mark),
            "drawn_label": f"{significant(unit.shown(each.value))}{each.mark and f' {each.mark}'}",
        }
        for each in bars
    )
    if not rows:
        return Figure(identity, title, "", None, ())
    return Figure(identity, title, caption, _chart(rows, unit, caption), rows)


def _chart(rows: Sequence[Row], unit: Unit, caption: str) -> alt.LayerChart:
    x = alt.X(
        f"{unit.field}:Q",
        title=f"{unit.title} ({unit.name})",
        scale=alt.Scale(domain=[0, max(row[unit.field] for row in rows) * ROOM or 1], nice=False),
        axis=number_axis(tickCount=4, labelOverlap="greedy", labelSeparation=LABEL_GAP_PX),
    )
    y = alt.Y(
        "entry:N",
        title=None,
        sort=[row["entry"] for row in rows],
        axis=alt.Axis(labelLimit=NAME_PX, ticks=False, domain=False),
    )
    colour = alt.ColorValue(
        COLOUR,
        condition=alt.ConditionalPredicateValueDefGradientstringnullExprRef(
            test="datum.is_marked", value=COLOUR_MARKED
        ),
    )
    told = tooltip(entry="run", cell="cell", drawn_label=f"{unit.title} ({unit.name})")
    chart = alt.Chart()
    layers = [
        named_rows(chart.mark_bar(height={"band": 0.72}).encode(x=x, y=y, color=colour, tooltip=told)),
        chart.mark_text(align="left", baseline="middle", dx=5, fontSize=12, color=INK).encode(
            x=x, y=y, text=alt.Text("drawn_label:N")
        ),
    ]
    return layered(layers, rows, caption, height=max(BAR_PX * len(rows), PLOT_PX_MIN))
