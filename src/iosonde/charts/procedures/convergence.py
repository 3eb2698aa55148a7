"""Convergence: the values of cells against the round, from the first round on."""

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.procedures import PhaseRounds
from iosonde.charts.axes import counted_axis, log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import LINES_MAX, Unit, cell_label, colour_of, dash_of, shape_of, styled, unit_of
from iosonde.charts.quantities import latency_unit, significant
from iosonde.charts.theme import GRID, layered
from iosonde.vocabulary import Quantity

NOTHING: Final = "No data: no round is complete."
PLOT_PX: Final = 220
APART: Final = 3.0
"""Lines whose values differ by a larger factor are drawn on a log axis, where each has its own place."""


def convergence(identity: str, title: str, phase: PhaseRounds, cells: Sequence[str], quantity: Quantity) -> Figure:
    """A line for each cell: its value in every round. The window is shaded."""
    values = {cell: phase.series(cell, quantity) for cell in cells[:LINES_MAX]}
    unit = unit_of(quantity, (float(each) for series in values.values() for each in series if not np.isnan(each)))
    return _drawn(identity, title, phase, values, unit)


def latency_convergence(identity: str, title: str, phase: PhaseRounds, cells: Sequence[str]) -> Figure:
    """The longest operation of each cell in every round."""
    values = {cell: _maxima(phase, cell) for cell in cells[:LINES_MAX]}
    found = [float(each) for series in values.values() for each in series if not np.isnan(each)]
    unit = latency_unit(found)
    shown = Unit(Quantity.LATENCY_NS_MEAN, "Maximum latency", unit.name, unit.ns, unit.field)
    return _drawn(identity, title, phase, values, shown)


def _maxima(phase: PhaseRounds, cell: str) -> NDArray[np.float64]:
    place = phase.cells.index(cell)
    found = [row[place].latency_ns_max for row in phase.values]
    return np.array([np.nan if each is None else each for each in found], dtype=np.float64)


def _drawn(identity: str, title: str, phase: PhaseRounds, values: dict[str, NDArray[np.float64]], unit: Unit) -> Figure:
    among = [phase.workloads[cell] for cell in values]
    names = {cell: cell_label(phase.workloads[cell], among) for cell in values}
    rows: list[Row] = [
        {
            "cell": cell,
            "series": names[cell],
            "round": number,
            unit.field: round(unit.shown(float(value)), 6),
            "drawn_value": f"{significant(unit.shown(float(value)))} {unit.name}",
        }
        for cell, series in values.items()
        for number, value in enumerate(series, 1)
        if not np.isnan(value)
    ]
    if not rows:
        return Figure(identity, title, "", None, (), nothing=NOTHING)
    window = phase.window
    caption = f"{unit.title} of each cell in every round, from the first on."
    if not phase.is_whole_window:
        caption += " There are fewer rounds than a measurement window needs."
    elif len(window) > 1:
        caption += f" The shaded rounds {window[0]} to {window[-1]} are the measurement window."
    chart = layered(_layers(rows, phase, unit, list(names.values())), rows, caption, height=PLOT_PX)
    return Figure(identity, title, caption, chart, tuple(rows))


def _layers(rows: Sequence[Row], phase: PhaseRounds, unit: Unit, names: Sequence[str]) -> list[alt.Chart]:
    across = alt.Scale(domain=[0.5, phase.rounds + 0.5], nice=False, zero=False)
    x = alt.X("round:Q", title="Round", scale=across, axis=counted_axis(phase.rounds))
    y = _vertical(rows, unit)
    series = styled(names)
    coloured, chart = colour_of(series), alt.Chart()
    window = alt.InlineData(values=[{"left": phase.window[0] - 0.5, "right": phase.window[-1] + 0.5}])
    shade = alt.Chart(window).mark_rect(color=GRID, opacity=0.6)
    told = tooltip(series="cell", round="round", drawn_value=unit.title.lower())
    shades = [shade.encode(x=alt.X("left:Q", scale=across), x2=alt.X2("right:Q"))] if phase.is_whole_window else []
    return [
        *shades,
        chart.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=coloured, strokeDash=dash_of(series)),
        named_rows(
            chart.mark_point(size=34, filled=True, opacity=1).encode(
                x=x, y=y, color=coloured, shape=shape_of(series), tooltip=told
            )
        ),
    ]


def _vertical(rows: Sequence[Row], unit: Unit) -> alt.Y:
    """From 0, or logarithmic if the lines are far apart."""
    values = [row[unit.field] for row in rows]
    title = f"{unit.title} ({unit.name})"
    if min(values) > 0 and max(values) / min(values) > APART:
        domain = log_domain(values)
        return alt.Y(**log_scaled(unit.field, title, domain, _short_axis(values=log_ticks(domain))))
    scale = alt.Scale(domain=[0, max(values) * 1.1 or 1], nice=False)
    return alt.Y(f"{unit.field}:Q", title=title, scale=scale, axis=_short_axis(tickCount=6))


def _short_axis(**others: object) -> alt.Axis:
    return number_axis(**others)
