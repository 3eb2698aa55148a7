"""Names at the ends of lines: a picture is then read without a legend, also on paper and without colours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final

import altair as alt

from iosonde.charts.figure import Row
from iosonde.charts.theme import HEIGHT_MIN, Series, text_colour

LABELLED_MAX: Final = 4
"""Names of more lines would push each other away from their lines: a legend has these."""

LETTER_PX: Final = 6.6
"""A letter of 12 pixels is about so wide."""

GAP_PX: Final = 10
APART_PX: Final = 15
NAME_LETTERS_MAX: Final = 20
"""A longer name would leave the lines no room on a phone."""


def has_end_labels(series: Sequence[Series]) -> bool:
    """Whether lines are few, and their names short, so that the names stand at their ends."""
    return 1 < len(series) <= LABELLED_MAX and max(len(each.name) for each in series) <= NAME_LETTERS_MAX


@dataclass(frozen=True)
class Height:
    """A vertical axis from ``low`` to ``high``: where a value is, as a share of the chart's height, and back."""

    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """How far up a value is."""
        if self.is_log:
            return log(max(value, self.low) / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """What is so far up."""
        if self.is_log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)


def with_end_labels(rows: Sequence[Row], height: Height, *, x: str, y: str) -> list[Row]:
    """The rows, of which the last of each line along ``x`` carries its name, and where that stands along ``y``."""
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
    """Heights as shares of the chart's, none nearer to the next than a line of text is high."""
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
    """The layer of the names; ``title`` is that of the vertical axis."""
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
    """Pixels that the names take on the right."""
    return int(max(len(each.name) for each in series) * LETTER_PX) + GAP_PX + 4


def log_axis_end(first: float, last: float, px: int) -> Any:  # noqa: ANN401 - an expression of Vega
    """The end of a logarithmic axis that leaves so many pixels free, however wide the chart is."""
    return alt.ExprRef(f"{last} * pow({last / first}, {px} / max(width - {px}, 60))")


def linear_axis_end(first: float, last: float, px: int) -> Any:  # noqa: ANN401 - an expression of Vega
    """The same of a linear axis."""
    return alt.ExprRef(f"{last} + {last - first} * {px} / max(width - {px}, 60)")


@dataclass(frozen=True)
class NamedEnds:
    """A chart of lines with the names at their ends; nothing is changed where lines are many."""

    rows: list[Row]
    series: list[Series]
    x: alt.X
    layers: list[alt.Chart]


def named_ends(
    rows: Sequence[Row], series: Sequence[Series], axes: tuple[alt.X, alt.Y], *, across: str, up: str
) -> NamedEnds:
    """Names for the lines along ``across`` whose heights are in ``up``. Both axes have a domain of two numbers."""
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
    """The axis with so many pixels free on the right."""
    wider = x.copy()
    scale: dict[str, Any] = x["scale"].to_dict()
    first, last = scale.pop("domain")
    end = log_axis_end if scale.get("type") == "log" else linear_axis_end
    wider["scale"] = alt.Scale(**scale, domainMin=first, domainMax=end(first, last, px))
    if scale.get("type") != "log":
        wider["scale"]["zero"] = False
    return wider
