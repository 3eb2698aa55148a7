"""Shows runs of standard procedures side by side on a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.analysis.procedures.side_by_side import SameTest, Source, same_tests
from iosonde.report.comparison import answers_of, name_of, only_in
from iosonde.report.procedures.side_by_side_facts import fact_tables
from iosonde.report.procedures.side_by_side_tables import comparison_tables, course_tables, shown_of
from iosonde.report.tables import ResultTable
from iosonde.report.terminal.figures import render_table


def render_comparison(sources: Sequence[Source]) -> RenderableType:
    """All tests that the runs share, and what only one of them has."""
    tests = same_tests(sources)
    parts = [part for test in tests for part in _test(test)]
    return Group(*parts, *(Text(sentence) for sentence in only_in(sources, tests)))


def _test(test: SameTest) -> Iterator[RenderableType]:
    yield Text(name_of(test), style="bold underline")
    for sentence in answers_of(test):
        yield Text(sentence)
    yield Text()
    for facts in fact_tables(test, differing_only=True):
        yield from _table(facts)
    for long in course_tables(test):
        yield from _table(long)
    if test.places:
        for shown in shown_of(test.kind):
            for table in comparison_tables(test, shown):
                yield from _table(table)


def _table(table: ResultTable) -> Iterator[RenderableType]:
    if table.lines:
        yield Text(table.caption, style="dim")
        yield render_table(table)
        yield Text()
