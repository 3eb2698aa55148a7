"""Figures at the edge of what there is: one operation, one interval, no time at all, nothing but failures."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.records import CellRecord, Experiment, Operation, OperationTotals, Outcome, RunRecord, Sync, Workload
from iosonde.report.html import render_html
from iosonde.report.markdown import page_markdown
from iosonde.report.page import page_of
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.report.terminal.run_view import render_run
from tests.builders import cell_plan, cell_record, failed, interval_record, run_record, totals_of, workload
from tests.judging import findings_of
from tests.stories.whole_reports import NO_NUMBER, shown

KINDS = (
    Experiment.BASELINE,
    Experiment.BLOCK_SIZE,
    Experiment.MIX,
    Experiment.QUEUE_DEPTH,
    Experiment.TAIL,
    Experiment.MATRIX,
)
DEPTHS = (1, 2, 4, 8)


def totals(asked: Workload, latencies_ns: Sequence[int]) -> dict[Operation, OperationTotals]:
    """All that the workload asks for, with these latencies each."""
    return {operation: totals_of(latencies_ns) for operation in asked.asked_operations()} if latencies_ns else {}


def run_of(
    latency_ns: int, *counts: int, repeats: int = 2, outcome: Outcome = Outcome.FINISHED, **asked: object
) -> RunRecord:
    """A sweep of depths for every experiment at once, with so many operations of one latency in each interval."""
    plans = [cell_plan(workload(queue_depth=depth, **asked), *KINDS) for depth in DEPTHS]  # type: ignore[arg-type]
    records: list[CellRecord] = [
        cell_record(
            plan,
            totals(plan.workload, [latency_ns] * sum(counts)) if outcome is Outcome.FINISHED else {},
            repeat=repeat,
            outcome=outcome,
            failure=failed() if outcome is Outcome.FAILED else None,
            intervals=tuple(
                interval_record(number, totals(plan.workload, [latency_ns] * count))
                for number, count in enumerate(counts)
            ),
        )
        for repeat in range(1, repeats + 1)
        for plan in plans
    ]
    return run_record(plans, records)


CASES = {
    "latencies of no time": run_of(0, 3, 4, 3),
    "many latencies of no time": run_of(0, 50, 0, 70),
    "latencies of a nanosecond": run_of(1, 50, 70),
    "one operation": run_of(10**6, 1, repeats=1),
    "one operation in three intervals": run_of(10**6, 0, 1, 0),
    "operations of an hour": run_of(3600 * 10**9, 1, 1),
    "one interval": run_of(10**5, 5000),
    "a mix of no time": run_of(0, 3, 4, read_percent=50),
    "commits": run_of(10**7, 2, 3, read_percent=0, sync=Sync.FDATASYNC),
    "flushes behind several writes": run_of(10**7, 2, 3, read_percent=0, sync=Sync.FDATASYNC, flush_every=5),
    "nothing but trims": run_of(10**4, 20, 30, read_percent=0, trim_percent=100),
    "everything failed": run_of(10**6, 1, outcome=Outcome.FAILED),
    "everything was cut": run_of(10**6, 30, 1, outcome=Outcome.CUT),
    "nothing was measured": run_record(run_of(1, 1).header.plan.cells, [], finished=False),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_at_the_edge_has_its_report(case: str) -> None:
    run = CASES[case]
    findings = findings_of(run)
    page = page_of(RunAnalysis(run), findings)
    render_html(page)
    chosen = chosen_cell(run, run.header.plan.cells[0].cell, None)
    for text in (
        page_markdown(page, "charts"),
        shown(render_run(RunAnalysis(run), findings, all_findings=True)),
        shown(render_cell(run, chosen, findings, all_findings=True)),
    ):
        assert NO_NUMBER.search(text) is None


def test_a_run_without_a_finished_repeat_names_no_number_of_repeats() -> None:
    cut, finished = run_of(100_000, 0, outcome=Outcome.CUT), run_of(100_000, 50, 50)
    assert "Means over" not in render_html(page_of(RunAnalysis(cut), findings_of(cut)))
    assert "Means over 3 repeats" in render_html(page_of(RunAnalysis(finished), findings_of(finished)))
