"""The report in Markdown, parsed: the page's content, pictures beside it, and hostile names as text."""

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from PIL import Image

from iosonde.analysis.run import RunAnalysis
from iosonde.findings import Finding
from iosonde.printing import printable
from iosonde.records import Experiment
from iosonde.report.blocks import FactGroup
from iosonde.report.drawing import Drawers
from iosonde.report.html import render_html
from iosonde.report.images import drawn_figures
from iosonde.report.markdown import escaped, page_markdown, pictures_folder, write_markdown
from iosonde.report.page import Page, page_of
from iosonde.report.tables import Head, Line, ResultTable
from tests.builders import cell_plan, finding, run_record, target_facts, workload
from tests.lab_builder import lab_run
from tests.report.hostile import NAMES
from tests.report.made_up import chapter, with_measured

FINDINGS = (finding(cells=("random-read-4KiB-qd256",)),)


class Texts(HTMLParser):
    """The texts of headings, cells of tables, captions and answers of a page."""

    TAGS = frozenset({"h1", "h2", "td", "th", "figcaption", "dt"})

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag in self.TAGS
        del attrs

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in self.TAGS

    def handle_data(self, data: str) -> None:
        if self.inside and data.strip():
            self.texts.append(" ".join(data.split()))


def parsed(text: str) -> list[Token]:
    """The tokens as GitHub's flavour has them: HTML allowed, tables and strikethrough on."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)


def inline(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield from token.children or ()


def plain(tokens: list[Token]) -> str:
    return "\n".join(
        "".join(child.content for child in token.children or () if child.type == "text") for token in tokens
    )


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(RunAnalysis(lab_run()), FINDINGS)


@pytest.fixture(scope="module")
def report(page: Page, tmp_path_factory: pytest.TempPathFactory, drawers: Drawers) -> Path:
    path = tmp_path_factory.mktemp("markdown") / "a report (1).md"
    written = write_markdown(page, path, drawers)
    assert written[0] == path
    assert len(written) == 1 + len(drawn_figures(page))
    return path


def test_it_says_what_the_html_page_says(report: Path) -> None:
    texts = Texts()
    texts.feed(render_html(page_of(RunAnalysis(lab_run()), FINDINGS)))
    said = plain(parsed(report.read_text(encoding="utf-8")))
    assert len(texts.texts) > 1500
    assert [text for text in texts.texts if text not in said] == []


def test_every_table_has_as_many_cells_in_each_row_as_in_its_head(page: Page, report: Path) -> None:
    tokens = parsed(report.read_text(encoding="utf-8"))
    tables = [token for token in tokens if token.type == "table_open"]
    assert len(tables) == 1 + len(page.all_of(ResultTable)) + 1 + len(page.all_of(FactGroup)) + 1
    lines = [line for line in report.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert len(lines) == sum(token.type == "tr_open" for token in tokens) + len(tables)


def test_every_picture_is_there_and_can_be_opened(page: Page, report: Path) -> None:
    images = [token for token in inline(parsed(report.read_text(encoding="utf-8"))) if token.type == "image"]
    assert len(images) == len(drawn_figures(page))
    for image in images:
        path = report.parent / unquote(str(image.attrs["src"]))
        assert path.parent == pictures_folder(report)
        with Image.open(path) as picture:
            picture.load()
            assert picture.width == 1600


def test_every_link_leads_to_a_heading(page: Page, report: Path) -> None:
    tokens = parsed(report.read_text(encoding="utf-8"))
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    names = {
        "".join(sign for sign in title.lower() if sign.isalnum() or sign in " -_").replace(" ", "-") for title in titles
    }
    links = [str(token.attrs["href"]) for token in inline(tokens) if token.type == "link_open"]
    assert len(links) == len(page.chapters) + len(page.all_of(Finding))
    assert [link for link in links if link.removeprefix("#") not in names] == []


def test_brands_stand_on_top() -> None:
    run = lab_run(repeats=1, quick=True, finished=False)
    text = page_markdown(page_of(RunAnalysis(run), []), "x")
    assert text.index("**QUICK**: The run was too short") < text.index("## Summary")
    assert text.index("**UNFINISHED**: The run was interrupted after") < text.index("**QUICK**")


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_stays_text_wherever_it_stands(name: str) -> None:
    hostile = replace(finding(statement=name, cells=(name,)), evidence=((name, name),), advice=name)
    run = run_record([cell_plan(workload(), Experiment.TAIL)], [], target=target_facts(name))
    page = page_of(RunAnalysis(run), [hostile])
    heads = (Head(name, number=False), Head("IOPS", name))
    table = ResultTable(name, heads, (Line((name, "1")), Line((name,), name)), (name,))
    tame = parsed(
        page_markdown(page_of(RunAnalysis(run_record([cell_plan(workload(), Experiment.TAIL)], [])), [finding()]), "x")
    )
    tokens = parsed(page_markdown(with_measured(page, chapter("Odd", name, page.figures, (table,))), "x"))
    kinds = {token.type for token in (*tokens, *inline(tokens))}
    assert kinds <= {token.type for token in (*tame, *inline(tame))} | {"text_special"}
    assert plain(tokens).count(" ".join(printable(name).split())) >= 8


@pytest.mark.parametrize(
    "name", [*NAMES, "1. one", "- x", "---", "===", "# a #", "+ b", "    four", "2) two", "-", "="]
)
def test_an_escaped_text_is_one_paragraph_that_says_it(name: str) -> None:
    tokens = parsed(escaped(name))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(token.content for token in inline(tokens)) == printable(name).strip()


@pytest.mark.parametrize("text", ["242.2", "173.6 to 306.2", "-5", "block_size_bytes", "± 12", "queue-depth"])
def test_a_harmless_text_is_left_as_it_is(text: str) -> None:
    assert escaped(text) == text
