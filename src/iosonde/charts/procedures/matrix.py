"""The reported figures of a matrix of block sizes and mixes: a heat map, and lines over block size."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.procedures import ReportedCell, window_words
from iosonde.charts.axes import log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import corner_rows, named_rows, tooltip
from iosonde.charts.procedures.styles import Unit, colour_of, dash_of, mix_name, shape_of, styled, unit_of
from iosonde.charts.quantities import significant
from iosonde.charts.theme import INK, layered
from iosonde.units import exact_size
from iosonde.vocabulary import Quantity

ROW_PX: Final = 34
PLOT_PX: Final = 280
DARK_FROM: Final = 0.5
"""The share of the colour scale from which text is white."""


def sizes_of(cells: Sequence[ReportedCell]) -> list[int]:
    """The block sizes, smallest first."""
    return sorted({each.workload.block_size_bytes for each in cells})


def mixes_of(cells: Sequence[ReportedCell]) -> list[str]:
    """The mixes, in the order of the round."""
    return list(dict.fromkeys(mix_name(each.workload) for each in cells))


def rows_of(cells: Sequence[ReportedCell], unit: Unit) -> list[Row]:
    """A row for each cell with a value."""
    return [
        {
            "cell": each.cell,
            "block_size_bytes": each.workload.block_size_bytes,
            "block_size": each.workload.size_text,
            "series": mix_name(each.workload),
            unit.field: round(unit.shown(value), 6),
            "rounds": each.rounds,
            "drawn_value": significant(unit.shown(value)),
        }
        for each in cells
        if (value := each.of(unit.quantity)) is not None
    ]


def matrix_heat_map(identity: str, title: str, cells: Sequence[ReportedCell], quantity: Quantity) -> Figure:
    """The mean of each cell as a coloured field with its value: block sizes down, mixes across."""
    unit = unit_of(quantity, (each.of(quantity) for each in cells))
    rows = rows_of(cells, unit)
    if not rows:
        return Figure(identity, title, "", None, ())
    caption = f"{unit.title} ({unit.name}), {window_words(cells)}. A darker colour is a higher value, on a log scale."
    values = [row[unit.field] for row in rows]
    low, high = log_domain(values)
    for row in rows:
        row["drawn_dark"] = (row[unit.field] / low) > (high / low) ** DARK_FROM
    sizes = [exact_size(each) for each in sizes_of(cells)]
    x = alt.X(
        "series:N",
        title="Reads/writes (%)",
        sort=mixes_of(cells),
        axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
    )
    y = alt.Y("block_size:N", title="Block size", sort=sizes, axis=alt.Axis(domain=False, ticks=False))
    colour = alt.Color(
        f"{unit.field}:Q", scale=alt.Scale(type="log", domain=[low, high], range=["#eef5fb", "#00507d"]), legend=None
    )
    text = alt.ColorValue(
        INK,
        condition=alt.ConditionalPredicateValueDefGradientstringnullExprRef(test="datum.drawn_dark", value="white"),
    )
    told = tooltip(cell="cell", block_size="block size", series="reads/writes", drawn_value=unit.title.lower())
    chart = alt.Chart()
    layers = [
        chart.mark_rect(stroke="white", strokeWidth=1).encode(x=x, y=y, color=colour, tooltip=told),
        chart.mark_text(fontSize=12).encode(x=x, y=y, text=alt.Text("drawn_value:N"), color=text),
        corner_rows(chart, x, y),
    ]
    return Figure(
        identity, title, caption, layered(layers, rows, caption, height=max(ROW_PX * len(sizes), 102)), tuple(rows)
    )


def matrix_lines(identity: str, title: str, cells: Sequence[ReportedCell], quantity: Quantity) -> Figure:
    """The mean of each cell against block size, one line for each mix. Both axes are logarithmic."""
    unit = unit_of(quantity, (each.of(quantity) for each in cells))
    rows = rows_of(cells, unit)
    if not rows:
        return Figure(identity, title, "", None, ())
    sizes = sizes_of(cells)
    caption = f"{unit.title} against block size, {window_words(cells)}: one line for each mix of reads/writes."
    ends = log_domain([float(each) for each in sizes])
    domain = log_domain([row[unit.field] for row in rows])
    ticks = {each: exact_size(each) for each in sizes}
    names = " : ".join(f"datum.value == {value} ? '{name}'" for value, name in ticks.items())
    x = alt.X(
        **log_scaled(
            "block_size_bytes",
            "Block size",
            ends,
            alt.Axis(values=list(ticks), labelExpr=f"{names} : ''", grid=False, labelOverlap=False),
        )
    )
    y = alt.Y(**log_scaled(unit.field, f"{unit.title} ({unit.name})", domain, number_axis(values=log_ticks(domain))))
    series = styled(mixes_of(cells))
    coloured, chart = colour_of(series), alt.Chart()
    told = tooltip(cell="cell", block_size="block size", series="reads/writes", drawn_value=unit.title.lower())
    layers = [
        chart.mark_line(strokeWidth=1.8).encode(x=x, y=y, color=coloured, strokeDash=dash_of(series)),
        named_rows(
            chart.mark_point(size=50, filled=True, opacity=1).encode(
                x=x, y=y, color=coloured, shape=shape_of(series), tooltip=told
            )
        ),
    ]
    return Figure(identity, title, caption, layered(layers, rows, caption, height=PLOT_PX), tuple(rows))
