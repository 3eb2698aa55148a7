"""The measurement window of one tracking variable: its average, the allowed range around it, and its best-fit line."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.procedures import Counted, Determination
from iosonde.charts.axes import number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import Unit, place_name, unit_of
from iosonde.charts.quantities import significant
from iosonde.charts.theme import GRID, INK, INK_SOFT, layered
from iosonde.records import Workload

AVERAGE: Final = "average"
FIT: Final = "best-fit line"
LIMITS: Final = "allowed range"
VALUE_COLOUR: Final = "#0072B2"
COLOURS: Final = {AVERAGE: INK, LIMITS: INK_SOFT, FIT: "#D55E00"}
DASHES: Final = {AVERAGE: [1, 0], LIMITS: [4, 3], FIT: [8, 4]}
AIR: Final = 0.15
MINUS: Final = "\N{MINUS SIGN}"


def variable_name(found: Determination, among: Sequence[Workload]) -> str:
    """The name of a tracking variable among the cells of its phase: ``IOPS, 4 KiB 0/100``."""
    unit = unit_of(found.quantity, found.values)
    return f"{unit.title}, {place_name(found.workload, among)}"


def measurement_window(
    identity: str, found: Determination, among: Sequence[Workload], counted: Counted = Counted.ROUND
) -> Figure:
    """The values of the window, their average, average ± half of the allowed range, and the best-fit line.

    ``counted`` is what the window is made of.
    """
    unit = unit_of(found.quantity, found.values)
    title = f"Measurement window: {variable_name(found, among)}"
    half = found.range_allowed / 2
    # The band of the average ±10 % is what reports of the PTS show; the criterion itself bounds the range.
    low, high = found.average - half, found.average + half
    rows: list[Row] = [
        {
            "cell": found.cell,
            "round": number,
            unit.field: round(unit.shown(value), 6),
            "drawn_value": f"{significant(unit.shown(value))} {unit.name}",
        }
        for number, value in zip(found.rounds, found.values, strict=True)
    ]
    caption = (
        f"{unit.title} of {counted.many} {found.rounds[0]} to {found.rounds[-1]}. The band is the average "
        f"±{50 * found.range_allowed / found.average:g} %. The best-fit line is "
        f"{line_text(found, unit, counted)}."
    )
    ends = [*found.values, low, high]
    layers = _layers(found, unit, (low, high), (min(ends), max(ends)), counted)
    return Figure(identity, title, caption, layered(layers, rows, caption), tuple(rows))


def line_text(found: Determination, unit: Unit, counted: Counted = Counted.ROUND) -> str:
    """The best-fit line as a formula of the round R or the block B: ``12.3 · R + 70,418``."""
    slope, start = unit.shown(found.slope), unit.shown(found.intercept)
    sign = MINUS if start < 0 else "+"
    steep = significant(slope)
    shown = "0" if not steep.strip("-0.") else steep.replace("-", MINUS)
    return f"{shown} · {counted.symbol} {sign} {significant(abs(start))} {unit.name}"


def _layers(
    found: Determination, unit: Unit, band: tuple[float, float], ends: tuple[float, float], counted: Counted
) -> list[alt.Chart]:
    first, last = found.rounds[0], found.rounds[-1]
    air = (ends[1] - ends[0]) * AIR
    scale = alt.Scale(domain=[unit.shown(max(ends[0] - air, 0)), unit.shown(ends[1] + air)], nice=False, zero=False)
    across = alt.Scale(domain=[first - 0.3, last + 0.3], nice=False, zero=False)
    x = alt.X(
        "round:Q",
        title=counted.capitalize(),
        scale=across,
        axis=alt.Axis(format="d", grid=False, values=list(found.rounds)),
    )
    title = f"{unit.title} ({unit.name})"
    y = alt.Y(f"{unit.field}:Q", title=title, scale=scale, axis=number_axis(tickCount=5))
    colours, dashes = {counted.many: VALUE_COLOUR, **COLOURS}, {counted.many: [1, 0], **DASHES}
    names = list(colours)
    legend = alt.Legend(orient="top", direction="horizontal", symbolType="stroke", symbolStrokeWidth=2, columns=2)
    colour = alt.Color("line:N", title=None, scale=alt.Scale(domain=names, range=list(colours.values())), legend=legend)
    dash = alt.StrokeDash(
        "line:N", title=None, scale=alt.Scale(domain=names, range=list(dashes.values())), legend=legend
    )
    lines = [
        *((counted.many, number, value) for number, value in zip(found.rounds, found.values, strict=True)),
        *((AVERAGE, number, found.average) for number in (first - 0.3, last + 0.3)),
        *((f"{LIMITS} {which}", number, band[which]) for which in (0, 1) for number in (first - 0.3, last + 0.3)),
        *((FIT, number, found.line_at(number)) for number in (first, last)),
    ]
    drawn = alt.InlineData(
        values=[
            {"line": name.rstrip(" 01"), "part": name, "round": number, unit.field: unit.shown(value)}
            for name, number, value in lines
        ]
    )
    shade = alt.InlineData(values=[{"low": unit.shown(band[0]), "high": unit.shown(band[1])}])
    told = tooltip(cell="cell", round=counted.value, drawn_value=unit.title.lower())
    chart = alt.Chart()
    return [
        alt.Chart(shade).mark_rect(color=GRID, opacity=0.5).encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
        alt.Chart(drawn)
        .mark_line(strokeWidth=1.8)
        .encode(x=x, y=y, color=colour, strokeDash=dash, detail=alt.Detail("part:N")),
        named_rows(
            chart.mark_point(size=60, filled=True, opacity=1, color=VALUE_COLOUR).encode(x=x, y=y, tooltip=told)
        ),
    ]
