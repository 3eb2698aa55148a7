"""Tests whose cells differ in their place on the target, with an entry for each drive or run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from iosonde.analysis.procedures.side_by_side import SameTest
from iosonde.analysis.procedures.zones import ZonedWorkload, ZoneFigures, zoned_quantity, zoned_workloads
from iosonde.charts.procedures.styles import Unit
from iosonde.charts.procedures.zones import by_zone, in_charts, unit_of_zones
from iosonde.charts.quantities import significant
from iosonde.failures import FailureLog
from iosonde.report.blocks import Block, Charts
from iosonde.report.dashes import Dash
from iosonde.report.made_charts import made_figure
from iosonde.report.procedures.side_by_side_tables import COLUMNS_MAX, difference_text, short_label, table_columns
from iosonde.report.signs import INVALID
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.vocabulary import Quantity

NO_VALUE: Final = "the run has no such workload, or none of its zones has a value"
End = tuple[str, Callable[[ZoneFigures], float | None]]
ENDS: Final[Mapping[str, Callable[[ZoneFigures], float | None]]] = {
    "mean of the zones": lambda each: each.mean,
    "in the first zone": lambda each: each.first,
    "in the last zone": lambda each: each.last,
}

ZonedEntries = dict[str, ZonedWorkload]
"""A workload of each entry, by the label of the entry."""


def zoned_comparison(test: SameTest) -> dict[str, ZonedEntries]:
    """The workloads over their zones, by size and mix; empty if a run with values has no zones."""
    found: dict[str, ZonedEntries] = {}
    for entry, figures in zip(test.entries, test.figures, strict=True):
        workloads = zoned_workloads([each.cell for each in figures.values()])
        if figures and not workloads:
            return {}
        names = {each.cell.cell: str(replace(place, zone="")) for place, each in figures.items()}
        for each in workloads:
            found.setdefault(names[each.cells[0].cell], {})[entry.label] = each
    return found


def compared_quantity(zoned: Mapping[str, ZonedEntries]) -> Quantity:
    """The quantity that is compared."""
    return zoned_quantity([each for entries in zoned.values() for each in entries.values()])


def zone_comparison_blocks(
    test: SameTest, zoned: Mapping[str, ZonedEntries], identity: str, failures: FailureLog
) -> Iterator[Block]:
    """A chart by place for each workload, with a line for each entry, and the mean and both ends of the zones."""
    unit = _unit(zoned)
    drawn = [
        (name, lines)
        for name, entries in zoned.items()
        for lines in in_charts({short_label(label): each for label, each in entries.items()})
    ]
    for number, (name, lines) in enumerate(drawn, 1):
        chart, title = f"{identity}-zones-{number}", f"{unit.title} by place on the target: {name}"
        draw = partial(by_zone, chart, title, lines, unit.quantity)
        yield Charts((made_figure(chart, title, draw, {}, failures),))
    yield from zone_tables(test, zoned)


def zone_tables(
    test: SameTest, zoned: Mapping[str, ZonedEntries], columns_max: int = COLUMNS_MAX
) -> Iterator[ResultTable]:
    """The mean of the zones and the value at both ends: a row for each workload, a column for each entry."""
    unit = _unit(zoned)
    for what, of in ENDS.items():
        for columns in table_columns(test, columns_max):
            yield _table(test, zoned, unit, (what, of), columns)


def _unit(zoned: Mapping[str, ZonedEntries]) -> Unit:
    return unit_of_zones((each for entries in zoned.values() for each in entries.values()), compared_quantity(zoned))


def _table(
    test: SameTest, zoned: Mapping[str, ZonedEntries], unit: Unit, end: End, columns: Sequence[int]
) -> ResultTable:
    what, of = end
    first = test.entries[0].label

    invalid = {each.label: {cell for cell, _ in each.source.invalid} for each in test.entries}

    def value(entries: ZonedEntries, label: str) -> float | None:
        figures = entries[label].figures(unit.quantity) if label in entries else None
        return None if figures is None else of(figures)

    def text(entries: ZonedEntries, label: str) -> str:
        mine, base = value(entries, label), value(entries, first)
        if mine is None:
            return Dash(NO_VALUE)
        sign = f" {INVALID}" if any(cell.cell in invalid[label] for cell in entries[label].cells) else ""
        shown = f"{significant(unit.shown(mine))}{sign}"
        return shown if label == first or not base else f"{shown} ({difference_text(mine / base)})"

    labels = [test.entries[number].label for number in columns]
    lines = tuple(Line((name, *(text(entries, each) for each in labels))) for name, entries in zoned.items())
    is_marked = any(INVALID in text for line in lines for text in line.texts)
    return ResultTable(
        caption=f"{unit.title} ({unit.name}), {what}, with the difference from {first}.",
        heads=(Head("Cell", number=False), *(Head(short_label(each)) for each in labels)),
        lines=lines,
        notes=(f"{INVALID} a zone is invalid; the report of the run names the finding.",) if is_marked else (),
    ).explained
