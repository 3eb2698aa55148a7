"""Builders of runs with long trials, with chosen writes in each second."""

from collections.abc import Sequence

from iosonde.records import CellPlan, CellRecord, Experiment, Operation, PhasePlan, RunRecord, Timing
from iosonde.vocabulary import Phase, PhaseRole, ProcedureKind
from tests.builders import SECOND_NS, cell_plan, cell_record, interval_record, totals_of, workload
from tests.procedure_builder import procedure_run, steady_procedure

WRITE = cell_plan(
    workload(read_percent=0),
    Experiment.PROCEDURE,
    timing=Timing(warmup_ns=0, measure_ns=SECOND_NS, interval_ns=SECOND_NS),
)


def trial(counts: Sequence[int], plan: CellPlan = WRITE, latency_ns: int = 1000) -> CellRecord:
    """A trial with so many writes of 4 KiB in each second."""
    intervals = tuple(
        interval_record(
            second,
            {Operation.WRITE: totals_of([latency_ns * (second + 1)] * count)} if count else {},
            phase=Phase.MEASURE,
            start_ns=second * SECOND_NS,
            end_ns=(second + 1) * SECOND_NS,
        )
        for second, count in enumerate(counts)
    )
    totals = {Operation.WRITE: totals_of([latency_ns] * sum(counts))}
    return cell_record(plan, totals, intervals=intervals, measured_ns=len(counts) * SECOND_NS)


def long_run(phases: Sequence[PhasePlan], trials: Sequence[Sequence[int]]) -> RunRecord:
    """A run with a trial in each phase."""
    procedure = steady_procedure(phases=tuple(phases), kind=ProcedureKind.CROSS_STIMULUS_RECOVERY)
    run = procedure_run(procedure, [{WRITE.cell: trial(each, WRITE)} for each in trials], [WRITE])
    turns = tuple(
        turn.model_copy(update={"phase": phase.name, "round": 1})
        for turn, phase in zip(run.turns_chosen, phases, strict=False)
    )
    return run.model_copy(update={"turns_chosen": turns})


def stimulus(name: str) -> PhasePlan:
    return PhasePlan(name=name, role=PhaseRole.STIMULUS, cells=(WRITE.cell,))
