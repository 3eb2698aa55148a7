"""The page as chapters, for forms that are laid out from top to bottom: paper and Markdown."""

from dataclasses import dataclass
from typing import Final

from iosonde.charts.figure import Figure
from iosonde.findings.model import Finding
from iosonde.report.facts import FactGroup
from iosonde.report.headline import HeadlineGroup
from iosonde.report.page import Page
from iosonde.report.result_tables import Head, Line, ResultTable

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


Part = Answers | Glance | Cards | Finding | Figure | ResultTable | Titled | FactGroup | Terms


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
        *(Chapter(each.id, each.title, "", (each.sentence,), (*each.figures, *each.tables)) for each in page.sections),
        _findings(page),
        Chapter("conditions", "Conditions", "", (), (*page.facts, _plan(page))),
        Chapter("definitions", "How each number is defined", "", (), (Terms(page.definitions),)),
    )


def left_out_text(figure: Figure) -> str:
    """What the chart leaves out, in one sentence; empty where that is nothing."""
    if not figure.left_out:
        return ""
    return f"Left out: {'; '.join(figure.left_out)}."


def _headline(page: Page) -> tuple[Chapter, ...]:
    if not page.headline.groups:
        return ()
    lead = f"Means over {page.repeats} repeats with their 95 % intervals; percentiles over all repeats together."
    more = (page.headline.untold_text,) if page.headline.untold else ()
    return (Chapter("headline", "Headline", lead, more, (Cards(page.headline.groups),)),)


def _answers(page: Page) -> Chapter:
    parts: list[Part] = [Answers(page.answers)]
    if page.findings:
        parts.append(Glance("Findings, gravest first", page.findings))
    if page.picture is not None:
        parts.append(page.picture)
    return Chapter("answers", "In short", "" if page.findings else NOTHING_FOUND, (), tuple(parts))


def _findings(page: Page) -> Chapter:
    lead = "What makes these numbers doubtful, gravest first." if page.findings else NOTHING_FOUND
    return Chapter("findings", "Findings", lead, (), page.findings)


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
