"""The part of a chapter on zones: the throughput of each workload by offset."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.procedures.reported import ReportedCell
from iosonde.analysis.procedures.zones import ZonedWorkload, zoned_quantity
from iosonde.charts.procedures.styles import cell_label
from iosonde.charts.procedures.zones import by_zone, in_charts, unit_of_zones
from iosonde.charts.quantities import significant
from iosonde.report.blocks import Block, Charts, Folded
from iosonde.report.dashes import Dash
from iosonde.report.procedures.draw_chart import DrawChart
from iosonde.report.procedures.tables import NOT_MEASURED, figure_text, invalid_notes
from iosonde.report.signs import INVALID
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import Invalid
from iosonde.units import format_size
from iosonde.vocabulary import Quantity

COLUMNS_MAX: Final = 9


def zone_blocks(workloads: Sequence[ZonedWorkload], chart: DrawChart, invalid: Invalid) -> Iterator[Block]:
    """A summary of each workload, a chart for each block size, and the values of all zones."""
    quantity = zoned_quantity(workloads)
    yield _summary(workloads, quantity, invalid)
    by_size: dict[str, list[ZonedWorkload]] = {}
    for each in workloads:
        by_size.setdefault(each.workload.size_text, []).append(each)
    titled: list[tuple[str, dict[str, ZonedWorkload]]] = []
    for size, alike in by_size.items():
        among = [each.workload for each in alike]
        title = f"{unit_of_zones(alike, quantity).title} by offset: {size}"
        titled += ((title, each) for each in in_charts({cell_label(each.workload, among): each for each in alike}))
    for number, (title, lines) in enumerate(titled, 1):
        yield Charts((chart(f"zones-{number}", title, by_zone, lines, quantity),))
    tables = tuple(
        _table(workloads[start : start + COLUMNS_MAX], quantity, invalid)
        for start in range(0, len(workloads), COLUMNS_MAX)
    )
    yield Folded("Values of all zones", tables, on_paper=True)


def _summary(workloads: Sequence[ZonedWorkload], quantity: Quantity, invalid: Invalid) -> ResultTable:
    unit = unit_of_zones(workloads, quantity)
    among = [each.workload for each in workloads]

    def texts(each: ZonedWorkload) -> tuple[str, ...]:
        found = each.figures(quantity)
        if found is None:
            return ("0", *(Dash(NOT_MEASURED) for _ in range(5)))
        values = (found.first, found.last, found.lowest, found.mean, found.highest)
        shown = (Dash(NOT_MEASURED) if value is None else significant(unit.shown(value)) for value in values)
        measured = f"{found.measured}" if found.measured == found.zones else f"{found.measured} of {found.zones}"
        return (measured, *shown)

    def name(each: ZonedWorkload) -> str:
        sign = f" {INVALID}" if any(cell.cell in invalid for cell in each.cells) else ""
        return f"{cell_label(each.workload, among)}{sign}"

    zones = max(len(each.cells) for each in workloads)
    return ResultTable(
        caption=f"{unit.title} ({unit.name}) of each workload over {zones} zones, in order of offset.",
        heads=(
            Head("Workload", number=False),
            *map(Head, ("Zones", "First zone", "Last zone", "Lowest", "Mean of the zones", "Highest")),
        ),
        lines=tuple(Line((name(each), *texts(each))) for each in workloads),
        notes=invalid_notes((cell.cell for each in workloads for cell in each.cells), invalid, " in a zone"),
    ).explained


def _table(workloads: Sequence[ZonedWorkload], quantity: Quantity, invalid: Invalid) -> ResultTable:
    """A row for each zone."""
    unit = unit_of_zones(workloads, quantity)
    among = [each.workload for each in workloads]
    starts = sorted({cell.workload.offset_bytes for each in workloads for cell in each.cells})
    at = [{cell.workload.offset_bytes: cell for cell in each.cells} for each in workloads]

    def text(cell: ReportedCell | None) -> str:
        value = None if cell is None else cell.of(quantity)
        if cell is None or value is None:
            return Dash(NOT_MEASURED)
        return figure_text(value, unit, cell, invalid)

    return ResultTable(
        caption=f"{unit.title} ({unit.name}) in each zone, and the offset where the zone starts.",
        heads=(
            Head("Zone"),
            Head("Offset"),
            *(Head(cell_label(each.workload, among)) for each in workloads),
        ),
        lines=tuple(
            Line((f"{number}", format_size(start) if start else "0", *(text(row.get(start)) for row in at)))
            for number, start in enumerate(starts, 1)
        ),
        notes=invalid_notes((cell.cell for each in workloads for cell in each.cells), invalid),
    ).explained
