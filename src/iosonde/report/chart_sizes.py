"""The width and height of each chart. The script and the static images use the same sizes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from iosonde.charts.figure import Figure
from iosonde.charts.theme import HEIGHT, HEIGHT_MIN
from iosonde.report.blocks import ROW_MAX, Chapter, Charts
from iosonde.report.page import Page

WIDTHS_PX: Final = {1: 1232, 2: 596, 3: 384}
"""The width of a chart on a page of 1,280 pixels, by the number of charts in its row."""

BESIDE_WORDS_PX: Final = 700
HEIGHT_MAX_PX: Final = 230
"""The greatest height of a chart's plot area. Charts in several rows are lower, so that a chapter fits one screen."""

_DEFINITION: Final = re.compile(r" \([^()]*=[^()]*\)")
TITLE_LETTER_PX: Final = 7
"""The mean width of a letter in the title of an axis."""

LEGEND_LETTER_PX: Final = 7
LEGEND_SYMBOL_PX: Final = 39
"""The width of a symbol in a legend with the space around it."""

LEGEND_INDENT_PX: Final = 90
"""A legend begins where the plot does, to the right of the y axis."""

PAPER_WIDTHS_PX: Final = {1: 800, 2: 390}
"""The same in the PDF, where 800 pixels are the width of the text and letters have 7 points."""

PAPER_ROW_MAX: Final = 2
PAPER_PICTURE_PX: Final = 135
"""The chart on the first page is lower, so that the whole summary fits on that page."""


@dataclass(frozen=True)
class ChartSize:
    """The width of a chart, and the greatest height of its plot area."""

    width_px: int
    height_px: int

    def lowered(self, specification: dict[str, Any]) -> dict[str, Any]:
        """The specification, with the default height limited. A chart with a row per cell keeps its own height.

        A title of the y axis that is longer than the axis is shortened, and a legend has as many columns as fit.
        """
        specification = _with_fitting_legends(specification, self.width_px)
        height = specification.get("height")
        if height == HEIGHT:
            height = min(HEIGHT, self.height_px)
        if not isinstance(height, int):
            return specification
        return {**_with_short_titles(specification, height), "height": height}


def _with_short_titles(part: dict[str, Any], height_px: int) -> dict[str, Any]:
    """A chart or layer whose titles of y axes fit the height."""
    found = dict(part)
    if "layer" in part:
        found["layer"] = [_with_short_titles(each, height_px) for each in part["layer"]]
    y = part.get("encoding", {}).get("y", {})
    title = y.get("title")
    if isinstance(title, str) and len(title) * TITLE_LETTER_PX > height_px:
        found["encoding"] = {**part["encoding"], "y": {**y, "title": _shortened(title)}}
    return found


def _with_fitting_legends(part: dict[str, Any], width_px: int) -> dict[str, Any]:
    """A chart or layer whose legends have no more columns than fit the width."""
    found = dict(part)
    if "layer" in part:
        found["layer"] = [_with_fitting_legends(each, width_px) for each in part["layer"]]
    if "encoding" in part:
        found["encoding"] = {name: _fitting(each, width_px) for name, each in part["encoding"].items()}
    return found


def _fitting(channel: Any, width_px: int) -> Any:  # noqa: ANN401 - any encoding of Vega-Lite
    legend, scale = (channel.get(name) if isinstance(channel, dict) else None for name in ("legend", "scale"))
    if not isinstance(legend, dict) or not isinstance(scale, dict) or "columns" not in legend:
        return channel
    names = scale.get("domain")
    if not isinstance(names, list) or not names:
        return channel
    entry_px = max(len(str(each)) for each in names) * LEGEND_LETTER_PX + LEGEND_SYMBOL_PX
    columns = max(1, (width_px - LEGEND_INDENT_PX) // entry_px)
    return {**channel, "legend": {**legend, "columns": min(legend["columns"], columns)}}


def _shortened(title: str) -> str:
    """A title without the definition of its unit, and with a shorter name of the scale."""
    return _DEFINITION.sub("", title).replace(", log scale", ", log")


def lone_chart(chapter: Chapter) -> Figure | None:
    """The only chart of a chapter, which is placed beside the text; None if the chapter has none or several."""
    figures = chapter.all_of(Figure)
    return figures[0] if len(figures) == 1 else None


def specifications_of(page: Page) -> Iterator[tuple[str, dict[str, Any]]]:
    """The id and Vega-Lite specification of each chart: as wide as its container, with the height of its size."""
    sizes = page_sizes(page)
    for figure in page.figures:
        if figure.chart is not None:
            yield figure.id, sizes[figure.id].lowered(figure.specification)


def page_sizes(page: Page) -> dict[str, ChartSize]:
    """The size of each chart on the HTML page, by id."""
    sizes = dict(each for chapter in page.chapters for each in _sizes_in(chapter, WIDTHS_PX, ROW_MAX, BESIDE_WORDS_PX))
    first = {figure.id: ChartSize(WIDTHS_PX[2], HEIGHT_MAX_PX) for figure in page.chapters[0].all_of(Figure)}
    return {**sizes, **first}


def paper_sizes(page: Page) -> dict[str, ChartSize]:
    """The size of each chart in the PDF, by id."""
    widths, alone = PAPER_WIDTHS_PX, PAPER_WIDTHS_PX[1]
    sizes = dict(each for chapter in page.chapters for each in _sizes_in(chapter, widths, PAPER_ROW_MAX, alone))
    first = {figure.id: ChartSize(alone, PAPER_PICTURE_PX) for figure in page.chapters[0].all_of(Figure)}
    return {**sizes, **first}


def _sizes_in(
    chapter: Chapter, widths_px: Mapping[int, int], row_max: int, alone_px: int
) -> Iterator[tuple[str, ChartSize]]:
    alone = lone_chart(chapter)
    if alone is not None:
        yield alone.id, ChartSize(alone_px, HEIGHT_MAX_PX)
        return
    rows = [row for block in chapter.blocks if isinstance(block, Charts) for row in block.rows_of(row_max)]
    height = HEIGHT_MAX_PX if len(rows) == 1 else HEIGHT_MIN
    yield from ((figure.id, ChartSize(widths_px[len(row)], height)) for row in rows for figure in row)
