"""Every link in the docs leads to an existing file and section."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.house.checkout import ROOT, name_of

MARKDOWN = MarkdownIt("commonmark").enable("table")
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"


def pages() -> list[Path]:
    """The pages in the repository's root folder and below docs/."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


@cache
def tokens(page: Path) -> list[Token]:
    return MARKDOWN.parse(page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of the headings of a page, as GitHub makes them. A repeated heading gets a number."""
    found: Counter[str] = Counter()
    names = []
    for before, token in pairwise(tokens(page)):
        if before.type == "heading_open":
            text = "".join(child.content for child in token.children or [])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            names.append(f"{slug}-{found[slug]}" if found[slug] else slug)
            found[slug] += 1
    return frozenset(names)


def links(page: Path) -> Iterator[str]:
    for token in tokens(page):
        for child in token.children or []:
            for name in ("href", "src"):
                if name in child.attrs:
                    yield str(child.attrs[name])


def broken(page: Path) -> Iterator[str]:
    for link in links(page):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.exists():
            yield f"{link}: there is no such file"
        elif parts.path and not target.is_relative_to(ROOT):
            yield f"{link}: leads out of the checkout"
        elif parts.fragment and parts.fragment not in anchors(target):
            yield f"{link}: {target.name} has no such section"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_within_the_checkout_leads_to_a_file_and_a_section(page: Path) -> None:
    assert list(broken(page)) == []


def test_every_page_of_the_docs_is_reached_from_the_index() -> None:
    reached, ahead = set(), [INDEX]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        paths = (urlsplit(link) for link in links(page))
        linked = ((page.parent / parts.path).resolve() for parts in paths if parts.path and not parts.scheme)
        ahead.extend(path for path in linked if path.suffix == ".md" and path.is_relative_to(DOCS) and path.is_file())
    missed = [name_of(path) for path in pages() if path.is_relative_to(DOCS) and path not in reached]
    assert missed == []


def test_the_index_is_one_click_from_the_front_page() -> None:
    assert "docs/README.md" in set(links(ROOT / "README.md"))


def test_a_link_to_a_section_that_is_not_there_is_found(tmp_path: Path) -> None:
    assert {"iosonde", "quick-start", "before-you-run"} <= anchors(ROOT / "README.md")
    page = tmp_path / "page.md"
    page.write_text("# One\n\n[a](#one) [b](#two) [c](gone.md) [d](https://example.org/)\n", encoding="utf-8")
    assert [each.partition(":")[0] for each in broken(page)] == ["#two", "gone.md"]


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_a_picture_is_small_and_has_words_for_those_who_do_not_see_it(page: Path) -> None:
    for token in tokens(page):
        for child in token.children or []:
            if child.type == "image":
                assert len(child.content) > 20, child.attrs["src"]
                assert (page.parent / str(child.attrs["src"])).stat().st_size < 300_000
