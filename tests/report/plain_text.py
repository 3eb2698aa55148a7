"""A fourth form of the report, which the tests alone have: plain text, made from the same chapters as the others."""

from collections.abc import Iterator
from functools import singledispatch

from iosonde.charts.figure import Figure
from iosonde.findings import Finding
from iosonde.report.blocks import (
    Answers,
    Cards,
    FactGroup,
    Glance,
    Key,
    Leaf,
    Listing,
    Notice,
    Paragraph,
    Terms,
    left_out_text,
    nothing_text,
)
from iosonde.report.display import figure_text
from iosonde.report.page import Page
from iosonde.report.tables import ResultTable


def page_text(page: Page) -> str:
    """The whole report, a line for each thing that it says."""
    return "\n".join(_lines(page))


def _lines(page: Page) -> Iterator[str]:
    yield page.target
    yield from (f"{brand.word}: {brand.sentence}" for brand in page.brands)
    yield from (f"{name}: {value}" for name, value in page.identity_pairs)
    yield from (chapter.name for chapter in page.chapters)
    for chapter in page.chapters:
        yield chapter.title
        yield from chapter.lead
        for block in chapter.in_line:
            yield from _told(block)


@singledispatch
def _told(block: Leaf) -> Iterator[str]:
    raise AssertionError(block)


@_told.register
def _(block: Paragraph) -> Iterator[str]:
    yield block.text


@_told.register
def _(block: Notice) -> Iterator[str]:
    yield block.sentence


@_told.register
def _(block: Answers) -> Iterator[str]:
    yield from block.sentences


@_told.register
def _(block: Glance) -> Iterator[str]:
    yield block.title
    yield from (f"{number}. {each.severity} {each.id}" for number, each in enumerate(block.findings, start=1))


@_told.register
def _(block: Cards) -> Iterator[str]:
    for group in block.groups:
        yield f"{group.name}, {group.where_text}, {group.cell}: {group.missing_text}"
        for figure in group.figures:
            text = figure_text(figure)
            yield f"{figure.name} {text.value} {text.spread} {text.sign} {text.why} {text.unit}"


@_told.register
def _(block: Figure) -> Iterator[str]:
    yield block.title
    yield nothing_text(block) if block.chart is None else block.id
    yield f"{block.caption} {left_out_text(block)}"


@_told.register
def _(block: ResultTable) -> Iterator[str]:
    yield block.caption
    yield " | ".join(f"{head.name} {head.unit}" for head in block.heads)
    for line in block.lines:
        yield " | ".join([line.texts[0], line.gap_text] if line.gap else line.texts) + line.invalid
    yield from block.notes


@_told.register
def _(block: Listing) -> Iterator[str]:
    yield block.heading
    yield from _told(block.table)


@_told.register
def _(block: FactGroup) -> Iterator[str]:
    yield block.title
    yield from (f"{name}: {value}" for name, value in block.facts)


@_told.register
def _(block: Finding) -> Iterator[str]:
    yield f"{block.severity}: {block.id} ({block.confidence}): {block.statement}"
    yield from (f"{name}: {value}" for name, value in block.evidence)
    yield from (block.advice, block.deciding_test, ", ".join(block.cells))


@_told.register
def _(block: Key) -> Iterator[str]:
    yield block.units
    yield from (f"{sign} {meaning}" for sign, meaning in block.signs)


@_told.register
def _(block: Terms) -> Iterator[str]:
    yield from (f"{term}: {meaning}" for term, meaning in block.pairs)
