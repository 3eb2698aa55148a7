"""Where the charts of a page are: how wide and how high each is drawn, which a script and a still picture share."""

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
"""The drawn field of a chart is no higher than this, less where charts have several rows: a chapter has one screen."""

PAPER_WIDTHS_PX: Final = {1: 800, 2: 390}
"""The same on paper, where 800 pixels are as wide as the text and letters have 7 points."""

PAPER_ROW_MAX: Final = 2
PAPER_PICTURE_PX: Final = HEIGHT_MIN
"""The picture of the first page is lower: all that a reader looks for first is on that page."""


@dataclass(frozen=True)
class ChartSize:
    """The place of a chart: its width, and the most that its drawn field may be high."""

    width_px: int
    height_px: int

    def lowered(self, specification: dict[str, Any]) -> dict[str, Any]:
        """The specification, with a lower field where it is as high as usual; one with a row for each cell stays."""
        is_usual = specification.get("height") == HEIGHT
        return {**specification, "height": min(HEIGHT, self.height_px)} if is_usual else specification


def lone_chart(chapter: Chapter) -> Figure | None:
    """The chart of a chapter that has one and no more: it is beside the words."""
    figures = chapter.all_of(Figure)
    return figures[0] if len(figures) == 1 else None


def specifications_of(page: Page) -> Iterator[tuple[str, dict[str, Any]]]:
    """The charts of a page in Vega-Lite, by id: as wide as what holds them, and no higher than their sizes."""
    sizes = page_sizes(page)
    for figure in page.figures:
        if figure.chart is not None:
            yield figure.id, sizes[figure.id].lowered(figure.specification)


def page_sizes(page: Page) -> dict[str, ChartSize]:
    """The place of each chart on the page, by its id."""
    sizes = dict(each for chapter in page.chapters for each in _sizes_in(chapter, WIDTHS_PX, ROW_MAX, BESIDE_WORDS_PX))
    first = {figure.id: ChartSize(WIDTHS_PX[2], HEIGHT_MAX_PX) for figure in page.chapters[0].all_of(Figure)}
    return {**sizes, **first}


def paper_sizes(page: Page) -> dict[str, ChartSize]:
    """The place of each chart on paper, by its id."""
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
