"""The report on paper, opened and read: pages, text, links, fonts, and what a hostile name can't do to it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.findings import Finding
from iosonde.records import Experiment, RunRecord
from iosonde.report.blocks import FactGroup, Paragraph, Terms
from iosonde.report.dashes import Dash, explained
from iosonde.report.drawing import Drawers
from iosonde.report.fonts_folder import drawable
from iosonde.report.page import Page, page_of
from iosonde.report.pdf import RUNNING_LENGTH_MAX, render_pdf, shortened
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.vocabulary import Paper
from tests.builders import cell_plan, finding, run_record, target_facts, workload
from tests.lab_builder import lab_run
from tests.report.hostile import NAMES
from tests.report.made_up import chapter, with_measured
from tests.report.paged import Paged, squeezed
from tests.report.pictures import SHAPES, figure_of

SIZES_POINTS = {Paper.A4: (595.28, 841.89), Paper.LETTER: (612.0, 792.0)}
FONTS = re.compile(r"^(?:[A-Z]{6}\+)?(?:LiberationSans|DejaVuSansMono)(?:-Bold)?$")
PDF_BYTES_MAX = 2_000_000
RAISED = str.maketrans("⁰¹²³⁶⁹⁻", "012369\u2212")
"""Letters that the template raises: a reader copies them as plain ones."""


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(RunAnalysis(lab_run()), [finding(cells=("random-read-4KiB-qd256",))])


@pytest.fixture(scope="module")
def paged(page: Page, drawers: Drawers) -> Paged:
    return Paged(render_pdf(page, drawers))


def empty_run(path: str = "/srv/data") -> RunRecord:
    return run_record([cell_plan(workload(), Experiment.TAIL)], [], finished=False, target=target_facts(path))


@pytest.mark.parametrize("paper", Paper)
def test_pages_have_the_size_that_was_asked_for(paper: Paper, drawers: Drawers) -> None:
    paged = Paged(render_pdf(page_of(RunAnalysis(empty_run()), []), drawers, paper))
    for each in paged.pages:
        assert each.get_size() == pytest.approx(SIZES_POINTS[paper], abs=0.1)


def test_the_same_run_gives_the_same_bytes(page: Page, paged: Paged, drawers: Drawers) -> None:
    assert render_pdf(page, drawers) == paged.content
    assert len(paged.content) < PDF_BYTES_MAX


def test_every_chapter_is_in_the_contents_with_its_page(page: Page, paged: Paged) -> None:
    marks = [mark for mark in paged.document.get_toc() if mark.level == 0]
    assert [mark.get_title() for mark in marks] == [each.title for each in page.chapters]
    numbers = [mark.get_dest().get_index() for mark in marks]
    assert numbers == sorted(numbers)
    assert set(numbers) <= set(paged.links(0))
    for each, number in zip(page.chapters, numbers, strict=True):
        assert f"{squeezed(each.title)}{number + 1}" in squeezed(paged.texts[0])
        assert each.title in paged.texts[number]


def test_every_page_says_which_it_is_and_of_which_run(page: Page, paged: Paged) -> None:
    for number, text in enumerate(paged.texts, start=1):
        assert f"{number} of {len(paged.texts)}" in text
        assert f"iosonde report, run {page.run}" in text


def test_what_the_page_says_is_on_paper(page: Page, paged: Paged) -> None:
    letters = paged.letters
    said = [
        *(sentence for each in page.chapters for sentence in each.lead),
        *(block.text for each in page.chapters for block in each.blocks if isinstance(block, Paragraph)),
        *(text for figure in page.figures for text in (figure.title, figure.caption)),
        *(text for each in page.all_of(Finding) for text in (each.statement, each.advice, each.deciding_test)),
        *(text for each in page.all_of(FactGroup) for pair in each.facts for text in pair),
        *(text for terms in page.all_of(Terms) for pair in terms.pairs for text in pair),
    ]
    assert len(said) > 100
    assert [text for text in said if squeezed(text).translate(RAISED) not in letters] == []


def test_every_value_of_the_table_of_each_experiment_is_on_paper(page: Page, paged: Paged) -> None:
    letters = paged.letters
    tables = [block for chapter in page.chapters for block in chapter.blocks if isinstance(block, ResultTable)]
    assert len(tables) == 5
    parts = {part for table in tables for line in table.lines for text in line.texts for part in text.split(" ± ")}
    assert len(parts) > 200
    assert [part for part in parts if squeezed(part).translate(RAISED) not in letters] == []


def test_the_texts_of_charts_are_text(paged: Paged) -> None:
    assert "Queuedepth(inflight),logscale" in paged.letters
    assert "sequentialwrite" in paged.letters


def test_every_letter_is_of_a_font_that_comes_with_iosonde_or_typst(paged: Paged) -> None:
    fonts = paged.fonts()
    assert fonts
    assert {font for font in fonts if not FONTS.match(font)} == set()
    assert "\ufffd" not in paged.letters
    assert "\x00" not in paged.letters


def test_a_doubted_figure_leads_to_its_finding(page: Page, paged: Paged) -> None:
    (number,) = [number for number, text in enumerate(paged.texts) if "Unreliable, see span-fits-cache" in text]
    target = paged.links(number)[-1]
    assert page.all_of(Finding)[0].statement in paged.texts[target]


@pytest.mark.parametrize(
    ("changes", "brands"),
    [
        ({"quick": True}, ["QUICK"]),
        ({"finished": False}, ["UNFINISHED"]),
        ({"build_profile": "debug", "quick": True}, ["DEBUG ENGINE", "QUICK"]),
    ],
)
def test_brands_stand_on_every_page(changes: dict[str, bool | str], brands: Sequence[str], drawers: Drawers) -> None:
    run = lab_run(repeats=1, **changes)  # type: ignore[arg-type]  # each case changes others
    page = with_measured(page_of(RunAnalysis(run), []))
    paged = Paged(render_pdf(page, drawers))
    assert len(paged.texts) > 2
    assert all(", ".join(brands) in text for text in paged.texts)
    assert all(brand.sentence in paged.texts[0] for brand in page.brands)


def test_a_run_in_which_nothing_was_measured_still_makes_a_pdf(drawers: Drawers) -> None:
    text = " ".join(Paged(render_pdf(page_of(RunAnalysis(empty_run()), []), drawers)).texts)
    assert "No data: no cell in this chart has results." in text
    assert "No results: random-read-4KiB-qd8 was not measured." in text


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_stays_text_and_on_its_page(name: str, drawers: Drawers) -> None:
    hostile = replace(finding(statement=name, cells=(name,)), evidence=((name, name),), advice=name)
    page = page_of(RunAnalysis(empty_run(name)), [hostile])
    heads = (Head(name, number=False), Head("IOPS", name))
    table = ResultTable(name, heads, (Line((name, "1")), Line((name,), name)), (name,))
    paged = Paged(render_pdf(with_measured(page, chapter(name, name, page.figures, (table,))), drawers))
    assert paged.letters.count(squeezed(drawable(name))) >= 10
    assert paged.outside() == []
    assert {font for font in paged.fonts() if not FONTS.match(font)} == set()


@pytest.mark.parametrize("columns", [8, 16, 24, 60])
def test_a_table_of_any_width_fits_its_page(page: Page, columns: int, drawers: Drawers) -> None:
    heads = (Head("Cell", number=False), *(Head(f"Column {number}", "operations/s") for number in range(columns)))
    values = [f"{number + 1},234,567 ± 1,{number + 100}" for number in range(columns)]
    table = ResultTable("Wide.", heads, tuple(Line((f"row-{row}", *values)) for row in range(30)), ())
    paged = Paged(render_pdf(with_measured(page, chapter("Wide", tables=(table,))), drawers))
    assert paged.outside() == []
    for value in values:
        assert paged.letters.count(squeezed(value.split(" ± ")[0])) >= 30


def test_every_mark_of_a_missing_value_is_a_raised_digit_and_no_escape(page: Page, drawers: Drawers) -> None:
    reasons = [f"reason {number}" for number in range(1, 21)]
    rows, notes = explained([(f"row-{reason[7:]}", Dash(reason)) for reason in reasons])
    table = ResultTable("Marks.", (Head("Cell", number=False), Head("Value")), tuple(map(Line, rows)), notes)
    paged = Paged(render_pdf(with_measured(page, chapter("Marks", tables=(table,))), drawers))
    assert "\\u" not in paged.letters
    plain = paged.letters.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
    assert [reason for reason in reasons if f"–{reason[7:]}:{squeezed(reason)}." not in plain] == []


def test_columns_of_a_table_do_not_run_into_each_other(paged: Paged) -> None:
    for each in paged.pages:
        text = each.get_textpage()
        boxes = [text.get_charbox(index) for index in range(text.count_chars())]
        overlaps = [
            (first, second)
            for first, second in pairwise(boxes)
            if abs(first[1] - second[1]) < 0.1 and first[0] < second[0] < first[2] - 2.5
        ]
        assert overlaps == []


@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_of_chart_is_on_paper(page: Page, shape: str, drawers: Drawers) -> None:
    made_up = chapter("A shape", figures=(figure_of(SHAPES[shape]()),))
    paged = Paged(render_pdf(with_measured(page, made_up), drawers))
    assert "A made-up chart" in " ".join(paged.texts)
    assert paged.outside() == []


def test_a_long_name_loses_its_middle_in_the_head_of_a_page() -> None:
    assert shortened("/srv/data") == "/srv/data"
    short = shortened(f"a{'x' * 500}b")
    assert len(short) <= RUNNING_LENGTH_MAX
    assert (short[0], short[-1], "…" in short) == ("a", "b", True)
