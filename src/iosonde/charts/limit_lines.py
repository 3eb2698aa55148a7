"""Limit lines: expected values drawn in the charts of their metric, at the cells to which they apply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from iosonde.charts.end_labels import Height
from iosonde.charts.limit_axis import MetricAxis, axis_of, field_of, rescaled, with_ends
from iosonde.charts.limit_labels import RISE_PX, TICK_PX, Box, Label, Place, number_box, placed_label
from iosonde.charts.theme import INK, TEXT_EDGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from iosonde.charts.figure import Figure, Row
    from iosonde.vocabulary import Operation, Quantity

LABELLED_MAX: Final = 4
"""The most limits with labels. With more, labels would hide the data; the table of expected values has all limits."""

TICK_IN_ROW_PX: Final = 20


@dataclass(frozen=True)
class Limit:
    """An expected value of one cell. ``bound`` is in the base unit of its metric.

    ``short`` is its label in a chart (``≤ 60 µs``). ``text`` names the metric as well, and the expected value.
    """

    cell: str
    operation: Operation
    quantity: Quantity
    bound: float
    is_at_most: bool
    short: str
    text: str


@dataclass(frozen=True)
class _Drawn:
    """A limit in a chart: its value in the unit of the axis, the rows to which it applies, and its label."""

    limit: Limit
    value: float
    rows: tuple[int, ...]
    label: Label | None = None


def with_limits(figure: Figure, limits: Sequence[Limit]) -> Figure:
    """The figure with a tick for each limit of its metric at each cell, and a dashed line between equal limits.

    The caption lists the limits. Limits far beyond the axis are only in the caption. A chart without a metric on an
    axis, such as a heat map, is unchanged.
    """
    chart = figure.chart
    layer = None if chart is None else next((each for each in chart.layer if each.name == "rows"), None)
    axis = None if layer is None else axis_of(layer.encoding, figure.rows)
    if chart is None or layer is None or axis is None:
        return figure
    found = _found(figure.rows, axis, limits)
    if not found:
        return figure
    shown = [each for each in found if axis.reaches(each.value)]
    wider = axis
    for each in shown:
        wider = wider.including(each.value)
    shown = _labelled(shown, figure, layer, wider) if len(shown) <= LABELLED_MAX else shown
    levels = _levels(shown)
    rows = with_ends(_rows(figure.rows, levels), layer.encoding, wider)
    caption = " ".join([figure.caption, *_sentences(found, shown)])
    drawn = chart.copy(deep=False)
    drawn.layer = [
        *(rescaled(each, wider) for each in chart.layer),
        *(mark for number, level in enumerate(levels, start=1) for mark in _layers(number, level, layer, wider)),
    ]
    drawn.data = alt.InlineData(values=rows)
    drawn.description = caption
    return replace(figure, caption=caption, chart=drawn, rows=tuple(rows))


def _found(rows: Sequence[Row], axis: MetricAxis, limits: Sequence[Limit]) -> list[_Drawn]:
    """The limits that apply to rows of the chart. A limit of several cells is one."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for index, row in enumerate(rows):
        quantity = row.get("drawn_quantity", axis.quantity)
        places.setdefault((row["cell"], row.get("drawn_operation"), quantity), []).append(index)
    drawn: dict[tuple[str, float], _Drawn] = {}
    for limit in limits:
        at = places.get((limit.cell, limit.operation, limit.quantity), [])
        if not at:
            continue
        key = (limit.text, limit.bound)
        known = drawn.get(key, _Drawn(limit, limit.bound / axis.unit, ()))
        drawn[key] = replace(known, rows=tuple(dict.fromkeys([*known.rows, *at])))
    return list(drawn.values())


def _labelled(drawn: Sequence[_Drawn], figure: Figure, layer: Any, axis: MetricAxis) -> list[_Drawn]:  # noqa: ANN401
    """The limits with the labels that have room. Bars have none: their numbers are where a label would be."""
    assert figure.chart is not None
    texts = [each for each in figure.chart.layer if _is_text(each) and field_of(each.encoding.text) != "drawn_end"]
    if axis.channel == "x":
        return list(drawn) if texts else _in_rows(drawn, figure.rows, axis)
    across = _across(layer.encoding.x, figure.rows)
    places = [Place(x, axis.height.share(row[axis.field])) for x, row in zip(across, figure.rows, strict=True)]
    taken = [number_box(place) for place in places] if texts else []
    return [
        replace(
            each,
            label=placed_label(
                each.limit.short,
                [Place(across[index], axis.height.share(each.value)) for index in each.rows],
                is_above=each.limit.is_at_most,
                taken=taken,
            ),
        )
        for each in drawn
    ]


def _is_text(layer: Any) -> bool:  # noqa: ANN401 - Altair's charts
    return bool((layer.mark if isinstance(layer.mark, str) else layer.mark.type) == "text")


def _in_rows(drawn: Sequence[_Drawn], rows: Sequence[Row], axis: MetricAxis) -> list[_Drawn]:
    """The same for a chart with a row for each name: a label is below the marks of its row."""
    taken: dict[str, list[Box]] = {}
    found = []
    for each in drawn:
        name = rows[each.rows[0]]["name"]
        place = Place(axis.height.share(each.value), 0.5)
        label = placed_label(each.limit.short, [place], is_above=False, taken=taken.setdefault(name, []))
        found.append(replace(each, label=label if label is None or not label.is_above else None))
    return found


def _across(x: Any, rows: Sequence[Row]) -> list[float]:  # noqa: ANN401 - Altair's channels
    """The position of each row between the first and the last, as a share of the width."""
    values = [row[field_of(x)] for row in rows]
    if max(values) <= min(values):
        return [0.5] * len(values)
    height = Height(min(values), max(values), is_log=x["scale"].to_dict().get("type") == "log")
    return [height.share(value) for value in values]


def _levels(drawn: Sequence[_Drawn]) -> list[list[_Drawn]]:
    """The limits in as few levels as possible: a row has at most one limit of each level."""
    levels: list[list[_Drawn]] = []
    for each in drawn:
        free = next((level for level in levels if not any(set(each.rows) & set(other.rows) for other in level)), None)
        if free is None:
            levels.append([each])
        else:
            free.append(each)
    return levels


def _rows(rows: Sequence[Row], levels: Sequence[Sequence[_Drawn]]) -> list[Row]:
    """The rows with the values of their limits, and with a label where a limit has one."""
    found = [dict(row) for row in rows]
    for number, level in enumerate(levels, start=1):
        for which, each in enumerate(level):
            for place, index in enumerate(each.rows):
                found[index] |= {f"drawn_limit_{number}": each.value, f"drawn_limit_{number}_of": which}
                if each.label is not None and each.label.place == place:
                    found[index][f"drawn_limit_{number}_text"] = each.limit.short
                    found[index][f"drawn_limit_{number}_side"] = _side(each.label)
    return found


def _side(label: Label) -> str:
    return f"{'above' if label.is_above else 'below'} {label.align}"


def _layers(number: int, level: Sequence[_Drawn], layer: Any, axis: MetricAxis) -> list[alt.Chart]:  # noqa: ANN401
    """The layers of one level of limits: ticks, dashed lines between equal limits, and labels."""
    field = f"drawn_limit_{number}"
    named = {name: getattr(layer.encoding, name) for name in ("x", "y", "xOffset", "yOffset")}
    places = {name: channel for name, channel in named.items() if channel is not alt.Undefined}
    title = places[axis.channel]["title"]
    places[axis.channel] = (alt.X if axis.channel == "x" else alt.Y)(f"{field}:Q", title=title)
    chart = alt.Chart().transform_filter(f"isValid(datum.{field})")
    is_upright = axis.channel == "x"
    tick = chart.mark_tick(
        orient="vertical" if is_upright else "horizontal",
        size=TICK_IN_ROW_PX if is_upright else TICK_PX,
        thickness=2,
        color=INK,
        opacity=1,
    )
    layers = [tick.encode(**places)]
    if not is_upright and any(len(each.rows) > 1 for each in level):
        layers.append(
            chart.mark_line(strokeWidth=1, strokeDash=[5, 3], color=INK).encode(
                **places, detail=alt.Detail(f"{field}_of:N")
            )
        )
    for side in sorted({_side(each.label) for each in level if each.label is not None}):
        layers += _label_layers(field, side, places, is_upright=is_upright)
    return layers


def _label_layers(field: str, side: str, places: dict[str, Any], *, is_upright: bool) -> list[alt.Chart]:
    """The labels on one side, first as a white outline, so that lines do not cross them."""
    where, align = side.split()
    rise = 2 * RISE_PX if is_upright else RISE_PX
    slide = 0 if is_upright else TICK_PX / 2
    style: dict[str, Any] = {"align": align, "baseline": "middle", "fontSize": 12}
    style |= {"dx": -slide if align == "left" else slide, "dy": -rise if where == "above" else rise}
    return [
        alt.Chart()
        .transform_filter(f"datum.{field}_side == '{side}'")
        .mark_text(**style, **colours)
        .encode(**places, text=alt.Text(f"{field}_text:N"))
        for colours in (TEXT_EDGE, {"color": INK})
    ]


def _sentences(found: Sequence[_Drawn], shown: Sequence[_Drawn]) -> Iterable[str]:
    """The sentences of the caption: what is drawn, and what is beyond the axis."""
    drawn = {each.limit.text for each in shown}
    if shown:
        listed = f": {'; '.join(each.limit.text for each in shown)}" if len(shown) <= LABELLED_MAX else ""
        ticks = "A black tick marks" if sum(len(each.rows) for each in shown) == 1 else "Black ticks mark"
        joined = " A dashed line joins the ticks of one value." if any(len(each.rows) > 1 for each in shown) else ""
        values = "an expected value" if len(shown) == 1 else f"{len(shown)} expected values"
        yield f"{ticks} {values}{listed}.{joined}"
    beyond = [each.limit.text for each in found if each.limit.text not in drawn]
    if beyond:
        listed = f": {'; '.join(beyond)}" if len(beyond) <= LABELLED_MAX else ""
        yield f"{len(beyond)} expected {'value is' if len(beyond) == 1 else 'values are'} beyond the axis{listed}."
