"""The figures of rounds that another tool measured, in the tables of TKperf's report."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from iosonde.analysis.procedures import ReportedCell
from iosonde.report.judged_rounds import MICROSECOND_NS, MILLISECOND_NS, JudgedRounds
from iosonde.vocabulary import ProcedureKind, Quantity


@dataclass(frozen=True)
class FigureTable:
    """A table of figures: a row for each block size, a column for each mix. None is unknown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]


def figure_tables(test: JudgedRounds) -> tuple[FigureTable, ...]:
    """The tables of a test, with the rows, columns, units and roundings of TKperf's report.

    Cells of another number of jobs or queue depth have tables of their own, and each of several cells with the same
    workload, such as the zones of a disk, has one.
    """
    groups: dict[tuple[int, int, str], list[ReportedCell]] = {}
    often = Counter(cell.workload for cell in test.cells)
    for cell in test.cells:
        name = cell.cell if often[cell.workload] > 1 else ""
        groups.setdefault((cell.workload.jobs, cell.workload.queue_depth, name), []).append(cell)
    if len(groups) == 1:
        return _tables(test)
    return tuple(
        replace(table, title=f"{table.title}, {name or f'jobs x queue depth = {jobs} x {depth}'}")
        for (jobs, depth, name), cells in sorted(groups.items(), key=lambda group: group[0][:2])
        for table in _tables(replace(test, cells=tuple(cells)))
    )


def _tables(test: JudgedRounds) -> tuple[FigureTable, ...]:
    match test.kind:
        case ProcedureKind.THROUGHPUT:
            return (
                _table(test, "Average throughput in MiB/s", Quantity.BYTES_PER_S, 1 << 20, largest_first=True),
                _table(test, "Average throughput in MB/s", Quantity.BYTES_PER_S, 10**6, largest_first=True),
            )
        case ProcedureKind.LATENCY:
            return (
                _table(test, "Average latency in ms", Quantity.LATENCY_NS_MEAN, MILLISECOND_NS, largest_first=True),
                _longest(test),
                _table(test, "Average latency in µs", Quantity.LATENCY_NS_MEAN, MICROSECOND_NS, largest_first=True),
            )
        case _:
            return (_table(test, "Average IOPS", Quantity.IOPS, 1, largest_first=False),)


def _table(test: JudgedRounds, title: str, quantity: Quantity, unit: int, *, largest_first: bool) -> FigureTable:
    def value(cell: ReportedCell) -> float | None:
        found = cell.of(quantity)
        return None if found is None else round(found / unit, 3)

    return _filled(test, title, {cell.cell: value(cell) for cell in test.cells}, largest_first=largest_first)


def _longest(test: JudgedRounds) -> FigureTable:
    found = {
        cell.cell: None if cell.latency_ns_max is None else round(cell.latency_ns_max / MILLISECOND_NS, 3)
        for cell in test.cells
    }
    return _filled(test, "Maximum latency in ms", found, largest_first=True)


def _filled(test: JudgedRounds, title: str, values: Mapping[str, float | None], *, largest_first: bool) -> FigureTable:
    cells = [(cell, test.phase.workloads[cell]) for cell in values]
    is_throughput = test.kind is ProcedureKind.THROUGHPUT
    mixes = sorted({each.read_percent for _, each in cells}, reverse=test.kind is not ProcedureKind.LATENCY)
    sizes = sorted({(each.block_size_bytes, each.size_text) for _, each in cells}, reverse=largest_first)

    def at(size: str, mix: int) -> float | None:
        place = (mix, size)
        return next((values[cell] for cell, each in cells if (each.read_percent, each.size_text) == place), None)

    names = {100: "read", 0: "write"} if is_throughput else {}
    return FigureTable(
        title,
        tuple(names.get(mix, f"{mix}/{100 - mix}") for mix in mixes),
        tuple((size, tuple(at(size, mix) for mix in mixes)) for _, size in sizes),
    )
