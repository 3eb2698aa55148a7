"""One tree of chapters: what stands in it stands in every form of the report, in the same order."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.report.blocks import (
    Answers,
    Block,
    Cards,
    Chapter,
    Charts,
    FactGroup,
    FactGroups,
    Folded,
    Glance,
    Key,
    Listing,
    Notice,
    Paragraph,
    Terms,
)
from iosonde.report.drawing import Drawers
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.html import render_html
from iosonde.report.markdown import page_markdown
from iosonde.report.page import Page, page_of
from iosonde.report.pdf import paper_data, render_pdf
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.titles import DEFINITIONS, FINDINGS
from iosonde.vocabulary import Paper
from tests.builders import finding
from tests.lab_builder import lab_run
from tests.report.made_up import measured, with_measured
from tests.report.paged import Paged, squeezed
from tests.report.plain_text import page_text

_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_SAID_BY_PAGES_ALONE = re.compile(r"<head>.*?</head>|<script.*?</script>|<[^>]*>", re.DOTALL)
FORMS = ("page", "paper", "markdown")


def table(name: str) -> ResultTable:
    return ResultTable(f"caption of {name}", (Head(f"head of {name}"),), (Line((f"cell of {name}",)),), ())


def figure(name: str) -> Figure:
    return Figure(name, f"title of {name}", f"caption of {name}", None, (), nothing=f"nothing in {name}")


FOUND = finding("made-up-finding", statement="statement of the finding")
BLOCKS: tuple[Block, ...] = (
    Paragraph("words of a paragraph"),
    Notice("words of a notice"),
    Answers(("first answer", "second answer")),
    Glance("title of a glance", (FOUND,)),
    Cards((HeadlineGroup("card", "name of a card", "where of a card", "cell-of-a-card", (), missing="why no card"),)),
    figure("lone-chart"),
    Charts((figure("left-chart"), figure("right-chart"))),
    table("a table"),
    Listing("title of a listing", "content of a listing", table("a listing")),
    FactGroup("lone facts", (("name of a fact", "value of a fact"),)),
    FactGroups((FactGroup("title of facts", (("another fact", "its value"),)),)),
    FOUND,
    Terms((("a term", "meaning of a term"),)),
    Key("units of a key", (("§", "meaning of a sign"),)),
    Folded("what is folded", (Paragraph("words of a fold"), table("a folded table"))),
    Folded("what paper has", (Paragraph("words for paper"),), on_paper=True),
)
SAID = (
    *("the lead of it", "words of a paragraph", "words of a notice", "first answer", "second answer"),
    *("title of a glance", "made-up-finding", "name of a card", "where of a card", "why no card", "cell-of-a-card"),
    *(f"{of} {name}" for name in ("lone-chart", "left-chart", "right-chart") for of in ("title of", "nothing in")),
    *("caption of a table", "head of a table", "cell of a table", "title of a listing: content of a listing"),
    *("lone facts", "name of a fact", "value of a fact", "title of facts", "another fact", "its value"),
    *("statement of the finding", "a term", "meaning of a term", "units of a key", "§", "meaning of a sign"),
    "words for paper",
)
LEFT_TO_PAGE = ("caption of a listing", "cell of a listing", "words of a fold", "cell of a folded table")
"""What is behind a control on the page: paper does without it, and Markdown has it in full."""


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(RunAnalysis(lab_run(with_intervals=True)), [finding(cells=("random-read-4KiB-qd256",))])


def shown(text: str) -> str:
    """What a reader sees of an HTML page."""
    return html.unescape(_SAID_BY_PAGES_ALONE.sub(" ", text))


def texts_of(data: object) -> Iterator[str]:
    """All texts in what the Typst template is given."""
    if isinstance(data, Mapping):
        data = tuple(data.values())
    if isinstance(data, (list, tuple)):
        for each in data:
            yield from texts_of(each)
    elif isinstance(data, str):
        yield data


def text_in(form: str, page: Page) -> str:
    if form == "page":
        return shown(render_html(page))
    if form == "markdown":
        return page_markdown(page, "charts").replace("\\", "")
    data: dict[str, Any] = paper_data(page, Paper.A4, {})
    return "\n".join(texts_of((data["identity"], data["targets"], data["chapters"])))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_made_in_a_test_from_the_same_chapters_holds_every_number_of_the_others(page: Page, form: str) -> None:
    told = set(_NUMBER.findall(text_in(form, page)))
    assert len(told) > (400 if form == "paper" else 500)
    assert told - set(_NUMBER.findall(page_text(page))) == set()


def test_the_made_up_chapter_has_every_kind_of_block() -> None:
    assert {type(block) for block in BLOCKS} == set(get_args(Block))


def test_a_chapter_made_up_of_any_blocks_is_said_in_every_form(page: Page, drawers: Drawers) -> None:
    made_up = with_measured(page, Chapter("made-up", "A made-up chapter", BLOCKS, ("the lead of it",)))
    letters = Paged(render_pdf(made_up, drawers)).letters
    assert [text for text in SAID if squeezed(text) not in letters] == []
    assert [text for text in LEFT_TO_PAGE if squeezed(text) in letters] == []
    for form in FORMS:
        text = text_in(form, made_up)
        said = SAID if form == "paper" else (*SAID, *LEFT_TO_PAGE)
        assert [each for each in said if each not in text] == [], form


def test_a_made_up_chapter_stands_in_its_place_and_can_be_gone_to_in_every_form(page: Page, drawers: Drawers) -> None:
    title = "A made-up chapter"
    made_up = with_measured(page, Chapter("made-up", title, (Paragraph("words"),)), *measured(page)[-1:])
    titles = [chapter.title for chapter in made_up.chapters]
    written, marked = render_html(made_up), page_markdown(made_up, "charts")
    assert re.findall(r"^ +<h2>(.*?)</h2>$", written, flags=re.MULTILINE) == titles
    assert f'<a href="#made-up">{title}</a>' in written
    assert re.findall(r"^## (.*)$", marked, flags=re.MULTILINE) == titles
    assert f"- [{title}](#a-made-up-chapter)" in marked
    toc = Paged(render_pdf(made_up, drawers)).document.get_toc()
    assert [mark.get_title() for mark in toc if mark.level == 0] == titles


def test_a_short_name_stands_where_there_is_little_room(page: Page) -> None:
    names = {chapter.id: chapter.name for chapter in page.chapters}
    assert names[FINDINGS.id] == "Findings (1)"
    assert names[DEFINITIONS.id] == "Definitions"
    assert names["queue-depth"] == "Queue-depth sweep"
