"""Bandwidth by block size, over all throughput tests of a run.

In the specification and in TKperf each block size is a test of its own, but their results are one table and one plot.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds, ReportedCell, window_words
from iosonde.analysis.procedures.zones import zoned_workloads
from iosonde.charts.procedures.size_bars import SizeBar, size_bars
from iosonde.charts.procedures.styles import size_name, unit_of
from iosonde.charts.quantities import significant
from iosonde.failures import FailureLog
from iosonde.report.blocks import Block, Charts
from iosonde.report.dashes import Dash
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.made_charts import made_figure
from iosonde.report.procedures.tables import NOT_MEASURED, NOT_PART, sign_notes
from iosonde.report.signs import sign_of, signed
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import Doubtful, Invalid, doubtful_cells
from iosonde.vocabulary import ProcedureKind, Quantity

IDENTITY: Final = "throughput-by-block-size"
TITLE: Final = "Bandwidth by block size"
UNIT: Final = unit_of(Quantity.BYTES_PER_S)


@dataclass(frozen=True)
class _Row:
    """The cells of one block size: of reads, of writes, or of both."""

    name: str
    size_bytes: int
    cells: dict[bool, ReportedCell]


def throughput_blocks(found: EvaluatedRun, failures: FailureLog) -> Iterator[Block]:
    """A chart and a table of the bandwidth of reads and of writes by block size; nothing without such a procedure."""
    rows = _rows(found.procedures)
    if not rows:
        return
    cells = [cell for row in rows for cell in row.cells.values()]
    doubtful = doubtful_cells((each.cell for each in cells), found.findings)
    bars = list(_bars(rows, found.invalid, doubtful))
    if bars:
        what = f"{UNIT.title} ({UNIT.name}) of reads and of writes by block size, {window_words(cells)}."
        # Not the invalid ones: the caption names them where their bars are crossed out.
        caption = " ".join((what, *sign_notes([each.cell for each in cells], {}, doubtful)))
        draw = partial(size_bars, IDENTITY, TITLE, bars, UNIT, caption)
        yield Charts((made_figure(IDENTITY, TITLE, draw, found.invalid, failures),))
    yield _table(rows, found.invalid, doubtful)


def _rows(procedures: Sequence[ProcedureRounds]) -> list[_Row]:
    """The reported reads and writes of the throughput procedures, the smallest blocks first."""
    cells = list(_cells(procedures))
    names = _names(cells)
    rows: dict[str, _Row] = {}
    for (_, cell), name in zip(cells, names, strict=True):
        row = rows.setdefault(name, _Row(name, cell.workload.block_size_bytes, {}))
        row.cells[_is_read(cell)] = cell
    return sorted(rows.values(), key=lambda each: each.size_bytes)


def _cells(procedures: Sequence[ProcedureRounds]) -> Iterator[tuple[str, ReportedCell]]:
    """Each cell of pure reads or pure writes with one block size, and the name of its procedure."""
    for rounds in procedures:
        phase = rounds.main
        if rounds.procedure.kind is not ProcedureKind.THROUGHPUT or phase is None or zoned_workloads(phase.reported):
            continue
        for each in phase.reported:
            if each.workload.block_sizes is None and 0 in {each.workload.read_percent, each.workload.write_percent}:
                yield rounds.procedure.name, each


def _names(cells: Sequence[tuple[str, ReportedCell]]) -> list[str]:
    """The name of each cell's row: its block size, and what tells it apart from others of this size and direction.

    Procedures can differ in what is not a setting of cells, such as the mode. Then their names tell rows apart.
    """
    among = [each.workload for _, each in cells]
    names = [size_name(each.workload, among) for _, each in cells]
    counts = Counter((name, _is_read(each)) for (_, each), name in zip(cells, names, strict=True))
    shared = {name for (name, _), number in counts.items() if number > 1}
    return [
        f"{name}, {procedure}" if name in shared else name for (procedure, _), name in zip(cells, names, strict=True)
    ]


def _is_read(cell: ReportedCell) -> bool:
    return cell.workload.write_percent == 0


def _bars(rows: Sequence[_Row], invalid: Invalid, doubtful: Doubtful) -> Iterator[SizeBar]:
    for row in rows:
        for is_read, cell in row.cells.items():
            value = cell.of(UNIT.quantity)
            if value is not None:
                sign = sign_of(cell.cell, invalid, doubtful)
                yield SizeBar(row.name, is_read, cell.cell, row.size_bytes, value, sign)


def _table(rows: Sequence[_Row], invalid: Invalid, doubtful: Doubtful) -> ResultTable:
    """Block sizes down, reads and writes across. Signs mark invalid and doubtful figures."""
    cells = [cell for row in rows for cell in row.cells.values()]
    directions = [each for each in (True, False) if any(each in row.cells for row in rows)]

    def text(cell: ReportedCell | None) -> str:
        if cell is None:
            return Dash(NOT_PART)
        value = cell.of(UNIT.quantity)
        if value is None:
            return Dash(NOT_MEASURED)
        return signed(significant(UNIT.shown(value)), cell.cell, invalid, doubtful)

    return ResultTable(
        caption=f"{UNIT.title} by block size, {window_words(cells)}.",
        heads=(
            Head("Block size", number=False),
            *(Head("Reads" if each else "Writes", UNIT.name) for each in directions),
        ),
        lines=tuple(Line((row.name, *(text(row.cells.get(each)) for each in directions))) for row in rows),
        notes=sign_notes([each.cell for each in cells], invalid, doubtful),
    ).explained
