"""Pages with chapters that a test makes up."""

from dataclasses import replace

from iosonde.charts.figure import Figure
from iosonde.report.blocks import Chapter, Charts, Paragraph
from iosonde.report.page import Page
from iosonde.report.tables import ResultTable
from iosonde.report.titles import CONDITIONS, DEFINITIONS, FINDINGS, IN_SHORT

FRAME = {heading.id for heading in (IN_SHORT, FINDINGS, CONDITIONS, DEFINITIONS)}
"""The chapters that stand around those about what was measured."""


def chapter_of(page: Page, identity: str) -> Chapter:
    """The chapter with this id."""
    return next(chapter for chapter in page.chapters if chapter.id == identity)


def measured(page: Page) -> tuple[Chapter, ...]:
    """The chapters about what was measured."""
    return tuple(chapter for chapter in page.chapters if chapter.id not in FRAME)


def with_measured(page: Page, *made_up: Chapter) -> Page:
    """The page with these chapters in the place of those about what was measured, and without the first picture."""
    first, *others = (chapter for chapter in page.chapters if chapter.id in FRAME)
    words = tuple(block for block in first.blocks if not isinstance(block, Figure))
    return replace(page, chapters=(replace(first, blocks=words), *made_up, *others))


def chapter(
    title: str, sentence: str = "", figures: tuple[Figure, ...] = (), tables: tuple[ResultTable, ...] = ()
) -> Chapter:
    """A chapter as those of experiments are."""
    words = (Paragraph(sentence),) if sentence else ()
    return Chapter("made-up", title, (*words, Charts(figures), *tables))
