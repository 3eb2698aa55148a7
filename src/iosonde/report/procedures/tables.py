"""The tables of a procedure: conditions, determination, criteria, matrices, latencies and its loops."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.procedures import (
    ProcedureRounds,
    ReportedCell,
    window_words,
)
from iosonde.analysis.procedures.condition import Condition
from iosonde.charts.procedures.matrix import mixes_of, sizes_of
from iosonde.charts.procedures.styles import Unit, mix_name, place_name, unit_of
from iosonde.charts.quantities import significant
from iosonde.records import RunRecord, Workload
from iosonde.report.blocks import FactGroup
from iosonde.report.dashes import Dash
from iosonde.report.procedures.words import (
    ROLES,
    cells_of,
    demand_text,
    idle_text,
    mixes_text,
    sizes_text,
    stop_words,
    times_text,
)
from iosonde.report.signs import DOUBTFUL, INVALID, signed
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import MARK, Doubtful, Invalid, marked, see
from iosonde.units import exact_size
from iosonde.vocabulary import Quantity

TOO_FEW: Final = "fewer than 10 operations are above"
NOT_PART: Final = "not part of the procedure"
NOT_MEASURED: Final = "a round of the window has no value"


def condition_table(conditions: Sequence[Condition]) -> ResultTable:
    """Each mandatory condition with its state and reason."""
    return ResultTable(
        caption="Conditions: what was not verified is first.",
        heads=(Head("Condition", number=False), Head("State", number=False), Head("Reason", number=False)),
        lines=tuple(Line((each.name, each.state.value, each.reason)) for each in conditions),
        notes=(),
    )


def column_name(workload: Workload, cell: str, invalid: Invalid, among: Sequence[Workload] = ()) -> str:
    """Block size and mix of a cell above its column, with a sign if the cell is invalid.

    ``among`` are the workloads from which the name tells it apart.
    """
    return signed(place_name(workload, among), cell, invalid)


def sign_notes(cells: Sequence[str], invalid: Invalid, doubtful: Doubtful) -> tuple[str, ...]:
    """The notes that explain the signs of cells; none if all are sound."""
    return (*invalid_notes(cells, invalid), *_sign_notes(cells, doubtful, f"{DOUBTFUL} doubtful"))


def is_matrix(cells: Sequence[ReportedCell]) -> bool:
    """Whether the cells differ only in block size and mix."""
    places = {(each.workload.block_size_bytes, mix_name(each.workload)) for each in cells}
    return len(places) == len(cells) and all(each.workload.block_sizes is None for each in cells)


@dataclass(frozen=True)
class _Shown:
    """One figure of each cell: its title and unit, its value, and why there is none."""

    title: str
    unit: Unit
    value: Callable[[ReportedCell], float | None]
    why: str


def _matrix_table(cells: Sequence[ReportedCell], shown: _Shown, invalid: Invalid, doubtful: Doubtful) -> ResultTable:
    """One figure of each cell: block sizes down, mixes across. Signs mark invalid and doubtful figures."""
    sizes, mixes = sizes_of(cells), mixes_of(cells)
    at = {(each.workload.block_size_bytes, mix_name(each.workload)): each for each in cells}

    def text(size: int, mix: str) -> str:
        found = at.get((size, mix))
        if found is None:
            return Dash(NOT_PART)
        number = shown.value(found)
        if number is None:
            return Dash(shown.why)
        return signed(significant(shown.unit.shown(number)), found.cell, invalid, doubtful)

    return ResultTable(
        caption=f"{shown.title} ({shown.unit.name}): block sizes by mix of reads/writes.",
        heads=(Head("Block size", number=False), *(Head(mix) for mix in mixes)),
        lines=tuple(Line((exact_size(size), *(text(size, mix) for mix in mixes))) for size in sizes),
        notes=sign_notes([each.cell for each in cells], invalid, doubtful),
    ).explained


def figure_text(value: float, unit: Unit, cell: ReportedCell, invalid: Invalid) -> str:
    """A figure of a cell, with a sign if the cell is invalid."""
    return signed(significant(unit.shown(value)), cell.cell, invalid)


def invalid_notes(cells: Iterable[str], invalid: Invalid, where: str = "") -> tuple[str, ...]:
    """The note that explains the sign of invalid cells; none if all are valid."""
    return _sign_notes(cells, invalid, f"{INVALID} {MARK}{where}")


def _sign_notes(cells: Iterable[str], findings: Mapping[str, tuple[str, ...]], meaning: str) -> tuple[str, ...]:
    ids = dict.fromkeys(each for cell in cells for each in findings.get(cell, ()))
    return (f"{meaning}, {see(tuple(ids))}.",) if ids else ()


_ALL_ROUNDS: Final = (
    "Means over the measurement window. 99.999 % and maximum latency are those of all operations in it."
)
_ONE_ROUND: Final = "The values of one trial of each cell."


def mean_table(cells: Sequence[ReportedCell], quantity: Quantity, invalid: Invalid, doubtful: Doubtful) -> ResultTable:
    """The mean of a quantity over the window."""
    unit = unit_of(quantity, (each.of(quantity) for each in cells))
    shown = _Shown(f"{unit.title}, {window_words(cells)}", unit, lambda each: each.of(quantity), NOT_MEASURED)
    return _matrix_table(cells, shown, invalid, doubtful)


def latency_tables(cells: Sequence[ReportedCell], invalid: Invalid, doubtful: Doubtful) -> tuple[ResultTable, ...]:
    """Mean, 99.999 % and maximum latency of each cell, in one unit."""
    unit = unit_of(Quantity.LATENCY_NS_MEAN, (each.latency_ns_mean for each in cells))
    others = (
        _Shown("99.999 % latency, all operations of the window", unit, lambda each: each.five_nines_ns, TOO_FEW),
        _Shown("Maximum latency, the longest of the window", unit, lambda each: each.latency_ns_max, NOT_MEASURED),
    )
    means = mean_table(cells, Quantity.LATENCY_NS_MEAN, invalid, doubtful)
    return (means, *(_matrix_table(cells, each, invalid, doubtful) for each in others))


def cell_table(
    cells: Sequence[ReportedCell],
    invalid: Invalid,
    doubtful: Doubtful,
    *,
    head: str = "Cell",
    names: Mapping[str, str] | None = None,
) -> ResultTable:
    """All figures of each cell, a row each. The names of doubtful cells have the sign.

    ``names`` has what rows are called instead of the cell, under ``head``.
    """
    called = names or {}
    only_doubtful = {cell: ids for cell, ids in doubtful.items() if cell not in invalid}
    units = [unit_of(each, (cell.of(each) for cell in cells)) for each in _SHOWN]
    longest = unit_of(Quantity.LATENCY_NS_MEAN, (cell.latency_ns_mean for cell in cells))

    def texts(cell: ReportedCell) -> Iterator[str]:
        yield signed(called.get(cell.cell, cell.cell), cell.cell, (), only_doubtful)
        for unit in units:
            value = cell.of(unit.quantity)
            yield Dash(NOT_MEASURED) if value is None else significant(unit.shown(value))
        for found, why in ((cell.five_nines_ns, TOO_FEW), (cell.latency_ns_max, NOT_MEASURED)):
            yield Dash(why) if found is None else significant(longest.shown(found))

    table = ResultTable(
        caption=_ONE_ROUND if window_words(cells) == window_words(()) else _ALL_ROUNDS,
        heads=(
            Head(head, number=False),
            *(Head(unit.title, unit.name) for unit in units),
            Head("99.999 %", longest.name),
            Head("Maximum", longest.name),
        ),
        lines=tuple(Line(tuple(texts(cell)), cell=cell.cell) for cell in cells),
        notes=sign_notes([each.cell for each in cells], {}, only_doubtful),
    )
    return marked(table, invalid, INVALID).explained


_SHOWN: Final = (Quantity.IOPS, Quantity.BYTES_PER_S, Quantity.LATENCY_NS_MEAN)


def loop_facts(run: RunRecord, rounds: ProcedureRounds) -> Iterator[FactGroup]:
    """Each phase with its loops, in the order of nesting: the mixes outermost, then the block sizes."""
    measured = {each.name: each for each in rounds.phases}
    for number, phase in enumerate(rounds.procedure.phases, 1):
        plans = cells_of(run, phase)
        workloads = [each.workload for each in plans]
        found = measured[phase.name]
        cells = (
            ("pattern", ", ".join(dict.fromkeys(str(each.pattern) for each in workloads))),
            ("outer loop: reads/writes (%)", mixes_text(workloads)),
            ("inner loop: block sizes", sizes_text(workloads)),
            ("demand", demand_text(workloads)),
            ("each trial", times_text(plans)),
            *((("idle time", idle),) if (idle := idle_text(plans)) else ()),
            ("trials in a round", f"{len(phase.cells):,}"),
        )
        yield FactGroup(
            f"Phase {number}: {phase.name}",
            (
                ("role", ROLES[phase.role]),
                *(cells if plans else (("cells", f"those of the operating points ({len(found.cells)})"),)),
                ("ends", stop_words(phase)),
                ("rounds measured", f"{found.rounds}"),
            ),
        )
