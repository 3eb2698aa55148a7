"""The charts and tables of a test with an entry for each drive or run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from iosonde.analysis.procedures.courses import LongPhase, capacity_of
from iosonde.analysis.procedures.demand import DemandCell, demand_of, rule_of
from iosonde.analysis.procedures.recovery import shown_quantity
from iosonde.analysis.procedures.side_by_side import Entry, Place, SameTest
from iosonde.charts.figure import Figure
from iosonde.charts.procedures.courses import Course, against_fills, against_time, throughput_course
from iosonde.charts.procedures.demand import best_side_by_side
from iosonde.charts.procedures.side_by_side import Bar, side_by_side
from iosonde.charts.procedures.styles import LINES_MAX, unit_of
from iosonde.failures import FailureLog
from iosonde.report.blocks import Block, Charts, Folded, Paragraph
from iosonde.report.made_charts import made_figure
from iosonde.report.procedures.side_by_side_recovery import recovery_tables
from iosonde.report.procedures.side_by_side_tables import (
    MAXIMUM,
    Shown,
    chart_labels,
    comparison_tables,
    course_tables,
    entry_sign,
    missing_sentence,
    shown_of,
)
from iosonde.report.procedures.side_by_side_zones import zone_comparison_blocks
from iosonde.vocabulary import ProcedureKind

PLAIN_MIXES: Final = ("100/0", "65/35", "50/50", "0/100")
SMALL: Final = "4 KiB"
CHARTS_MAX: Final = 6
FILL: Final = 10**9
EACH_MAX: Final = 12
"""A test of fewer cells has a chart for each."""


def comparison_blocks(test: SameTest, identity: str, failures: FailureLog) -> Iterator[Block]:
    """Charts, and a table for each figure. Tests with long trials have their courses."""
    lines = [*_course_figures(test, identity, failures), *_demand_figures(test, identity, failures)]
    for figures in (lines, [*_bar_figures(test, identity, failures)]):
        if figures:
            yield Charts(tuple(figures))
    yield from course_tables(test)
    yield from recovery_tables(test)
    if test.zoned:
        yield from zone_comparison_blocks(test, identity, failures)
    if not test.places:
        return
    first, *others = shown_of(test.kind)
    latencies = test.kind is ProcedureKind.LATENCY
    for each in (first, *others) if latencies else (first,):
        yield from comparison_tables(test, each)
        missing = missing_sentence(test, each)
        if missing:
            yield Paragraph(missing)
    tables = () if latencies else tuple(table for each in others for table in comparison_tables(test, each))
    if tables:
        yield Folded("Other quantities", tables, on_paper=True)
    for sentence in () if latencies else filter(None, (missing_sentence(test, each) for each in others)):
        yield Paragraph(sentence)


def headline_places(test: SameTest) -> list[Place]:
    """The cells that represent a test, the foremost last: 4 KiB with plain mixes, or the extremes of demand."""
    common = [place for place in test.places if all(place in found for found in test.figures)] or list(test.places)
    small = [each for each in common if each.size == SMALL and each.mix in PLAIN_MIXES]
    if test.kind in {ProcedureKind.IOPS, ProcedureKind.LATENCY} and small:
        return small[:CHARTS_MAX]
    if common and rule_of(test.entries[0].procedures[0]) is not None:
        # The last mix is the one whose demand varies: the writes between rounds come before it.
        varied = [each for each in common if each.mix == common[-1].mix]
        return [varied[-1], varied[0]]
    if len(common) > EACH_MAX:
        common = [common[0], common[len(common) // 2], common[-1]]
    # Of throughput, the foremost is the one that is tracked.
    tracked = [each for each in test.places if all(each in found for found in test.figures) and _is_tracked(test, each)]
    if test.kind is ProcedureKind.THROUGHPUT and tracked:
        return [*[each for each in common if each != tracked[-1]][: CHARTS_MAX - 1], tracked[-1]]
    return common[:CHARTS_MAX]


def _is_tracked(test: SameTest, place: Place) -> bool:
    """Whether the first entry tracks a cell."""
    phases = (phase for rounds in test.entries[0].procedures for phase in rounds.all_judged)
    names = {each.cell for phase in phases for each in phase.tracked}
    return test.figures[0][place].cell.cell in names


def _bar_figures(test: SameTest, identity: str, failures: FailureLog) -> Iterator[Figure]:
    shown, *others = shown_of(test.kind)
    wanted = [shown, MAXIMUM] if MAXIMUM in others else [shown]
    places = headline_places(test)
    for number, (each, place) in enumerate(((each, place) for each in wanted for place in places), 1):
        name, title = f"{identity}-bars-{number}", f"{each.title}: {place}"
        caption = f"{each.title} of {place}: the reported value of each run."
        draw = partial(side_by_side, name, title, _bars(test, each, place), each.unit(test), caption)
        yield made_figure(name, title, draw, {}, failures)


def _bars(test: SameTest, shown: Shown, place: Place) -> list[Bar]:
    labels = chart_labels(test)
    return [
        Bar(labels[entry.label], found[place].cell.cell, value, entry_sign(entry, found[place].cell.cell))
        for entry, found in zip(test.entries, test.figures, strict=True)
        if place in found and (value := shown.value(found[place])) is not None
    ]


def _course_figures(test: SameTest, identity: str, failures: FailureLog) -> Iterator[Figure]:
    """The long trials of all entries in one chart, or in several for more than there are styles of lines."""
    long = [
        (entry.label, phases, capacity_of(entry.source.run))
        for entry in test.entries
        if entry.source.run is not None and (phases := entry.long_trials)
    ]
    for number, start in enumerate(range(0, len(long), LINES_MAX), 1):
        group = long[start : start + LINES_MAX]
        quantity = shown_quantity([each for _, phases, _ in group for each in phases])
        lines = [(course, fill) for label, phases, fill in group for course in _courses(label, phases)]
        courses = [course for course, _ in lines]
        filling = [_in_fills(course, fill) for course, fill in lines]
        for part, drawn, across in (
            ("course", courses, against_time(courses)),
            ("fills", filling, against_fills(FILL)),
        ):
            name, title = f"{identity}-{part}-{number}", f"{unit_of(quantity).title} against {across.words}"
            draw = partial(throughput_course, name, title, drawn, quantity, across)
            yield made_figure(name, title, draw, {}, failures)


def _demand_figures(test: SameTest, identity: str, failures: FailureLog) -> Iterator[Figure]:
    """The demand variations of all entries, in as many charts as there must be."""
    varied = [(entry.label, cells) for entry in test.entries if (cells := _demand(entry))]
    for number, start in enumerate(range(0, len(varied), LINES_MAX), 1):
        name, title = f"{identity}-demand-{number}", "IOPS by total outstanding I/O"
        draw = partial(best_side_by_side, name, title, varied[start : start + LINES_MAX])
        yield made_figure(name, title, draw, {}, failures)


def _demand(entry: Entry) -> list[DemandCell]:
    run = entry.source.run
    if run is None:
        return []
    return [cell for each in entry.procedures if each.main for cell in demand_of(run, each, each.main)]


def _in_fills(course: Course, fill_bytes: int) -> Course:
    """The course with ``FILL`` bytes for each fill of its own drive."""
    samples = (replace(each, written_bytes=each.written_bytes * FILL // fill_bytes) for each in course.samples)
    return replace(course, samples=tuple(samples))


def _courses(label: str, phases: Sequence[LongPhase]) -> Iterator[Course]:
    """The long trials of an entry as lines of one name, which end at idle time."""
    lines: list[list[LongPhase]] = []
    for each in phases:
        if each.idle_ns or not lines:
            lines.append([])
        lines[-1].append(each)
    for line in lines:
        yield Course(label, line[0].cell, tuple(sample for each in line for sample in each.samples))
