"""Renders charts as SVG and PNG, without a browser and identically on every machine."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from iosonde.charts.figure import DRAWN, Figure, Row
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.printing import without_formula
from iosonde.report.drawing import Drawers, DrawingError, png_of, svg_of
from iosonde.report.fonts_folder import FAMILIES, drawable
from iosonde.report.page import Page
from iosonde.safe_files import write_files

WIDTH_PX: Final = 800
"""The width of an image in pixels. On the full width of an A4 page, its letters have 8 points."""

CAPTION_LINE_MAX: Final = 120
"""The most characters in a line of a caption."""

TITLE_LINE_MAX: Final = 84
"""The most characters in a line of the title. A longer line would leave no width for the plot."""

SUFFIXES: Final = (".svg", ".png", ".csv")
_FONT_KEYS: Final = frozenset({"font", "labelFont", "titleFont", "subtitleFont"})
_SIZE: Final = re.compile(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"')


def draw_svg(figure: Figure, page: Page | None = None) -> str:
    """A chart as SVG on white. If ``page`` is given, the image includes title, subject, brands and caption.

    The figure must have a chart.
    """
    return svg_of(json.dumps(specification_of(figure, page)).encode()).decode()


def draw_png(svg: str) -> bytes:
    """Converts an SVG from ``draw_svg`` to a PNG that is ``PNG_SCALE`` times as wide in pixels."""
    return png_of(svg.encode())


def size_px(svg: str) -> tuple[float, float]:
    """The width and height of an SVG that iosonde drew."""
    found = _SIZE.search(svg)
    assert found is not None
    return float(found[1]), float(found[2])


def specification_of(figure: Figure, page: Page | None = None) -> dict[str, Any]:
    """A chart's Vega-Lite specification for an image: with a fixed width, a white background and available fonts."""
    specification = picture_of(figure.specification)
    if page is not None and "title" not in specification:
        sentences = [drawable(f"{brand.word.upper()}: {brand.sentence}") for brand in page.brands]
        brands = "".join(f"[{brand.word}] " for brand in page.brands)
        above = [drawable(page.subject), *sentences, drawable(figure.caption)]
        specification["title"] = {
            "text": wrap(f"{brands}{drawable(figure.title)}", TITLE_LINE_MAX),
            "color": "#b3261e" if sentences else "#1f2933",
            "anchor": "start",
            "fontSize": 16,
            "offset": 12,
            "subtitle": [line for each in above for line in wrap(each, CAPTION_LINE_MAX)],
            "subtitleColor": "#52606d",
            "subtitleFontSize": 12.5,
        }
    return specification


def picture_of(specification: dict[str, Any], width_px: float = WIDTH_PX, background: str = "white") -> dict[str, Any]:
    """The specification with a fixed width and available fonts."""
    made: dict[str, Any] = _lettered(_sized(specification, width_px))
    return {**made, "background": background, "config": {**made.get("config", {}), "font": FAMILIES}}


@dataclass(frozen=True)
class Pictures:
    """The drawn charts of a page, by id. On ``page``, a notice replaces each chart that could not be drawn."""

    page: Page
    svgs: Mapping[str, str]
    pngs: Mapping[str, bytes]


def draw_pictures(
    page: Page,
    drawers: Drawers,
    failures: FailureLog,
    specification: Callable[[Figure], dict[str, Any]] = specification_of,
    *,
    with_pngs: bool,
) -> Pictures:
    """Draws the charts of a page. Raises OutputError if a drawing process has ended.

    ``specification`` returns the Vega-Lite specification of a figure.
    """
    failed: dict[str, PartFailure] = {}

    def results(asked: Iterable[tuple[Figure, Future[bytes]]]) -> dict[str, bytes]:
        drawn: dict[str, bytes] = {}
        for figure, each in asked:
            try:
                drawn[figure.id] = each.result()
            except DrawingError as error:
                failed[figure.id] = failures.note(f'the image of the chart "{figure.title}"', error)
        return drawn

    figures = drawn_figures(page)
    svgs = results(zip(figures, drawers.svgs(specification(figure) for figure in figures), strict=True))
    known = [figure for figure in figures if figure.id in svgs] if with_pngs else []
    pngs = results(zip(known, drawers.pngs(svgs[figure.id] for figure in known), strict=True))
    whole = {name: svg.decode() for name, svg in svgs.items() if name not in failed}
    return Pictures(page.without_charts(failed), whole, pngs)


def write_charts(page: Page, directory: Path, drawers: Drawers, failures: FailureLog = STRICT) -> tuple[Path, ...]:
    """Writes ``ID.svg``, ``ID.png`` and ``ID.csv`` for each chart of the page into a directory. Raises OutputError.

    A figure that draws nothing or cannot be drawn has no files. If a file cannot be written, none is.
    """
    drawn = draw_pictures(page, drawers, failures, lambda figure: specification_of(figure, page), with_pngs=True)
    return write_files(_charts(drawn, directory))


def chart_paths(page: Page, directory: Path) -> tuple[Path, ...]:
    """The files that ``write_charts`` writes."""
    return tuple(path for figure in drawn_figures(page) for path in _paths_of(figure, directory))


def _charts(drawn: Pictures, directory: Path) -> Iterator[tuple[Path, str | bytes]]:
    for figure in drawn_figures(drawn.page):
        contents = (drawn.svgs[figure.id], drawn.pngs[figure.id], rows_csv(figure.rows))
        yield from zip(_paths_of(figure, directory), contents, strict=True)


def _paths_of(figure: Figure, directory: Path) -> tuple[Path, ...]:
    return tuple(directory / f"{figure.id}{suffix}" for suffix in SUFFIXES)


def drawn_figures(page: Page) -> tuple[Figure, ...]:
    """The figures of the page that draw something."""
    return tuple(figure for figure in page.figures if figure.chart is not None)


def rows_csv(rows: Sequence[Row]) -> str:
    """The values of a chart as CSV, without the fields used only for drawing. A missing value is an empty field."""
    names = dict.fromkeys(name for row in rows for name in row if not name.startswith(DRAWN))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _field(value) for name, value in row.items() if name in names})
    return text.getvalue()


def _field(value: Any) -> Any:  # noqa: ANN401 - whatever a chart draws
    if isinstance(value, str):
        return without_formula(value)
    return json.dumps(value) if isinstance(value, (list, dict, bool)) else value


def _sized(specification: dict[str, Any], width_px: float) -> dict[str, Any]:
    """The specification with a width in pixels wherever its width is that of the container."""
    sized = dict(specification)
    if sized.get("width") == "container":
        sized["width"] = width_px
    for name in ("hconcat", "concat"):
        if name in sized:
            columns = min(len(sized[name]), sized.get("columns", len(sized[name]))) or 1
            sized[name] = [_sized(each, width_px / columns) for each in sized[name]]
    for name in ("vconcat", "layer"):
        if name in sized:
            sized[name] = [_sized(each, width_px) for each in sized[name]]
    if isinstance(sized.get("spec"), dict):
        sized["spec"] = _sized(sized["spec"], width_px)
    return sized


def _lettered(value: Any, name: str = "") -> Any:  # noqa: ANN401 - any part of a specification
    """The specification with drawable text and available fonts only."""
    if isinstance(value, dict):
        return {key: _lettered(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_lettered(each) for each in value]
    if isinstance(value, str):
        return FAMILIES if name in _FONT_KEYS else drawable(value)
    return value
