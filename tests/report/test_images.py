"""Charts as pictures: decoded, of the right size, on white, in letters that are there."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import DRAWN, Figure
from iosonde.charts.theme import FONT
from iosonde.report.chart_sizes import ChartSize
from iosonde.report.drawing import PNG_SCALE, Drawers
from iosonde.report.fonts_folder import FAMILIES, drawable
from iosonde.report.images import (
    WIDTH_PX,
    chart_paths,
    draw_png,
    draw_svg,
    drawn_figures,
    rows_csv,
    size_px,
    specification_of,
    write_charts,
)
from iosonde.report.page import Page, page_of
from tests.lab_builder import lab_run
from tests.report.hostile import NAMES, NOT_DRAWN
from tests.report.pictures import COLOUR, ROWS, SHAPES, figure_of, points, raster

WHITE = (255, 255, 255)


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(RunAnalysis(lab_run(repeats=1, quick=True)), [])


@pytest.fixture(scope="module")
def folder(page: Page, tmp_path_factory: pytest.TempPathFactory, drawers: Drawers) -> Path:
    folder = tmp_path_factory.mktemp("charts")
    assert write_charts(page, folder, drawers) == chart_paths(page, folder)
    return folder


def opened(png: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(png))
    picture.load()
    return picture.convert("RGB")


def test_every_chart_of_the_page_is_there_as_svg_png_and_csv(page: Page, folder: Path) -> None:
    wanted = {f"{figure.id}{suffix}" for figure in page.figures for suffix in (".svg", ".png", ".csv")}
    assert {path.name for path in folder.iterdir()} == wanted
    assert len(wanted) >= 30


def test_a_png_is_twice_as_wide_as_its_svg_and_white_at_the_edges(folder: Path) -> None:
    for path in folder.glob("*.png"):
        width, height = size_px(path.with_suffix(".svg").read_text(encoding="utf-8"))
        picture = opened(path.read_bytes())
        assert [picture.width, picture.height] == [width * PNG_SCALE, height * PNG_SCALE]
        for place in ((0, 0), (picture.width - 1, picture.height - 1)):
            assert picture.getpixel(place) == WHITE
        assert len(picture.getcolors(1 << 24) or ()) > 10, path.name


def test_an_svg_is_well_formed_and_names_fonts_of_the_same_widths_only(folder: Path) -> None:
    for path in folder.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        ET.fromstring(text)  # noqa: S314 - our own file
        assert set(re.findall(r'font-family="([^"]*)"', text)) == {FAMILIES}
        assert "system-ui" not in text


def test_a_chart_that_stands_alone_carries_its_title_and_the_brands_of_its_run(page: Page, folder: Path) -> None:
    for figure in page.figures:
        text = (folder / f"{figure.id}.svg").read_text(encoding="utf-8")
        assert figure.title in text
        assert "QUICK: The run was too short" in text
        assert figure.caption.split(" ", 1)[0] in text


def test_the_csv_of_a_chart_holds_its_values_and_nothing_of_the_drawing(page: Page, folder: Path) -> None:
    for figure in page.figures:
        with (folder / f"{figure.id}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(figure.rows)
        for row, expected in zip(rows, figure.rows, strict=True):
            assert not [name for name in row if name.startswith(DRAWN)]
            for name, value in expected.items():
                if name.startswith(DRAWN):
                    continue
                written = str(value).lower() if isinstance(value, bool) else str(value)
                assert row[name] == ("" if value is None else written)


def test_a_csv_has_the_columns_of_all_rows() -> None:
    assert rows_csv([{"a": 1, "b": [2, 3]}, {"a": None, "c": True}]) == 'a,b,c\n1,"[2, 3]",\n,,true\n'


@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_of_chart_is_drawn_at_a_fixed_width(shape: str) -> None:
    figure = figure_of(SHAPES[shape]())
    assert "container" not in str(specification_of(figure))
    width, height = size_px(draw_svg(figure))
    assert 100 < width <= WIDTH_PX * 1.3
    assert height > 100


def test_a_chart_without_figures_has_no_picture(page: Page) -> None:
    empty = Figure("empty", "Empty", "Nothing.", None, ())
    assert drawn_figures(page_with(page, empty)) == page.figures


def page_with(page: Page, figure: Figure) -> Page:
    first, *others = page.chapters
    return replace(page, chapters=(replace(first, blocks=(*first.blocks, figure)), *others))


def test_a_picture_in_a_chart_is_in_its_png() -> None:
    colours = opened(draw_png(draw_svg(figure_of(raster())))).getcolors(1 << 24)
    assert colours is not None
    assert next(count for count, colour in colours if colour == COLOUR) >= 300 * 200 * PNG_SCALE**2 * 0.98


def test_a_chart_is_the_same_whatever_was_drawn_before() -> None:
    first = draw_svg(figure_of(points()))
    for shape in SHAPES.values():
        draw_svg(figure_of(shape()))
    assert draw_svg(figure_of(points())) == first


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_in_a_chart_stays_text_that_can_be_drawn(name: str) -> None:
    chart = points().properties(title=name)
    root = ET.fromstring(draw_svg(figure_of(chart)))  # noqa: S314 - our own file
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    shown = drawable(name)
    assert any(text.rstrip("…") and shown.startswith(text.rstrip("…")[:40]) for text in texts)
    assert not any("script" in each.tag for each in root.iter())


def test_letters_that_the_font_lacks_are_escapes() -> None:
    assert drawable(NOT_DRAWN) == r"\u4e2d\u6587 \U0001f4be \u0639\u0631\u0628\u064a"
    assert drawable("± µs – × Ωé") == "± µs – × Ωé"


def test_a_font_that_a_chart_names_is_replaced() -> None:
    chart = points().configure_axis(labelFont=FONT, titleFont="Comic Sans MS")
    specification: dict[str, Any] = specification_of(figure_of(chart))
    assert specification["config"]["axis"] == {"labelFont": FAMILIES, "titleFont": FAMILIES}
    assert specification["config"]["font"] == FAMILIES
    assert list(specification["datasets"].values()) == [list(ROWS)]


@pytest.mark.parametrize(("width_px", "columns"), [(800, 4), (390, 3), (200, 1)])
def test_a_legend_has_as_many_columns_as_fit_the_width(width_px: int, columns: int) -> None:
    names = [f"{jobs} × QD {depth}" for jobs in (1, 2) for depth in (1, 4, 8)]
    channel = {"field": "series", "scale": {"domain": names}, "legend": {"columns": 4}}
    asked = {"height": 340, "layer": [{"mark": "line", "encoding": {"color": channel}}]}

    found = ChartSize(width_px, 230).lowered(asked)
    assert found["layer"][0]["encoding"]["color"]["legend"]["columns"] == columns
