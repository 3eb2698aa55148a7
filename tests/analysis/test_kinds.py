"""The leading cells: the few that represent a run."""

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.workload_kinds import leading_cells
from iosonde.records import Operation
from iosonde.report.headline import headline_of
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.lab_builder import lab_run

MS = 10**6


def test_every_cell_of_the_headline_leads() -> None:
    estimates = estimate_run(lab_run())
    assert {each.cell for each in headline_of(estimates).groups} <= leading_cells(estimates.cells)


def test_few_cells_lead() -> None:
    estimates = estimate_run(lab_run())
    assert len(leading_cells(estimates.cells)) < len(estimates.cells) / 3


def test_of_a_sweep_the_cell_with_most_throughput_leads() -> None:
    plans = [cell_plan(workload(queue_depth=depth)) for depth in (2, 4, 8)]
    counts = (100, 300, 200)
    records = [
        cell_record(plan, {Operation.READ: totals_of([MS] * count)}, repeat=1)
        for plan, count in zip(plans, counts, strict=True)
    ]
    assert leading_cells(estimate_run(run_record(plans, records)).cells) == {plans[1].cell}


def test_what_was_not_measured_yet_leads_by_the_plan() -> None:
    plans = [cell_plan(workload(queue_depth=depth)) for depth in (1, 4)]
    assert plans[0].cell in leading_cells(estimate_run(run_record(plans, [])).cells)
