"""Crosses out invalid results in charts and adds them to the caption."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import altair as alt

from iosonde.charts.figure import Figure
from iosonde.findings.case import distinct, name_some
from iosonde.report.validity import MARK, Invalid, see

CROSSABLE: Final = frozenset({"point", "line", "bar", "tick", "circle"})
"""Marks that show one value each. For areas and maps, only the caption names invalid cells."""

ROWS_MAX: Final = 1000
"""A chart with more rows than this has no crosses: they would hide the marks."""

ROWS_LAYER: Final = "rows"
"""The name of the chart layer with one mark for each row."""

SIZE_MAX: Final = 220
SIZE_MIN: Final = 24
FEW: Final = 40
"""Up to this number, crosses have the full size. More crosses are smaller, so that they do not hide the marks."""

_CROSS: Final[dict[str, Any]] = {
    "type": "point",
    "shape": "cross",
    "angle": 45,
    "filled": True,
    "color": "#b3261e",
    "stroke": "#ffffff",
    "opacity": 1,
}


def crossed(figure: Figure, invalid: Invalid) -> Figure:
    """The figure with a cross on each mark of an invalid cell, and a sentence in the caption that names the cells."""
    cells = list(dict.fromkeys(row["cell"] for row in figure.rows if row.get("cell") in invalid))
    if not cells:
        return figure
    ids = tuple(dict.fromkeys(each for cell in cells for each in invalid[cell]))
    chart = figure.chart
    layer = None if chart is None or len(figure.rows) > ROWS_MAX else _crossable(chart.layer)
    how = "" if layer is None else ", crossed out"
    caption = f"{figure.caption.rstrip('.')}. {MARK}{how}, {see(ids)}: {name_some(distinct(cells))}."
    if layer is None or chart is None:
        return replace(figure, caption=caption)
    with_crosses = chart.copy(deep=False)
    number = sum(row.get("cell") in invalid for row in figure.rows)
    with_crosses.layer = [*chart.layer, _crosses(layer, cells, number)]
    with_crosses.description = caption
    return replace(figure, caption=caption, chart=with_crosses)


def _crossable(layers: Sequence[Any]) -> Any:  # noqa: ANN401 - Altair's charts
    """The layer with one mark for each row: the one named ``ROWS_LAYER``, else the topmost; None if there is none."""
    found = []
    for layer in reversed(layers):
        mark = layer.mark if isinstance(layer.mark, str) else layer.mark.type
        encoding = layer.encoding
        if mark in CROSSABLE and encoding.x is not alt.Undefined and encoding.y is not alt.Undefined:
            found.append(layer)
    return next((layer for layer in found if layer.name == ROWS_LAYER), found[0] if found else None)


def _crosses(layer: Any, cells: Sequence[str], number: int) -> alt.Chart:  # noqa: ANN401 - Altair's charts
    named = {name: getattr(layer.encoding, name) for name in ("x", "y", "xOffset", "yOffset")}
    places = {name: channel for name, channel in named.items() if channel is not alt.Undefined}
    size = max(min(SIZE_MAX * FEW // number, SIZE_MAX), SIZE_MIN)
    stroke = 0.8 if number <= FEW else 0.4
    cross = alt.Chart(mark=alt.MarkDef(**_CROSS, size=size, strokeWidth=stroke), encoding=alt.FacetedEncoding(**places))
    if layer.transform is not alt.Undefined:
        cross.transform = list(layer.transform)
    return cross.transform_filter(alt.FieldOneOfPredicate(field="cell", oneOf=list(cells)))
