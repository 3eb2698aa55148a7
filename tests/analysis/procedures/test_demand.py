"""Demand variation and its operating points, against figures computed by hand."""

from iosonde.analysis.procedures import ProcedureRounds, procedures_of
from iosonde.analysis.procedures.demand import (
    DemandCell,
    best_by_outstanding,
    demand_of,
    measured_points,
    rule_of,
    varied_phase,
)
from iosonde.records import CellPlan, CellRecord, Experiment, OperatingPoints, PhasePlan, RunRecord
from iosonde.vocabulary import PhaseRole, ProcedureKind
from tests.builders import SECOND_NS, cell_plan, cell_record, cpu_use, workload
from tests.procedure_builder import TIMING, operations, procedure_run, steady_procedure

LATENCIES_NS = {(1, 1): 100_000, (1, 4): 200_000, (4, 1): 300_000, (4, 4): 8_000_000}
IOPS = {(1, 1): 100, (1, 4): 250, (4, 1): 260, (4, 4): 400}


def plan_of(jobs: int, depth: int) -> CellPlan:
    return cell_plan(workload(read_percent=0, jobs=jobs, queue_depth=depth), Experiment.PROCEDURE, timing=TIMING)


PLANS = {demand: plan_of(*demand) for demand in IOPS}


def demand_run(*, rounds: int = 5, cpu_ns: int | None = None) -> RunRecord:
    """Five rounds over four demands. The first round of a longer run is twice as fast."""
    cells = tuple(PLANS.values())
    points = OperatingPoints(
        phase="rounds", latency_ns_max=5_000_000, cells={each.cell: (each.cell,) for each in cells}
    )
    base = steady_procedure(cells, (PLANS[4, 4],), kind=ProcedureKind.DEMAND_INTENSITY)
    last = PhasePlan(name="points", role=PhaseRole.OPERATING_POINTS, points=points)
    procedure = base.model_copy(update={"phases": (*base.phases, last)})
    values: list[dict[str, int | CellRecord | None]] = [
        {PLANS[each].cell: record(each, 2 if number < rounds - 5 else 1, cpu_ns) for each in IOPS}
        for number in range(rounds)
    ]
    return procedure_run(procedure, values, cells)


def record(demand: tuple[int, int], times: int, cpu_ns: int | None) -> CellRecord:
    done = operations(PLANS[demand], IOPS[demand] * times, LATENCIES_NS[demand])
    return cell_record(PLANS[demand], done, measured_ns=SECOND_NS, cpu=None if cpu_ns is None else cpu_use(cpu_ns))


def demand(run: RunRecord) -> tuple[ProcedureRounds, dict[tuple[int, int], DemandCell]]:
    [rounds] = procedures_of(run)
    phase = varied_phase(rounds)
    assert phase is not None
    return rounds, {(each.jobs, each.queue_depth): each for each in demand_of(run, rounds, phase)}


def test_each_demand_has_the_means_of_the_window() -> None:
    _, found = demand(demand_run(rounds=6))

    assert {each: (cell.iops, cell.latency_ns) for each, cell in found.items()} == {
        each: (IOPS[each], LATENCIES_NS[each]) for each in IOPS
    }


def test_cpu_is_that_of_the_threads_that_do_the_io_as_a_share_of_all_logical_cpus() -> None:
    # The rest of the process is not counted: it may have run outside of the measurement.
    run = demand_run(cpu_ns=SECOND_NS // 2)
    _, found = demand(run)

    assert found[1, 1].cpu_share == 0.5 / run.header.host.cpus_online


def test_a_simulated_drive_has_no_cpu() -> None:
    _, found = demand(demand_run())

    assert found[1, 1].cpu_share is None


def test_of_demands_with_the_same_outstanding_io_the_one_with_the_most_iops_is_the_best() -> None:
    _, found = demand(demand_run())

    best = best_by_outstanding(tuple(found.values()))

    assert [(each.outstanding, each.jobs, each.queue_depth) for each in best] == [(1, 1, 1), (4, 4, 1), (16, 4, 4)]


def test_the_maximum_is_the_fastest_below_the_ceiling_and_the_middle_is_nearest_to_the_mean() -> None:
    rounds, found = demand(demand_run())
    rule = rule_of(rounds)
    assert rule is not None

    points = measured_points(tuple(found.values()), rule)

    # 4 × 4 takes 8 ms. The mean of 260 and 100 is 180: 250 is 70 away, 260 and 100 are 80 away.
    assert {each.name: (each.chosen.jobs, each.chosen.queue_depth) for each in points} == {
        "maximum": (4, 1),
        "middle": (1, 4),
        "minimum": (1, 1),
    }


def test_the_outstanding_io_of_several_targets_is_that_of_all() -> None:
    found = DemandCell("cell", workload(queue_depth=8, jobs=4, targets=2), 1.0, 1.0, None)
    assert (found.jobs, found.queue_depth, found.outstanding) == (4, 8, 64)
