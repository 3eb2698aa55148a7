"""Names at the ends of lines. They replace a legend, and are readable in print and without colours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final

import altair as alt

from iosonde.charts.figure import Row
from iosonde.charts.theme import HEIGHT_MIN, Series, text_colour

LABELLED_MAX: Final = 4
"""The most lines with names at their ends. More names would not fit beside their lines; these have a legend."""

LETTER_PX: Final = 6.6
"""The approximate width of a character with a font size of 12 pixels."""

GAP_PX: Final = 10
APART_PX: Final = 15
NAME_LETTERS_MAX: Final = 20
"""The longest name. A longer one would leave no room for the lines on a phone."""


def has_end_labels(series: Sequence[Series]) -> bool:
    """Whether the lines are few enough, and their names short enough, for names at their ends."""
    return 1 < len(series) <= LABELLED_MAX and max(len(each.name) for each in series) <= NAME_LETTERS_MAX


@dataclass(frozen=True)
class Height:
    """A vertical axis from ``low`` to ``high``. Converts between values and shares of the chart's height."""

    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """The height of a value, as a share from the bottom."""
        if self.is_log:
            return log(max(value, self.low) / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """The value at this height."""
        if self.is_log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)


def with_end_labels(rows: Sequence[Row], height: Height, *, x: str, y: str) -> list[Row]:
    """The rows. The last row of each line along ``x`` gets the name of the line, and its position along ``y``."""
    last: dict[str, int] = {}
    for index, row in enumerate(rows):
        known = last.get(row["series"])
        if known is None or rows[known][x] <= row[x]:
            last[row["series"]] = index
    places = _apart({name: height.share(rows[index][y]) for name, index in last.items()})
    ends = {index: name for name, index in last.items()}
    return [
        row
        | {
            "drawn_end": ends.get(index),
            "drawn_end_at": height.value(places[ends[index]]) if index in ends else None,
        }
        for index, row in enumerate(rows)
    ]


def _apart(shares: Mapping[str, float]) -> dict[str, float]:
    """The heights moved apart by at least one line of text of the lowest chart. Heights are shares of the chart's."""
    least = APART_PX / HEIGHT_MIN
    ordered = sorted(shares, key=lambda name: shares[name])
    places: list[float] = []
    lowest = least / 2
    for name in ordered:
        places.append(max(shares[name], lowest))
        lowest = places[-1] + least
    highest = 1 - least / 2
    for index in reversed(range(len(places))):
        places[index] = min(places[index], highest)
        highest = places[index] - least
    return dict(zip(ordered, places, strict=True))


def end_labels(x: alt.X, title: str, series: Sequence[Series]) -> list[alt.Chart]:
    """The layer of the names. ``title`` is the title of the vertical axis."""
    return [
        alt.Chart()
        .transform_filter("isValid(datum.drawn_end)")
        .mark_text(align="left", baseline="middle", dx=GAP_PX, fontSize=12, fontWeight=600)
        .encode(
            x=x,
            y=alt.Y("drawn_end_at:Q", title=title),
            text=alt.Text("drawn_end:N"),
            color=text_colour(series),
        )
    ]


def room_px(series: Sequence[Series]) -> int:
    """The width of the names on the right, in pixels."""
    return int(max(len(each.name) for each in series) * LETTER_PX) + GAP_PX + 4


def log_axis_end(first: float, last: float, px: int) -> Any:  # noqa: ANN401 - an expression of Vega
    """The end of a logarithmic axis that leaves ``px`` pixels free at any width of the chart."""
    return alt.ExprRef(f"{last} * pow({last / first}, {px} / max(width - {px}, 60))")


def linear_axis_end(first: float, last: float, px: int) -> Any:  # noqa: ANN401 - an expression of Vega
    """The end of a linear axis that leaves ``px`` pixels free at any width of the chart."""
    return alt.ExprRef(f"{last} + {last - first} * {px} / max(width - {px}, 60)")


@dataclass(frozen=True)
class NamedEnds:
    """The parts of a line chart with names at the ends of lines. Unchanged if there are too many lines."""

    rows: list[Row]
    series: list[Series]
    x: alt.X
    layers: list[alt.Chart]


def named_ends(
    rows: Sequence[Row], series: Sequence[Series], axes: tuple[alt.X, alt.Y], *, across: str, up: str
) -> NamedEnds:
    """Adds names to the lines of field ``up`` over field ``across``. Both axes need a domain of two numbers."""
    x, y = axes
    present = {row["series"] for row in rows}
    shown = [each for each in series if each.name in present]
    if not has_end_labels(shown):
        return NamedEnds(list(rows), list(series), x, [])
    low, high = y["scale"]["domain"]
    height = Height(low, high, is_log=y["scale"].to_dict().get("type") == "log")
    named = [replace(each, is_named=True) for each in series]
    wider = _with_room(x, room_px(shown))
    labels = end_labels(wider, y["title"], named)
    return NamedEnds(with_end_labels(rows, height, x=across, y=up), named, wider, labels)


def _with_room(x: alt.X, px: int) -> alt.X:
    """The axis with ``px`` pixels free on the right."""
    wider = x.copy()
    scale: dict[str, Any] = x["scale"].to_dict()
    first, last = scale.pop("domain")
    end = log_axis_end if scale.get("type") == "log" else linear_axis_end
    wider["scale"] = alt.Scale(**scale, domainMin=first, domainMax=end(first, last, px))
    if scale.get("type") != "log":
        wider["scale"]["zero"] = False
    return wider
