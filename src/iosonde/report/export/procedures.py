"""Standard procedures in the JSON document."""

from collections.abc import Iterator
from dataclasses import dataclass

from iosonde.analysis.procedures import (
    Criterion,
    Determination,
    ProcedureRounds,
    ReportedCell,
    criteria_of,
    determinations_of,
    procedures_of,
    reported_cells,
)
from iosonde.analysis.procedures.conditions import Condition, conditions_of
from iosonde.analysis.procedures.courses import judged_rounds
from iosonde.records import RunRecord


@dataclass(frozen=True)
class ExportedReport:
    """The reported figures of one cell of a phase. ``levels_ns`` are the latencies at 99, 99.9, 99.99 and 99.999 %."""

    phase: str
    cell: str
    rounds: tuple[int, ...]
    iops: float | None
    bytes_per_s: float | None
    latency_ns_mean: float | None
    latency_ns_max: int | None
    levels_ns: tuple[int | None, ...]


@dataclass(frozen=True)
class ExportedProcedure:
    """A procedure: its conditions, the rounds of each phase, its criteria, determinations and reported figures."""

    name: str
    attempt: int
    conditions: tuple[Condition, ...]
    rounds: dict[str, int]
    criteria: tuple[Criterion, ...]
    determinations: tuple[Determination, ...]
    reported: tuple[ExportedReport, ...]


def exported_procedures(run: RunRecord) -> Iterator[ExportedProcedure]:
    """Each procedure of a run."""
    for each in procedures_of(run):
        judged = judged_rounds(run, each)
        yield ExportedProcedure(
            name=each.procedure.name,
            attempt=each.attempt,
            conditions=conditions_of(run, each),
            rounds={phase.name: phase.rounds for phase in each.phases},
            criteria=() if judged is None else criteria_of(judged),
            determinations=() if judged is None else determinations_of(judged),
            reported=tuple(_reported(each)),
        )


def _reported(rounds: ProcedureRounds) -> Iterator[ExportedReport]:
    for phase in rounds.phases:
        for cell in reported_cells(phase):
            yield _exported(phase.name, tuple(phase.window), cell)


def _exported(phase: str, window: tuple[int, ...], cell: ReportedCell) -> ExportedReport:
    return ExportedReport(
        phase=phase,
        cell=cell.cell,
        rounds=window,
        iops=cell.iops,
        bytes_per_s=cell.bytes_per_s,
        latency_ns_mean=cell.latency_ns_mean,
        latency_ns_max=cell.latency_ns_max,
        levels_ns=cell.levels_ns,
    )
