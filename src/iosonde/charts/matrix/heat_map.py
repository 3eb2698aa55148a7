"""A matrix as a heat map with numbers: each cell has its number and its unit."""

from collections.abc import Sequence
from math import log
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.figure import Row
from iosonde.charts.lines import COMMON_TOOLTIP, corner_rows, tooltip
from iosonde.charts.matrix.keys import Key
from iosonde.charts.matrix.quantities import Quantity
from iosonde.charts.quantities import NO_VALUE
from iosonde.charts.theme import INK_SOFT

Cells = Sequence[CellEstimate]

ROW_HEIGHT: Final = 40
NAME_PX: Final = 150
LIGHT: Final = "#e3eef7"
DARK: Final = "#0a4a7d"
"""The scale has one hue from light to dark, which works for colour-blind readers and in monochrome print."""

ON_LIGHT: Final = "#010203"
ON_DARK: Final = "#fdfefe"
DARK_FROM: Final = 0.7
"""From this strength on, text is white. Here black and white text have the same contrast, 4.5:1 by WCAG 2."""

GAP: Final = 0.04
LETTERS_A_COLUMN: Final = 3.9
"""The width of five characters with a margin, as a multiple of the font size."""

LETTER_PX_MIN: Final = 8


def heat_map(
    rows: Sequence[Row], keys: tuple[Key, Key], quantity: Quantity, everywhere: Sequence[float], cells: Cells
) -> tuple[list[Row], list[alt.Chart], int]:
    """The rows with their colour strength, the layers, and the height in pixels. ``keys`` are columns and rows."""
    across, apart = keys
    strong = _Strength(everywhere, is_wide=quantity.is_wide(everywhere))
    drawn = [row | {"drawn_strength": round(strong.of(row[quantity.field]), 4)} for row in rows]
    columns = [across.tick(value) for value in across.values(cells)]
    names = [apart.label(value) for value in apart.values(cells)]
    is_named_by_title = "+" not in apart.name
    x = alt.X(
        "drawn_column:N",
        title=across.title,
        sort=columns,
        scale=alt.Scale(domain=columns, paddingInner=GAP, paddingOuter=0),
        axis=alt.Axis(labelAngle=0, orient="top", domain=False, ticks=False, labelLimit=90),
    )
    y = alt.Y(
        "drawn_row:N",
        title=apart.title if is_named_by_title else None,
        sort=names,
        scale=alt.Scale(domain=names, paddingInner=GAP, paddingOuter=0),
        axis=alt.Axis(labelLimit=NAME_PX, domain=False, ticks=False),
    )
    strength = alt.Color(
        "drawn_strength:Q", scale=alt.Scale(domain=[0, 1], range=[LIGHT, DARK], interpolate="lab"), legend=None
    )
    chart = alt.Chart()
    told = tooltip(*COMMON_TOOLTIP, drawn_text=quantity.title)
    on_it = alt.ColorValue(
        ON_LIGHT,
        condition=alt.ConditionalPredicateValueDefGradientstringnullExprRef(
            test=f"datum.drawn_strength >= {DARK_FROM}", value=ON_DARK
        ),
    )
    number = chart.mark_text(baseline="bottom", dy=3, fontSize=_fitting(13, len(columns)), fontWeight=600)
    unit = chart.mark_text(baseline="top", dy=4, fontSize=_fitting(10, len(columns)))
    layers = [
        chart.mark_rect().encode(x=x, y=y, color=strength, tooltip=told),
        number.encode(x=x, y=y, text=alt.Text("drawn_number:N"), color=on_it),
        unit.encode(x=x, y=y, text=alt.Text("drawn_unit:N"), color=on_it),
        corner_rows(chart, x, y),
    ]
    missing = _missing(rows, across, apart, cells)
    if missing:
        absent = alt.Chart(alt.InlineData(values=missing)).mark_text(fontSize=13, color=INK_SOFT)
        layers.append(absent.encode(x=x, y=y, text=alt.value(NO_VALUE)))
    return drawn, layers, ROW_HEIGHT * len(names)


def _fitting(most_px: int, columns: int) -> alt.ExprRef:
    """A font size that fits the width of a column, at most ``most_px``."""
    return alt.ExprRef(f"max(min(width / {columns} / {LETTERS_A_COLUMN}, {most_px}), {LETTER_PX_MIN})")


def _missing(rows: Sequence[Row], across: Key, apart: Key, cells: Cells) -> list[Row]:
    """The columns and rows of cells without a value."""
    known = {row["cell"] for row in rows}
    return [
        {"drawn_column": across.tick(across.of(cell)), "drawn_row": apart.label(apart.of(cell))}
        for cell in cells
        if cell.cell not in known
    ]


class _Strength:
    """The colour strength of a value, from 0 to 1: linear from the value 0, or logarithmic for a wide range."""

    def __init__(self, everywhere: Sequence[float], *, is_wide: bool) -> None:
        above = [value for value in everywhere if value > 0]
        self._most = max(above, default=1.0)
        self._least = min(above, default=1.0)
        self._is_wide = is_wide

    def of(self, value: float) -> float:
        if not self._is_wide:
            return max(value, 0.0) / self._most
        if value <= 0 or self._most == self._least:
            return 0.0
        return log(value / self._least) / log(self._most / self._least)
