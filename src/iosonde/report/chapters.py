"""The page as chapters, for forms that are laid out from top to bottom: paper and Markdown."""

from dataclasses import dataclass
from typing import Final

from iosonde.charts.figure import Figure
from iosonde.findings.finding import Finding
from iosonde.report.facts import FactGroup
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.page import Page
from iosonde.report.result_tables import Head, Line, ResultTable
from iosonde.report.sections import Section

NOTHING_FOUND: Final = "No rule found anything to object to."


@dataclass(frozen=True)
class Answers:
    """Sentences that stand apart from one another."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Glance:
    """The findings at a glance: which there are, each with its place."""

    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Cards:
    """The headline: groups of figures that stand side by side."""

    groups: tuple[HeadlineGroup, ...]


@dataclass(frozen=True)
class Titled:
    """A table under a heading of its own."""

    title: str
    table: ResultTable


@dataclass(frozen=True)
class Terms:
    """Pairs of a term and what it means."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Notice:
    """What stands in the place of something that could not be made."""

    sentence: str


Part = Answers | Glance | Cards | Finding | Figure | ResultTable | Titled | FactGroup | Terms | Notice


@dataclass(frozen=True)
class Chapter:
    """What stands under one heading. ``lead`` says what follows; ``sentences`` are its answers in words."""

    id: str
    title: str
    lead: str
    sentences: tuple[str, ...]
    parts: tuple[Part, ...]


def identity_pairs(page: Page) -> tuple[tuple[str, str], ...]:
    """What was measured, when and by what: the lines below the title."""
    return (
        ("Identity", page.identity),
        ("Span", page.span),
        ("Measured", page.created_at),
        ("Run", page.run),
        ("Made by", f"iosonde {page.version}"),
    )


def chapters_of(page: Page) -> tuple[Chapter, ...]:
    """All of the page below its title, in its order and in its words."""
    return (
        _answers(page),
        *_headline(page),
        *map(_section, page.sections),
        _findings(page),
        Chapter("conditions", "Conditions", "", (), (*_notices(page, "conditions"), *page.facts, _plan(page))),
        Chapter("definitions", "How each number is defined", "", (), (Terms(page.definitions),)),
    )


def part_name(part: Part) -> str:
    """What a part is called where it could not be written."""
    if isinstance(part, Figure):
        return f'the chart "{part.title}"'
    if isinstance(part, Finding):
        return f'the finding "{part.id}"'
    if isinstance(part, Titled | FactGroup):
        return f'the table "{part.title}"'
    return f"the table: {part.caption}" if isinstance(part, ResultTable) else f"the {type(part).__name__.lower()}"


def nothing_text(figure: Figure) -> str:
    """What stands in the place of a chart that draws nothing."""
    return figure.failure or figure.nothing


def _section(section: Section) -> Chapter:
    sentences = (section.sentence,) if section.sentence else ()
    return Chapter(
        section.id,
        section.title,
        "",
        sentences,
        (*map(Notice, section.failures), *section.figures, *section.tables),
    )


def _notices(page: Page, section: str) -> tuple[Notice, ...]:
    return tuple(map(Notice, page.failed.get(section, ())))


def left_out_text(figure: Figure) -> str:
    """What the chart leaves out, in one sentence; empty where that is nothing."""
    if not figure.left_out:
        return ""
    return f"Left out: {'; '.join(figure.left_out)}."


def _headline(page: Page) -> tuple[Chapter, ...]:
    notices = _notices(page, "headline")
    if not page.headline.groups:
        return (Chapter("headline", "Headline", "", (), notices),) if notices else ()
    lead = f"Means over {page.repeats} repeats with their 95 % intervals; percentiles over all repeats together."
    more = (page.headline.untold_text,) if page.headline.untold else ()
    return (Chapter("headline", "Headline", lead, more, (*notices, Cards(page.headline.groups))),)


def nothing_found(page: Page) -> str:
    """What is said where there is no finding; nothing where a rule could not be asked."""
    return "" if page.failed.get("findings") else NOTHING_FOUND


def _answers(page: Page) -> Chapter:
    parts: list[Part] = [Answers(page.answers), *_notices(page, "answers")]
    if page.findings:
        parts.append(Glance("Findings, most severe first", page.findings))
    if page.picture is not None:
        parts.append(page.picture)
    return Chapter("answers", "In short", "" if page.findings else nothing_found(page), (), tuple(parts))


def _findings(page: Page) -> Chapter:
    lead = (
        "What makes these numbers unreliable, and what else to know of them; most severe first."
        if page.findings
        else nothing_found(page)
    )
    return Chapter("findings", "Findings", lead, (), (*_notices(page, "findings"), *page.findings))


def _plan(page: Page) -> Titled:
    table = ResultTable(
        caption="The order in which cells were measured, and the seed of each.",
        heads=(Head("Order"), Head("Cell", number=False), Head("Repeat"), Head("Seed"), Head("Outcome", number=False)),
        lines=tuple(
            Line((str(turn.order), turn.cell, str(turn.repeat), str(turn.seed), turn.outcome)) for turn in page.turns
        ),
        notes=(),
    )
    return Titled(f"Plan and order: {len(page.turns)} measurements with their seeds", table)
