"""The tables of steady state: each round, the determination of a window, and the verdicts of several criteria."""

from collections.abc import Callable, Sequence

from iosonde.analysis.procedures import Counted, Criterion, Determination, PhaseRounds, criteria_of
from iosonde.analysis.procedures.determination import no_window_text
from iosonde.analysis.procedures.steady_condition import verdict_text
from iosonde.charts.procedures.styles import Unit, unit_of
from iosonde.charts.procedures.window import MINUS, line_text
from iosonde.charts.quantities import significant
from iosonde.records import Workload
from iosonde.report.dashes import Dash
from iosonde.report.procedures.tables import column_name, invalid_notes
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import Invalid
from iosonde.vocabulary import Quantity


def determination_table(
    found: Sequence[Determination], invalid: Invalid, among: Sequence[Workload], counted: Counted = Counted.ROUND
) -> ResultTable:
    """The determination block: a column for each tracking variable, with a sign if its cell is invalid.

    ``among`` are the workloads of the phase, from which the names tell the variables apart.
    ``counted`` is what the window is made of.
    """
    units = [unit_of(each.quantity, each.values) for each in found]
    heads = (
        Head("", number=False),
        *(
            Head(f"{unit.title}, {column_name(each.workload, each.cell, invalid, among)}", unit.name)
            for each, unit in zip(found, units, strict=True)
        ),
    )

    def line(name: str, text: Callable[[Determination, Unit], str]) -> Line:
        return Line((name, *(text(each, unit) for each, unit in zip(found, units, strict=True))))

    def shown(value: float, unit: Unit) -> str:
        return significant(unit.shown(value))

    first, intervals = found[0], len(found[0].rounds) - 1
    spans = "interval" if intervals == 1 else "intervals"
    lines = [
        *(
            line(f"{counted.capitalize()} {number}", lambda each, unit, place=place: shown(each.values[place], unit))  # type: ignore[misc]
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
            f"Slope per {counted}, × {intervals} {spans}, × {counted.times(intervals + 1)}",
            lambda each, _: ", ".join(
                map(_percent, (each.slope_per_round_share, each.excursion_share, each.slope_all_rounds_share))
            ),
        ),
        line(
            f"Best-fit line ({counted.symbol}: {counted})",
            lambda each, unit: line_text(each, unit, counted).removesuffix(f" {unit.name}"),
        ),
        line(
            "Correlation coefficient",
            lambda each, _: (
                Dash("all values are equal")
                if each.correlation is None
                else f"{each.correlation:.3f}".replace("-", MINUS)
            ),
        ),
        line("Steady in this window", lambda each, _: "yes" if each.is_steady else "no"),
        line("This variable alone", lambda each, _: _reached(each, counted)),
    ]
    return ResultTable(
        caption=f"Steady-state determination over {counted.many} {first.rounds[0]} to {first.rounds[-1]}. "
        "Percentages are of the average. The slope is judged over the intervals of the window.",
        heads=heads,
        lines=tuple(lines),
        notes=invalid_notes((each.cell for each in found), invalid),
    ).explained


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _reached(found: Determination, counted: Counted) -> str:
    if found.reached is None:
        return "not reached"
    left = "" if found.left is None else f", left in {found.left}"
    return f"reached in {counted} {found.reached}{left}"


def criteria_table(phase: PhaseRounds) -> ResultTable | None:
    """The verdict of the procedure's own criterion, and those of other tools for comparison."""
    found = criteria_of(phase)
    if not found:
        return None
    # The blocks are parts of one trial, which the criterion ends.
    ended = "rounds" if phase.counted is Counted.ROUND else "trial"
    own = f"ended the {ended}" if found[0].reached is not None else f"would end the {ended}, but was not reached"
    same = phase.counted.times(phase.rounds)
    return ResultTable(
        caption=f"The verdicts of several criteria on the same {same}. The first one {own}.",
        heads=(Head("Criterion", number=False), Head("Applied to", number=False), Head("Verdict", number=False)),
        lines=tuple(Line((_criterion_name(phase, each), each.of, _verdict(phase, each))) for each in found),
        notes=(),
    )


def _criterion_name(phase: PhaseRounds, criterion: Criterion) -> str:
    return criterion.name.replace(f"per {Counted.ROUND}", f"per {phase.counted}")


def _verdict(phase: PhaseRounds, criterion: Criterion) -> str:
    reason = no_window_text(phase)
    return (
        f"cannot be judged: {reason}"
        if reason and criterion.reached is None
        else verdict_text(criterion, counted=phase.counted)
    )


def round_table(phase: PhaseRounds, cells: Sequence[str], quantity: Quantity, invalid: Invalid) -> ResultTable:
    """The value of some cells in every round. A sign marks invalid cells."""
    series = {cell: phase.series(cell, quantity) for cell in cells}
    unit = unit_of(quantity, (float(each) for found in series.values() for each in found if each == each))  # noqa: PLR0124 - NaN
    among = list(phase.workloads.values())
    heads = [Head(column_name(phase.workloads[cell], cell, invalid, among), unit.name) for cell in series]
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
        notes=invalid_notes(cells, invalid),
    )
    return table.explained
