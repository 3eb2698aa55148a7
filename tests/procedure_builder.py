"""Builders of runs of standard procedures with chosen values in every round."""

from collections.abc import Mapping, Sequence
from typing import Any

from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    Experiment,
    Operation,
    Outcome,
    PhasePlan,
    Procedure,
    Procedures,
    ProcedureStart,
    RunRecord,
    SteadyState,
    Timing,
    Tracked,
)
from iosonde.vocabulary import PhaseRole, ProcedureKind, PurgeState, Quantity
from tests.builders import SECOND_NS, cell_plan, cell_record, run_record, totals_of, workload

TIMING = Timing(warmup_ns=0, measure_ns=SECOND_NS, interval_ns=SECOND_NS)
GAP_NS_MAX = 10 * SECOND_NS

WRITE = cell_plan(workload(read_percent=0), Experiment.PROCEDURE, timing=TIMING)
READ = cell_plan(workload(read_percent=100), Experiment.PROCEDURE, timing=TIMING)
LARGE_WRITE = cell_plan(workload(read_percent=0, block_size_bytes=65536), Experiment.PROCEDURE, timing=TIMING)
LARGE_READ = cell_plan(workload(read_percent=100, block_size_bytes=65536), Experiment.PROCEDURE, timing=TIMING)
MATRIX = (READ, LARGE_READ, WRITE, LARGE_WRITE)


def steady_procedure(
    cells: Sequence[CellPlan] = (WRITE,),
    tracked: Sequence[CellPlan] = (WRITE,),
    *,
    quantity: Quantity = Quantity.IOPS,
    rounds_max: int = 25,
    **others: Any,
) -> Procedure:
    """One phase of rounds over ``cells`` until ``tracked`` are steady."""
    stop = SteadyState(
        tracked=tuple(Tracked(cell=each.cell, quantity=quantity) for each in tracked), rounds_max=rounds_max
    )
    fields: dict[str, Any] = {
        "name": "test",
        "kind": ProcedureKind.ROUNDS,
        "title": "Test",
        "version": 1,
        "gap_ns_max": GAP_NS_MAX,
        "phases": (
            PhasePlan(name="rounds", role=PhaseRole.ROUNDS, cells=tuple(each.cell for each in cells), stop=stop),
        ),
    }
    return Procedure(**(fields | others))


def operations(plan: CellPlan, iops: int, latency_ns: int = 100_000) -> dict[Operation, Any]:
    """As many operations of one latency as a trial of a second has at this rate."""
    asked = plan.workload
    reads = iops * asked.read_percent // 100
    parts = {Operation.READ: reads, Operation.WRITE: iops - reads}
    return {each: totals_of([latency_ns] * count, asked.block_size_bytes) for each, count in parts.items() if count}


def procedure_run(
    procedure: Procedure,
    rounds: Sequence[Mapping[str, int | CellRecord | None]],
    cells: Sequence[CellPlan] = (WRITE,),
    *,
    phase: str | Sequence[str] = "rounds",
    attempt: int = 1,
    time_scale: int = 1,
    purge: PurgeState = PurgeState.SKIPPED,
    gaps_s: Mapping[int, int] | None = None,
    **header: Any,
) -> RunRecord:
    """A run of one procedure: for each round the IOPS of each cell, by its name. None is a failed trial.

    ``phase`` names the phase of all rounds, or that of each. ``gaps_s`` is the time before the first trial of a round.
    ``header`` are fields of the header.
    """
    plans = {each.cell: each for each in cells}
    turns: list[CellTurn] = []
    records: list[CellRecord] = []
    phases = [phase] * len(rounds) if isinstance(phase, str) else list(phase)
    now_ns = 0
    for number, values in enumerate(rounds, 1):
        now_ns += (gaps_s or {}).get(number, 0) * SECOND_NS
        for name, value in values.items():
            order = len(turns) + 1
            turns.append(
                CellTurn(
                    order=order,
                    cell=name,
                    repeat=number,
                    seed=order,
                    round=phases[:number].count(phases[number - 1]),
                    procedure=procedure.name,
                    phase=phases[number - 1],
                    attempt=attempt,
                )
            )
            record = _record(plans[name], value, order, number, now_ns)
            records.append(record.model_copy(update={"phase": phases[number - 1]}))
            now_ns += SECOND_NS
    run = run_record(cells, records, repeats=1, **header)
    plan = run.header.plan.model_copy(
        update={"stop": Procedures(procedures=(procedure,), time_scale=time_scale), "repeats": 1}
    )
    start = ProcedureStart(procedure=procedure.name, attempt=attempt, order=1, purge=purge)
    return run.model_copy(
        update={
            "header": run.header.model_copy(update={"plan": plan}),
            "turns_chosen": tuple(turns),
            "procedure_starts": (start,),
        }
    )


def _record(plan: CellPlan, value: int | CellRecord | None, order: int, number: int, now_ns: int) -> CellRecord:
    clocks: dict[str, Any] = {
        "clock_start": ClockPair(engine_ns=now_ns, wall_ns=now_ns, raw_ns=now_ns),
        "clock_end": ClockPair(engine_ns=now_ns + SECOND_NS, wall_ns=now_ns + SECOND_NS, raw_ns=now_ns + SECOND_NS),
    }
    if isinstance(value, CellRecord):
        return value.model_copy(update={"order": order, "repeat": number, "round": number, **clocks})
    if value is None:
        return cell_record(
            plan, {}, repeat=number, order=order, round=number, outcome=Outcome.FAILED, measured_ns=0, **clocks
        )
    return cell_record(plan, operations(plan, value), repeat=number, order=order, round=number, **clocks)


def write_rounds(*values: int | CellRecord | None) -> list[dict[str, int | CellRecord | None]]:
    """Rounds of the only cell ``WRITE``."""
    return [{WRITE.cell: value} for value in values]
