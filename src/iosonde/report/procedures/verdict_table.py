"""The verdicts of all procedures of a run at a glance: a row for each tracking variable."""

from collections.abc import Iterator, Sequence

from iosonde.analysis.procedures import Determination, ProcedureRounds, determinations_of
from iosonde.analysis.procedures.steady_condition import verdicts_of
from iosonde.charts.procedures.styles import unit_of
from iosonde.charts.quantities import significant
from iosonde.records import RunRecord, Workload
from iosonde.report.procedures.tables import column_name
from iosonde.report.procedures.words import title_of
from iosonde.report.signs import INVALID
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import Invalid, marked
from iosonde.vocabulary import Quantity

_NAMES = {Quantity.IOPS: "IOPS", Quantity.BYTES_PER_S: "bandwidth", Quantity.LATENCY_NS_MEAN: "mean latency"}


def verdict_table(run: RunRecord, procedures: Sequence[ProcedureRounds], invalid: Invalid) -> ResultTable | None:
    """The window, mean, range and slope of each tracking variable, with the verdict; None without any."""
    lines = tuple(line for each in procedures for line in _lines(run, each))
    if not lines:
        return None
    table = ResultTable(
        caption="Tracking variables over the measurement window. Range and slope are percentages of the average.",
        heads=(
            Head("Test", number=False),
            Head("Tracking variable", number=False),
            Head("Window", number=False),
            Head("Average"),
            Head("Range"),
            Head("Slope"),
            Head("Steady state", number=False),
        ),
        lines=lines,
        notes=(),
    )
    return marked(table, invalid, INVALID).explained


def _lines(run: RunRecord, rounds: ProcedureRounds) -> Iterator[Line]:
    judged = verdicts_of(run, rounds)
    title = title_of(rounds.procedure)
    for phase, word, verdict in judged:
        name = f"{title}, {phase.name}" if len(judged) > 1 else title
        for found in determinations_of(phase):
            yield Line((name, *_texts(found, word, list(phase.workloads.values())), verdict), cell=found.cell)


def _texts(found: Determination, word: str, among: Sequence[Workload]) -> Iterator[str]:
    unit = unit_of(found.quantity, [found.average])
    yield f"{column_name(found.workload, found.cell, {}, among)}, {_NAMES[found.quantity]}"
    yield f"{word} {found.rounds[0]} to {found.rounds[-1]}"
    shown = "IOPS" if found.quantity is Quantity.IOPS else unit.name
    yield f"{significant(unit.shown(found.average))} {shown}"
    yield f"{100 * found.range_share:.2f} %"
    yield f"{100 * found.excursion_share:.2f} %"
