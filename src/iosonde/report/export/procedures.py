"""Standard procedures in the JSON document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iosonde.analysis.procedures import (
    Criterion,
    Determination,
    ProcedureRounds,
    ReportedCell,
    criteria_of,
    determinations_of,
    procedures_of,
)
from iosonde.analysis.procedures.condition import Condition
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.analysis.procedures.courses import long_phases
from iosonde.analysis.procedures.demand import demand_of, measured_points, rule_of, varied_phase
from iosonde.analysis.procedures.recovery import level_of, recoveries_of, shown_quantity
from iosonde.analysis.procedures.steady_condition import NONE_INVALID
from iosonde.records import RunRecord
from iosonde.vocabulary import PhaseRole, Quantity


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
class ExportedTrial:
    """A long trial of a phase, counted from 1. In a duty cycle, throughput is that of the on-periods.

    ``level`` is its throughput at the end, the mean of the last eighth of its samples, in the unit of ``quantity``.
    ``recovery_ns`` is the time until throughput stays within 10 % of ``recovered_to``. It is None if throughput does
    not do so by the end of the trial; both are None if the trial is not compared with a level.
    """

    phase: str
    trial: int
    role: PhaseRole
    idle_ns: int
    iops: float | None
    bytes_per_s: float | None
    latency_ns_mean: float | None
    latency_ns_max: int | None
    quantity: Quantity
    level: float | None
    recovered_to: float | None
    recovery_ns: int | None


@dataclass(frozen=True)
class ExportedPoint:
    """An operating point of a demand variation, with the cell and the means that it was chosen by."""

    point: str
    cell: str
    iops: float
    latency_ns_mean: float


@dataclass(frozen=True)
class ExportedSteadyState:
    """The steady state of one phase by several criteria, and the determinations of its last window."""

    phase: str
    criteria: tuple[Criterion, ...]
    determinations: tuple[Determination, ...]


@dataclass(frozen=True)
class ExportedProcedure:
    """The results of a procedure. ``rounds`` is the number of rounds of each phase.

    ``steady_states`` are those of all phases with a criterion, and ``reported`` the figures of each cell.
    ``long_trials`` are the trials whose course is reported, and ``points`` the operating points.
    """

    name: str
    attempt: int
    conditions: tuple[Condition, ...]
    rounds: dict[str, int]
    steady_states: tuple[ExportedSteadyState, ...]
    reported: tuple[ExportedReport, ...]
    long_trials: tuple[ExportedTrial, ...]
    points: tuple[ExportedPoint, ...]


def exported_procedures(
    run: RunRecord, invalid: Mapping[str, Sequence[str]] = NONE_INVALID
) -> Iterator[ExportedProcedure]:
    """Each procedure of a run."""
    for each in procedures_of(run):
        yield ExportedProcedure(
            name=each.procedure.name,
            attempt=each.attempt,
            conditions=conditions_of(run, each, invalid),
            rounds={phase.name: phase.rounds for phase in each.phases},
            steady_states=tuple(
                ExportedSteadyState(phase.name, criteria_of(phase), determinations_of(phase))
                for phase in each.every_judged
            ),
            reported=tuple(_reported(each)),
            long_trials=tuple(_long_trials(run, each)),
            points=tuple(_points(run, each)),
        )


def _long_trials(run: RunRecord, rounds: ProcedureRounds) -> Iterator[ExportedTrial]:
    phases = [each for each in long_phases(run, rounds) if each.samples]
    quantity = shown_quantity(phases)
    recovered = {id(each.phase): each for each in recoveries_of(rounds.procedure.kind, phases)}
    for each in phases:
        found = recovered.get(id(each))
        yield ExportedTrial(
            phase=each.phase,
            trial=each.trial,
            role=each.role,
            idle_ns=each.idle_ns,
            iops=each.iops,
            bytes_per_s=each.bytes_per_s,
            latency_ns_mean=each.latency_ns_mean,
            latency_ns_max=each.latency_ns_max,
            quantity=quantity,
            level=level_of(each.samples, quantity),
            recovered_to=None if found is None else found.level,
            recovery_ns=None if found is None else found.time_ns,
        )


def _points(run: RunRecord, rounds: ProcedureRounds) -> Iterator[ExportedPoint]:
    rule, phase = rule_of(rounds), varied_phase(rounds)
    if rule is None or phase is None:
        return
    for each in measured_points(demand_of(run, rounds, phase), rule):
        chosen = each.chosen
        yield ExportedPoint(each.name, chosen.cell, chosen.iops, chosen.latency_ns)


def _reported(rounds: ProcedureRounds) -> Iterator[ExportedReport]:
    for phase in rounds.phases:
        for cell in phase.reported:
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
