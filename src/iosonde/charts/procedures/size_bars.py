"""One figure of reads and of writes by block size: two horizontal bars for each size, as in the plot of a TP test.

The bars are horizontal so that the numbers at their ends fit beside each other on a phone as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import altair as alt

from iosonde.charts.axes import LABEL_GAP_PX, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import Unit
from iosonde.charts.quantities import significant
from iosonde.charts.theme import INK, READ, WRITE, colour, layered

READS: Final = replace(READ, name="reads")
WRITES: Final = replace(WRITE, name="writes")

BAR_PX: Final = 22
PLOT_PX_MIN: Final = 90
NAME_PX: Final = 190
"""The width of a name beside its bars. Longer ones are cut; the table has them in full."""

ROOM: Final = 1.35
"""Room for the number at the end of the longest bar."""


@dataclass(frozen=True)
class SizeBar:
    """The value of one cell. ``place`` is its block size, ``mark`` is written beside a value that is not sound."""

    place: str
    is_read: bool
    cell: str
    block_size_bytes: int
    value: float
    mark: str = ""


def size_bars(identity: str, title: str, bars: Sequence[SizeBar], unit: Unit, caption: str) -> Figure:
    """Two bars for each block size, in the given order of sizes."""
    rows = tuple(
        {
            "cell": each.cell,
            "block_size_bytes": each.block_size_bytes,
            "block_size": each.place,
            "series": (READS if each.is_read else WRITES).name,
            unit.field: round(unit.shown(each.value), 6),
            "drawn_middle": unit.shown(each.value) / 2,
            "drawn_label": f"{significant(unit.shown(each.value))} {each.mark}".rstrip(),
        }
        for each in bars
    )
    if not rows:
        return Figure(identity, title, "", None, ())
    return Figure(identity, title, caption, _chart(rows, unit, caption), rows)


def _chart(rows: Sequence[Row], unit: Unit, caption: str) -> alt.LayerChart:
    series = [each for each in (READS, WRITES) if any(row["series"] == each.name for row in rows)]
    places = list(dict.fromkeys(row["block_size"] for row in rows))
    scale = alt.Scale(domain=[0, max(row[unit.field] for row in rows) * ROOM or 1], nice=False)
    axis = number_axis(tickCount=4, labelOverlap="greedy", labelSeparation=LABEL_GAP_PX)
    x = alt.X(f"{unit.field}:Q", title=f"{unit.title} ({unit.name})", scale=scale, axis=axis)
    y = alt.Y(
        "block_size:N",
        title="Block size",
        sort=places,
        axis=alt.Axis(labelLimit=NAME_PX, ticks=False, domain=False),
    )
    beside = alt.YOffset("series:N", sort=[each.name for each in series])
    told = tooltip(cell="cell", block_size="block size", series="direction", drawn_label=f"{unit.title} ({unit.name})")
    chart = alt.Chart()
    layers = [
        chart.mark_bar(height={"band": 0.9}).encode(x=x, y=y, yOffset=beside, color=colour(series), tooltip=told),
        chart.mark_text(align="left", baseline="middle", dx=5, fontSize=12, color=INK).encode(
            x=x, y=y, yOffset=beside, text=alt.Text("drawn_label:N")
        ),
        # Crosses on invalid bars are drawn in their middle, so that the number at the end stays readable.
        named_rows(
            chart.mark_point(size=1, opacity=0).encode(x=alt.X("drawn_middle:Q", scale=scale), y=y, yOffset=beside)
        ),
    ]
    return layered(layers, rows, caption, height=max(BAR_PX * len(series) * len(places), PLOT_PX_MIN))
