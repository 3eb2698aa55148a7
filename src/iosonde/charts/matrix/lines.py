"""A matrix as lines: one key on the horizontal axis, and a line for each value of another key."""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Any, Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.axes import LABEL_GAP_PX, iops_axis, log_domain, log_ticks, number_axis
from iosonde.charts.end_labels import (
    Height,
    end_labels,
    has_end_labels,
    linear_axis_end,
    log_axis_end,
    room_px,
    with_end_labels,
)
from iosonde.charts.figure import Row
from iosonde.charts.lines import lines_with_intervals
from iosonde.charts.matrix.keys import Key, Scale
from iosonde.charts.matrix.quantities import Quantity
from iosonde.charts.theme import BY_CLASS, INK, PALETTE, READ, WRITE, Series

AIR: Final = 1.08
LOG_ROOM: Final = 1.2
TICKS_MAX: Final = 20
POINTS_LABELLED_MAX: Final = 8
"""The most numbers that fit side by side on a phone."""


def series_of(apart: Key | None, cells: Sequence[CellEstimate]) -> list[Series]:
    """A style for each value of a key, with the usual styles for reads and writes. Without a key, for each class."""
    if apart is None:
        return list(BY_CLASS.values())
    usual = {READ.name: READ, WRITE.name: WRITE}
    names = [apart.label(value) for value in apart.values(cells)]
    taken = {usual[name].colour for name in names if name in usual}
    left = iter([style for style in PALETTE if style.colour not in taken])
    return [usual[name] if name in usual else replace(next(left), name=name) for name in names]


def lines(
    rows: Sequence[Row], across: Key, series: Sequence[Series], quantity: Quantity, everywhere: Sequence[float]
) -> tuple[list[Row], list[alt.Chart]]:
    """The rows with names at the ends of lines, and the layers. ``everywhere`` are all values on the axis."""
    present = {row["series"] for row in rows}
    shown = [each for each in series if each.name in present]
    height = _height(quantity, everywhere)
    is_alone = len(shown) == 1
    has_names = has_end_labels(shown)
    if has_names:
        rows = with_end_labels(rows, height, x="drawn_across", y=quantity.field)
    if has_names or is_alone:
        shown = [replace(each, is_named=True) for each in shown]
    x = _across(rows, across, room_px(shown) if has_names else 0)
    y = _up(quantity, height)
    layers = lines_with_intervals(x, y, shown)
    for layer in layers:
        # With few repeats, an error bar can extend beyond the chart.
        layer.mark.clip = layer.mark.type == "rule"
    if has_names:
        layers += end_labels(x, y["title"], shown)
    if is_alone and len(rows) <= POINTS_LABELLED_MAX:
        layers.append(_numbers(x, y))
    return list(rows), layers


def _numbers(x: alt.X, y: alt.Y) -> alt.Chart:
    """The number at each point, for a chart with a single line."""
    numbers: alt.Chart = alt.Chart().mark_text(baseline="bottom", dy=-9, fontSize=12, color=INK)
    return numbers.encode(x=x, y=y, text=alt.Text("drawn_label:N"))


def _height(quantity: Quantity, everywhere: Sequence[float]) -> Height:
    if quantity.is_wide(everywhere):
        return Height(*log_domain(everywhere), is_log=True)
    return Height(0.0, (max(everywhere, default=1.0) or 1.0) * AIR)


def _up(quantity: Quantity, height: Height) -> alt.Y:
    domain = (height.low, height.high)
    axis = number_axis if quantity.field != "iops" else iops_axis
    if height.is_log:
        scale = alt.Scale(type="log", domain=list(domain), nice=False, clamp=True)
        return alt.Y(
            f"{quantity.field}:Q",
            title=f"{quantity.axis}, log scale",
            scale=scale,
            axis=number_axis(values=log_ticks(domain)),
        )
    scale = alt.Scale(domain=list(domain), nice=False)
    return alt.Y(f"{quantity.field}:Q", title=quantity.axis, scale=scale, axis=axis(tickCount=6))


def _across(rows: Sequence[Row], key: Key, px: int) -> alt.X:
    """The horizontal axis, with ``px`` pixels for names on the right."""
    ticks = {row["drawn_across"]: row["drawn_tick"] for row in sorted(rows, key=lambda row: row["drawn_across"])}
    first, last = min(ticks), max(ticks)
    ticks = _spaced(ticks, is_log=key.scale is Scale.LOG)
    axis = alt.Axis(
        values=list(ticks),
        labelExpr=_tick_labels(ticks),
        labelOverlap="greedy",
        labelSeparation=LABEL_GAP_PX,
        grid=False,
    )
    title = key.title
    scale: dict[str, Any]
    if key.scale is Scale.LOG:
        low, high = first / LOG_ROOM, last * LOG_ROOM
        title = f"{title}, log scale"
        scale = {"type": "log", "base": 2, "domainMin": low, "domainMax": log_axis_end(low, high, px) if px else high}
    else:
        air = (last - first) * 0.04
        low, high = first - air, last + air
        scale = {"zero": False, "domainMin": low, "domainMax": linear_axis_end(low, high, px) if px else high}
    return alt.X("drawn_across:Q", title=title, scale=alt.Scale(**scale, nice=False), axis=axis)


def _spaced(ticks: dict[float, str], *, is_log: bool) -> dict[float, str]:
    """The ticks that are far enough apart to be drawn, always with the first and the last."""
    first, last = min(ticks), max(ticks)
    least = (log(last / first) if is_log else last - first) / TICKS_MAX
    kept = [last]
    for place in sorted(ticks, reverse=True)[1:]:
        if (log(kept[-1] / place) if is_log else kept[-1] - place) >= least:
            kept.append(place)
    return {place: ticks[place] for place in sorted({first, *kept})}


def _tick_labels(ticks: dict[float, str]) -> str:
    """A Vega expression that maps a position on the axis to its label."""
    label = "''"
    for place, text in ticks.items():
        quoted = text.replace("\\", "\\\\").replace("'", "\\'")
        label = f"abs(datum.value - {place!r}) <= {abs(place) * 1e-9!r} ? '{quoted}' : {label}"
    return label
