"""Comparison of tests that measure zones at several offsets: a line and a column for each drive or run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from iosonde.analysis.procedures.side_by_side import SameTest
from iosonde.analysis.procedures.zones import ZonedWorkload, ZoneFigures
from iosonde.charts.procedures.styles import Unit
from iosonde.charts.procedures.zones import by_zone, in_charts, unit_of_zones
from iosonde.charts.quantities import significant
from iosonde.failures import FailureLog
from iosonde.report.blocks import Block, Charts
from iosonde.report.dashes import Dash
from iosonde.report.made_charts import made_figure
from iosonde.report.procedures.side_by_side_tables import (
    COLUMNS_MAX,
    chart_labels,
    difference_text,
    short_label,
    table_columns,
)
from iosonde.report.signs import INVALID
from iosonde.report.tables import Head, Line, ResultTable

NO_VALUE: Final = "the run has no such workload, or none of its zones has a value"
ENDS: Final[Mapping[str, Callable[[ZoneFigures], float | None]]] = {
    "mean of the zones": lambda each: each.mean,
    "in the first zone": lambda each: each.first,
    "in the last zone": lambda each: each.last,
}


def zone_comparison_blocks(test: SameTest, identity: str, failures: FailureLog) -> Iterator[Block]:
    """A chart by offset for each workload, with a line for each entry; then the mean, the first and the last zone."""
    unit = _unit(test)
    labels = chart_labels(test)
    drawn = [
        (name, lines)
        for name, entries in test.zoned.items()
        for lines in in_charts({labels[label]: each for label, each in entries.items()})
    ]
    for number, (name, lines) in enumerate(drawn, 1):
        chart, title = f"{identity}-zones-{number}", f"{unit.title} by offset: {name}"
        draw = partial(by_zone, chart, title, lines, unit.quantity)
        yield Charts((made_figure(chart, title, draw, {}, failures),))
    yield from zone_tables(test)


def zone_tables(test: SameTest, columns_max: int = COLUMNS_MAX) -> Iterator[ResultTable]:
    """The mean of the zones, the first and the last zone: a row for each workload, a column for each entry."""
    for what, of in ENDS.items():
        for columns in table_columns(test, columns_max):
            yield _table(test, what, of, columns)


def _unit(test: SameTest) -> Unit:
    workloads = (each for entries in test.zoned.values() for each in entries.values())
    return unit_of_zones(workloads, test.zoned_quantity)


def _table(test: SameTest, what: str, of: Callable[[ZoneFigures], float | None], columns: Sequence[int]) -> ResultTable:
    unit, first = _unit(test), test.entries[0].label
    invalid = {each.label: {cell for cell, _ in each.source.invalid} for each in test.entries}

    def value(entries: Mapping[str, ZonedWorkload], label: str) -> float | None:
        figures = entries[label].figures(unit.quantity) if label in entries else None
        return None if figures is None else of(figures)

    def text(entries: Mapping[str, ZonedWorkload], label: str) -> str:
        mine, base = value(entries, label), value(entries, first)
        if mine is None:
            return Dash(NO_VALUE)
        sign = f" {INVALID}" if any(cell.cell in invalid[label] for cell in entries[label].cells) else ""
        shown = f"{significant(unit.shown(mine))}{sign}"
        return shown if label == first or not base else f"{shown} ({difference_text(mine / base)})"

    labels = [test.entries[number].label for number in columns]
    lines = tuple(Line((name, *(text(entries, each) for each in labels))) for name, entries in test.zoned.items())
    is_marked = any(INVALID in text for line in lines for text in line.texts)
    return ResultTable(
        caption=f"{unit.title} ({unit.name}), {what}, with the difference from {first}.",
        heads=(Head("Cell", number=False), *(Head(short_label(each)) for each in labels)),
        lines=lines,
        notes=(f"{INVALID} a zone is invalid; the report of the run names the finding.",) if is_marked else (),
    ).explained
