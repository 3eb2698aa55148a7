"""The tables of a procedure: conditions, determination, criteria, matrices, latencies and its loops."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.procedures import (
    Determination,
    PhaseRounds,
    ProcedureRounds,
    ReportedCell,
    criteria_of,
    window_words,
)
from iosonde.analysis.procedures.conditions import Condition, verdict_text
from iosonde.charts.procedures.matrix import mixes_of, sizes_of
from iosonde.charts.procedures.styles import Unit, mix_name, unit_of
from iosonde.charts.procedures.window import MINUS, line_text
from iosonde.charts.quantities import significant
from iosonde.records import RunRecord
from iosonde.report.blocks import FactGroup
from iosonde.report.dashes import Dash
from iosonde.report.procedures.words import (
    ROLES,
    cells_of,
    demand_text,
    mixes_text,
    rounds_word,
    sizes_text,
    stop_words,
    times_text,
)
from iosonde.report.signs import INVALID
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import MARK, Invalid, marked, see
from iosonde.units import exact_size
from iosonde.vocabulary import Quantity

TOO_FEW: Final = "fewer than 10 operations are above"
NOT_MEASURED: Final = "a round of the window has no value"


def condition_table(conditions: Sequence[Condition]) -> ResultTable:
    """Each mandatory condition with its state and reason."""
    return ResultTable(
        caption="Conditions: what was not verified is first.",
        heads=(Head("Condition", number=False), Head("State", number=False), Head("Reason", number=False)),
        lines=tuple(Line((each.name, each.state.value, each.reason)) for each in conditions),
        notes=(),
    )


def determination_table(found: Sequence[Determination]) -> ResultTable:
    """The determination block: a column for each tracking variable."""
    units = [unit_of(each.quantity, each.values) for each in found]
    heads = (
        Head("", number=False),
        *(
            Head(f"{unit.title}, {each.workload.size_text} {mix_name(each.workload)}", unit.name)
            for each, unit in zip(found, units, strict=True)
        ),
    )

    def line(name: str, text: Callable[[Determination, Unit], str]) -> Line:
        return Line((name, *(text(each, unit) for each, unit in zip(found, units, strict=True))))

    def shown(value: float, unit: Unit) -> str:
        return significant(unit.shown(value))

    first, intervals = found[0], len(found[0].rounds) - 1
    lines = [
        *(
            line(f"Round {number}", lambda each, unit, place=place: shown(each.values[place], unit))  # type: ignore[misc]
            for place, number in enumerate(first.rounds)
        ),
        line("Average", lambda each, unit: shown(each.average, unit)),
        line("Allowed maximum data excursion", lambda each, unit: shown(each.range_allowed, unit)),
        line(
            "Measured maximum data excursion",
            lambda each, unit: f"{shown(each.range_measured, unit)} ({_percent(each.range_share)})",
        ),
        line("Allowed maximum slope excursion", lambda each, unit: shown(each.excursion_allowed, unit)),
        line(
            "Measured maximum slope excursion",
            lambda each, unit: f"{shown(each.excursion_measured, unit)} ({_percent(each.excursion_share)})",
        ),
        line(
            f"Slope per round, × {intervals} {'interval' if intervals == 1 else 'intervals'}, × {intervals + 1} rounds",
            lambda each, _: ", ".join(
                map(_percent, (each.slope_per_round_share, each.excursion_share, each.slope_all_rounds_share))
            ),
        ),
        line("Best-fit line (R: round)", lambda each, unit: line_text(each, unit).removesuffix(f" {unit.name}")),
        line(
            "Correlation coefficient",
            lambda each, _: (
                Dash("all values are equal")
                if each.correlation is None
                else f"{each.correlation:.3f}".replace("-", MINUS)
            ),
        ),
        line("Steady in this window", lambda each, _: "yes" if each.is_steady else "no"),
        line("This variable alone", lambda each, _: _reached(each)),
    ]
    return ResultTable(
        caption=f"Steady-state determination over rounds {first.rounds[0]} to {first.rounds[-1]}. "
        "Percentages are of the average. The slope is judged over the intervals of the window.",
        heads=heads,
        lines=tuple(lines),
        notes=(),
    ).explained


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _reached(found: Determination) -> str:
    if found.reached is None:
        return "not reached"
    left = "" if found.left is None else f", left in {found.left}"
    return f"reached in round {found.reached}{left}"


def criteria_table(phase: PhaseRounds) -> ResultTable | None:
    """The verdict of the procedure's own criterion, and those of other tools for comparison."""
    found = criteria_of(phase)
    if not found:
        return None
    own = "ended the rounds" if found[0].reached is not None else "would have ended the rounds, but was not reached"
    return ResultTable(
        caption=f"The verdicts of several criteria on the same {rounds_word(phase.rounds)}. The first one {own}.",
        heads=(Head("Criterion", number=False), Head("Applied to", number=False), Head("Verdict", number=False)),
        lines=tuple(Line((each.name, each.of, verdict_text(each))) for each in found),
        notes=(),
    )


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


def _matrix_table(cells: Sequence[ReportedCell], shown: _Shown, invalid: Invalid) -> ResultTable:
    """One figure of each cell: block sizes down, mixes across. A sign marks invalid figures."""
    sizes, mixes = sizes_of(cells), mixes_of(cells)
    at = {(each.workload.block_size_bytes, mix_name(each.workload)): each for each in cells}

    def text(size: int, mix: str) -> str:
        found = at.get((size, mix))
        if found is None:
            return Dash("not part of the procedure")
        number = shown.value(found)
        return Dash(shown.why) if number is None else figure_text(number, shown.unit, found, invalid)

    return ResultTable(
        caption=f"{shown.title} ({shown.unit.name}): block sizes by mix of reads/writes.",
        heads=(Head("Block size", number=False), *(Head(mix) for mix in mixes)),
        lines=tuple(Line((exact_size(size), *(text(size, mix) for mix in mixes))) for size in sizes),
        notes=invalid_notes(cells, invalid),
    ).explained


def figure_text(value: float, unit: Unit, cell: ReportedCell, invalid: Invalid) -> str:
    """A figure of a cell, with a sign if the cell is invalid."""
    return f"{significant(unit.shown(value))}{f' {INVALID}' if cell.cell in invalid else ''}"


def invalid_notes(cells: Iterable[ReportedCell], invalid: Invalid, where: str = "") -> tuple[str, ...]:
    """The note that explains the sign of invalid cells; none if all are valid."""
    ids = dict.fromkeys(each for cell in cells for each in invalid.get(cell.cell, ()))
    return (f"{INVALID} {MARK}{where}, {see(tuple(ids))}.",) if ids else ()


_ALL_ROUNDS: Final = (
    "Means over the measurement window. 99.999 % and maximum latency are those of all operations in it."
)
_ONE_ROUND: Final = "The values of one trial of each cell."


def mean_table(cells: Sequence[ReportedCell], quantity: Quantity, invalid: Invalid) -> ResultTable:
    """The mean of a quantity over the window."""
    unit = unit_of(quantity, (each.of(quantity) for each in cells))
    shown = _Shown(f"{unit.title}, {window_words(cells)}", unit, lambda each: each.of(quantity), NOT_MEASURED)
    return _matrix_table(cells, shown, invalid)


def latency_tables(cells: Sequence[ReportedCell], invalid: Invalid) -> tuple[ResultTable, ...]:
    """Mean, 99.999 % and maximum latency of each cell, in one unit."""
    unit = unit_of(Quantity.LATENCY_NS_MEAN, (each.latency_ns_mean for each in cells))
    others = (
        _Shown("99.999 % latency, all operations of the window", unit, lambda each: each.five_nines_ns, TOO_FEW),
        _Shown("Maximum latency, the longest of the window", unit, lambda each: each.latency_ns_max, NOT_MEASURED),
    )
    means = mean_table(cells, Quantity.LATENCY_NS_MEAN, invalid)
    return (means, *(_matrix_table(cells, each, invalid) for each in others))


def cell_table(cells: Sequence[ReportedCell], invalid: Invalid) -> ResultTable:
    """All figures of each cell, a row each."""
    units = [unit_of(each, (cell.of(each) for cell in cells)) for each in _SHOWN]
    longest = unit_of(Quantity.LATENCY_NS_MEAN, (cell.latency_ns_mean for cell in cells))

    def texts(cell: ReportedCell) -> Iterator[str]:
        yield cell.cell
        for unit in units:
            value = cell.of(unit.quantity)
            yield Dash(NOT_MEASURED) if value is None else significant(unit.shown(value))
        for found, why in ((cell.five_nines_ns, TOO_FEW), (cell.latency_ns_max, NOT_MEASURED)):
            yield Dash(why) if found is None else significant(longest.shown(found))

    table = ResultTable(
        caption=_ONE_ROUND if window_words(cells) == window_words(()) else _ALL_ROUNDS,
        heads=(
            Head("Cell", number=False),
            *(Head(unit.title, unit.name) for unit in units),
            Head("99.999 %", longest.name),
            Head("Maximum", longest.name),
        ),
        lines=tuple(Line(tuple(texts(cell))) for cell in cells),
        notes=(),
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


def round_table(phase: PhaseRounds, cells: Sequence[str], quantity: Quantity) -> ResultTable:
    """The value of some cells in every round."""
    series = {cell: phase.series(cell, quantity) for cell in cells}
    unit = unit_of(quantity, (float(each) for found in series.values() for each in found if each == each))  # noqa: PLR0124 - NaN
    heads = [Head(f"{phase.workloads[cell].size_text} {mix_name(phase.workloads[cell])}", unit.name) for cell in series]
    lines = [
        Line(
            (
                f"{number}{' *' if number in phase.window else ''}",
                *(
                    Dash("the trial has no value")
                    if found[number - 1] != found[number - 1]
                    else significant(unit.shown(float(found[number - 1])))
                    for found in series.values()
                ),
            )
        )
        for number in range(1, phase.rounds + 1)
    ]
    table = ResultTable(
        caption=f"{unit.title} in every round. * marks the measurement window.",
        heads=(Head("Round", number=False), *heads),
        lines=tuple(lines),
        notes=(),
    )
    return table.explained
