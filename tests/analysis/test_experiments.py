"""The estimates of a run, grouped by experiment."""

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.knee import KneeState
from iosonde.records import Experiment, Operation, Outcome, PlannedExperiment, RunRecord
from tests.builders import cell_plan, cell_record, failed, run_record, totals_of, workload
from tests.lab_builder import lab_run


def test_a_lab_run_answers_all_its_experiments() -> None:
    estimates = estimate_run(lab_run(repeats=2))
    sizes = {experiment.value: len(estimates.of(experiment)) for experiment in Experiment}
    assert sizes == {
        "baseline": 6, "block_size": 36, "mix": 5, "queue_depth": 18, "tail": 2, "sustained": 0,
        "matrix": 0, "probe": 0, "procedure": 0, "fill": 0,
    }  # fmt: skip
    assert len(estimates.cells) == 59


def test_a_cell_stands_in_every_experiment_that_it_serves() -> None:
    estimates = estimate_run(lab_run(repeats=1))
    serving = [
        experiment.value
        for experiment in Experiment
        if any(cell.cell == "random-read-4KiB-qd8" for cell in estimates.of(experiment))
    ]
    assert serving == ["block_size", "queue_depth", "tail"]


def test_a_planned_cell_without_records_is_there_without_figures() -> None:
    plan = cell_plan(workload(), Experiment.TAIL)
    (cell,) = estimate_run(run_record([plan], [])).cells
    assert (cell.cell, cell.operations) == ("random-read-4KiB-qd8", {})


def test_a_record_that_no_plan_knows_is_estimated_too() -> None:
    plan = cell_plan(workload(), Experiment.PROBE)
    run = run_record([], [cell_record(plan, {Operation.READ: totals_of([100])})])
    (cell,) = estimate_run(run).of(Experiment.PROBE)
    assert cell.of(Operation.READ) is not None


def test_the_knee_is_found_for_reads_and_writes_apart() -> None:
    estimates = estimate_run(lab_run())
    read, write = estimates.knee(Operation.READ), estimates.knee(Operation.WRITE)
    assert read.point is not None
    assert write.point is not None
    assert read.point.queue_depth > write.point.queue_depth


def test_the_knee_passes_over_depths_that_failed() -> None:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2, 4)]
    records = [cell_record(plan, {Operation.READ: totals_of([100] * 10)}) for plan in plans[:2]]
    records.append(cell_record(plans[2], {}, outcome=Outcome.FAILED, failure=failed()))
    knee = estimate_run(run_record(plans, records)).knee(Operation.READ)
    assert (knee.state, knee.depths, knee.unmeasured) == (KneeState.NOT_IDENTIFIABLE, (1, 2), (4,))


def two_sweeps(*, named: bool) -> RunRecord:
    """Reads at depths 1, 2 and 4 in one experiment, and at 8, 16 and 32 in another one of the same kind."""
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2, 4, 8, 16, 32)]
    records = [cell_record(plan, {Operation.READ: totals_of([100_000] * 1000)}) for plan in plans]
    run = run_record(plans, records)
    if not named:
        return run
    kept = tuple(
        PlannedExperiment(name=name, kind=Experiment.QUEUE_DEPTH, cells=tuple(plan.cell for plan in held))
        for name, held in (("shallow", plans[:3]), ("deep", plans[3:]))
    )
    planned = run.header.plan.model_copy(update={"experiments": kept})
    return run.model_copy(update={"header": run.header.model_copy(update={"plan": planned})})


def test_experiments_of_one_kind_stay_apart_and_so_do_their_sweeps() -> None:
    estimates = estimate_run(two_sweeps(named=True))
    assert [(each.name, len(each.cells)) for each in estimates.experiments] == [("shallow", 3), ("deep", 3)]
    assert [len(sweep.cells) for sweep in estimates.sweeps] == [3, 3]


def test_without_names_in_the_plan_all_cells_of_a_kind_are_one_experiment() -> None:
    estimates = estimate_run(two_sweeps(named=False))
    assert [(each.kind, each.name, len(each.cells)) for each in estimates.experiments] == [
        (Experiment.QUEUE_DEPTH, "", 6)
    ]
    assert [len(sweep.cells) for sweep in estimates.sweeps] == [6]
