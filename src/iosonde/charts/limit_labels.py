"""Places the labels of limit lines so that none is cut off, and none lies on another text of the chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from iosonde.charts.end_labels import LETTER_PX
from iosonde.charts.theme import HEIGHT_MIN

WIDTH_MIN_PX: Final = 190
"""The width of the lines in the narrowest chart: that of a phone, without the axis and the names of lines."""

TEXT_PX: Final = 15
RISE_PX: Final = 9
"""The distance between a limit and the middle of its label."""

TICK_PX: Final = 18


class Place(NamedTuple):
    """A position in a chart, as shares of its width and height from the bottom left."""

    across: float
    up: float


class Box(NamedTuple):
    """The area of a text in pixels, from the bottom left of the chart."""

    left: float
    right: float
    bottom: float
    top: float

    def overlaps(self, other: "Box") -> bool:
        """Whether the two areas have a point in common."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    @property
    def is_inside(self) -> bool:
        """Whether the area is inside of the narrowest and lowest chart."""
        return (
            self.right <= WIDTH_MIN_PX + TICK_PX
            and self.left >= -TICK_PX
            and self.bottom >= 0
            and self.top <= HEIGHT_MIN
        )


@dataclass(frozen=True)
class Label:
    """The label of a limit: at which of its places, above or below it, and the edge of the text that is there."""

    place: int
    is_above: bool
    align: str


def number_box(at: Place) -> Box:
    """The area of a number above a point."""
    x, y = at.across * WIDTH_MIN_PX, at.up * HEIGHT_MIN
    return Box(x - TICK_PX, x + TICK_PX, y + 4, y + 8 + TEXT_PX)


def placed_label(text: str, places: Sequence[Place], *, is_above: bool, taken: list[Box]) -> Label | None:
    """The label of a limit at the first of its places with room, and adds its area to ``taken``. None without room.

    ``is_above`` is the preferred side.
    """
    for side in (is_above, not is_above):
        for index, place in enumerate(places):
            align = "left" if place.across < 0.5 else "right"  # noqa: PLR2004 - the middle
            box = _box(text, place, is_above=side, align=align)
            if box.is_inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                return Label(index, side, align)
    return None


def _box(text: str, place: Place, *, is_above: bool, align: str) -> Box:
    wide, middle = len(text) * LETTER_PX, place.up * HEIGHT_MIN + (RISE_PX if is_above else -RISE_PX)
    left = (
        place.across * WIDTH_MIN_PX - TICK_PX / 2
        if align == "left"
        else place.across * WIDTH_MIN_PX + TICK_PX / 2 - wide
    )
    return Box(left, left + wide, middle - TEXT_PX / 2, middle + TEXT_PX / 2)
