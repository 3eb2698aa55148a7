"""Shows runs of standard procedures side by side on a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from iosonde.analysis.procedures.side_by_side import SameTest, Source, same_tests
from iosonde.report.comparison import notes_of, only_in, shared_brands
from iosonde.report.procedures.side_by_side_answers import answers_of, name_of
from iosonde.report.procedures.side_by_side_facts import Agreement, agreement_of, facts_of
from iosonde.report.procedures.side_by_side_recovery import recovery_tables
from iosonde.report.procedures.side_by_side_tables import (
    comparison_tables,
    course_tables,
    missing_sentence,
    short_label,
    shown_of,
)
from iosonde.report.procedures.side_by_side_zones import zone_tables
from iosonde.report.tables import ResultTable
from iosonde.report.terminal.brands import brand_text
from iosonde.report.terminal.figures import render_table

CELL_WIDTH: Final = 24
"""The width of the names of cells."""

VALUE_WIDTH: Final = 21
"""The width of a value with its difference, and of the label above it."""


def render_comparison(sources: Sequence[Source], width: int) -> RenderableType:
    """All tests that the runs share, and what only one of them has, for a terminal of this width."""
    tests = same_tests(sources)
    brands = map(brand_text, shared_brands(sources))
    columns = max((width - CELL_WIDTH) // VALUE_WIDTH, 2)
    parts = [part for test in tests for part in _test(test, columns)]
    notes = map(Text, notes_of(sources))
    return Group(*brands, *parts, *notes, *(Text(sentence) for sentence in only_in(sources, tests)))


def _test(test: SameTest, columns: int) -> Iterator[RenderableType]:
    yield Text(name_of(test), style="bold underline")
    for sentence in answers_of(test):
        yield Text(sentence)
    yield Text()
    yield from _differing(test)
    for long in (*course_tables(test, columns), *recovery_tables(test, columns)):
        yield from _table(long)
    if test.zoned:
        for table in zone_tables(test, columns):
            yield from _table(table)
    if test.places:
        for shown in shown_of(test.kind):
            for table in comparison_tables(test, shown, columns):
                yield from _table(table)
            missing = missing_sentence(test, shown)
            if missing:
                yield Text(missing)
                yield Text()


def _differing(test: SameTest) -> Iterator[RenderableType]:
    """The conditions that are not the same of all runs: a line for each run, which may be long."""
    labels = [each.label for each in test.entries]
    for name, values in facts_of(test).items():
        if agreement_of(values) is not Agreement.SAME:
            yield Text(f"{name}:", style="dim")
            for label, value in zip(labels, values, strict=True):
                yield Padding(Text(f"{label}: {value}"), (0, 0, 0, 2), expand=False)
    yield Text()


def _table(table: ResultTable) -> Iterator[RenderableType]:
    yield Text(table.caption, style="dim")
    yield render_table(_with_short_heads(table))
    yield Text()


def _with_short_heads(table: ResultTable) -> ResultTable:
    """The table with labels that leave room for the numbers below them."""
    heads = tuple(replace(each, name=short_label(each.name, VALUE_WIDTH - 3)) for each in table.heads)
    return replace(table, heads=heads)
