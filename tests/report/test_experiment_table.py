"""The one table of an experiment: which rows it has, what names them, and the signs beside its values."""

from collections.abc import Sequence

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.missing_reasons import TOO_WIDE
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.records import Access, Aim, Experiment, Neighbour, Operation, PlannedExperiment, RunRecord, Sync, Workload
from iosonde.report.experiment_table import ROWS_MAX, experiment_table
from iosonde.report.page import page_of
from iosonde.report.result_tables import counted, in_flight_text
from iosonde.report.signs import LEFT_OUT, UNMET
from iosonde.report.tables import ResultTable
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.lab_builder import lab_run


def run_of(asked: Sequence[Workload], experiment: Experiment = Experiment.MATRIX, repeats: int = 1) -> RunRecord:
    """Each workload as a cell; the n-th has n thousand reads or writes."""
    plans = [cell_plan(each, experiment) for each in asked]
    records = [
        cell_record(
            plan,
            {plan.workload.subject: totals_of([100_000] * (1000 * number + repeat))},
            repeat=repeat,
        )
        for number, plan in enumerate(plans, start=1)
        for repeat in range(1, repeats + 1)
    ]
    return run_record(plans, records)


def cells_of(asked: Sequence[Workload]) -> tuple[CellEstimate, ...]:
    return estimate_run(run_of(asked)).cells


def table_of(asked: Sequence[Workload]) -> ResultTable:
    return experiment_table(Experiment.MATRIX, cells_of(asked), None)


def test_rows_are_named_by_what_varies_alone() -> None:
    table = table_of([workload(queue_depth=depth, pattern=pattern) for pattern in Access for depth in (1, 8)])
    assert [head.name for head in table.heads][:3] == ["Pattern", "QD", "IOPS"]
    assert [line.texts[:2] for line in table.lines] == [
        (str(pattern), str(depth)) for pattern in Access for depth in (1, 8)
    ]


def test_rows_that_sentences_name_are_in_the_table() -> None:
    asked = [workload(queue_depth=1 << depth, block_size_bytes=size) for size in (4096, 8192) for depth in range(10)]
    named = "random-read-4KiB-qd64"
    table = experiment_table(Experiment.MATRIX, cells_of(asked), None, named={named})
    assert len(table.lines) == ROWS_MAX
    assert named in [line.cell for line in table.lines]
    plain = experiment_table(Experiment.MATRIX, cells_of(asked), None)
    assert named not in [line.cell for line in plain.lines]


def test_standard_deviations_over_repeats_are_columns_by_choice() -> None:
    asked = [workload(queue_depth=depth) for depth in (1, 8)]
    cells = estimate_run(run_of(asked, repeats=3)).cells
    plain = experiment_table(Experiment.MATRIX, cells, None)
    assert "SD" not in [head.name for head in plain.heads]
    table = experiment_table(Experiment.MATRIX, cells, None, deviations=True)
    places = [place for place, head in enumerate(table.heads) if head.name == "SD"]
    assert [table.heads[place].unit for place in places] == ["IOPS", "MB/s", "µs"]
    # The repeats have 1,001, 1,002 and 1,003 operations in 5 s.
    assert table.lines[0].texts[places[0]] == "0.20"
    alone = experiment_table(Experiment.MATRIX, cells_of(asked), None, deviations=True)
    assert "the cell has a single repeat" in " ".join(alone.explained.notes)


def test_rows_without_an_interval_are_named_with_the_reason() -> None:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.MATRIX) for depth in (1, 8)]
    records = [
        cell_record(plan, {plan.workload.subject: totals_of([100_000] * count)}, repeat=repeat)
        for plan, counts in zip(plans, ((1000, 1010, 1020), (100, 1000, 5000)), strict=True)
        for repeat, count in enumerate(counts, start=1)
    ]
    table = experiment_table(Experiment.MATRIX, estimate_run(run_record(plans, records)).cells, None)
    assert [note for note in table.notes if note.startswith("No confidence interval")] == [
        f"No confidence interval for 8: {TOO_WIDE}."
    ]


def test_a_single_cell_is_named_by_its_workload() -> None:
    table = table_of([workload()])
    assert [line.texts[0] for line in table.lines] == ["4 KiB random read, depth 8"]


def test_cells_that_differ_in_nothing_but_their_time_have_their_names() -> None:
    run = run_of([workload(), workload(queue_depth=2)])
    first, second = run.header.plan.cells
    alike = first.model_copy(update={"cell": "random-read-4KiB-qd8-10s-x3"})
    plan = run.header.plan.model_copy(update={"cells": (first, second, alike)})
    cells = estimate_run(run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})).cells
    table = experiment_table(Experiment.MATRIX, cells, None)
    assert [head.name for head in table.heads][:2] == ["QD", "Cell"]
    assert table.lines[2].cell == "random-read-4KiB-qd8-10s-x3"


def test_of_many_rows_each_line_keeps_its_ends_and_its_fastest() -> None:
    depths = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    asked = [workload(queue_depth=depth, read_percent=read) for read in (100, 0) for depth in depths]
    table = table_of(asked)
    assert len(table.lines) == ROWS_MAX
    shown = {read: [line.texts[1] for line in table.lines if line.texts[0] == read] for read in ("read", "write")}
    assert all((rows[0], rows[-1]) == ("1", "256") for rows in shown.values())
    assert all(len(rows) == ROWS_MAX // 2 for rows in shown.values())
    assert "12 of 18 rows" in table.caption


def test_of_more_lines_than_rows_some_have_one_and_the_others_none() -> None:
    sizes = [4096 * 2**step for step in range(9)]
    asked = [
        workload(block_size_bytes=size, read_percent=read, queue_depth=depth, sync=Sync.NONE)
        for size in sizes
        for read in (100, 0)
        for depth in range(1, 11)
    ]
    assert len(table_of(asked).lines) == ROWS_MAX


def test_few_rows_are_all_there_and_nothing_is_said_of_more() -> None:
    table = table_of([workload(queue_depth=depth) for depth in range(1, ROWS_MAX + 1)])
    assert len(table.lines) == ROWS_MAX
    assert table.caption == ""


def test_left_out_repeats_have_a_sign_and_their_number_is_in_the_full_table() -> None:
    run = lab_run(repeats=4)
    cell = run.cells[0].cell
    beside = {"neighbours": (Neighbour(process=71, device="sda"),)}
    cells = tuple(each.model_copy(update=beside if (each.cell, each.repeat) == (cell, 2) else {}) for each in run.cells)
    tables = page_of(RunAnalysis(run.model_copy(update={"cells": cells})), []).all_of(ResultTable)
    signed = {line.cell for table in tables for line in table.lines if f"3{LEFT_OUT}" in line.texts}
    assert signed == {cell}
    assert any("3 (1 discarded)" in line.texts for table in tables for line in table.lines if line.texts[0] == cell)


def test_a_value_below_the_requested_precision_has_a_sign() -> None:
    run = run_of([workload()], repeats=3)
    cells = estimate_run(run).cells
    (exact,) = experiment_table(Experiment.MATRIX, cells, Aim(precision_percent=50, budget_ns=1)).lines
    (missed,) = experiment_table(Experiment.MATRIX, cells, Aim(precision_percent=0.001, budget_ns=1)).lines
    assert not any(text.endswith(UNMET) for text in exact.texts)
    assert missed.texts[1] == f"{exact.texts[1]}{UNMET}"


def test_experiments_of_one_kind_are_chapters_of_their_own_with_charts_of_their_own() -> None:
    depths = (1, 2, 4, 8, 16, 32)
    run = run_of([workload(queue_depth=depth) for depth in depths], Experiment.QUEUE_DEPTH)
    names = [plan.cell for plan in run.header.plan.cells]
    experiments = tuple(
        PlannedExperiment(name=name, kind=Experiment.QUEUE_DEPTH, cells=tuple(held))
        for name, held in (("shallow", names[:3]), ("deep", names[3:]), ("deep", names[3:]))
    )
    plan = run.header.plan.model_copy(update={"experiments": experiments})
    page = page_of(RunAnalysis(run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})), [])
    chapters = {chapter.id: chapter for chapter in page.chapters if chapter.id.startswith("queue-depth")}
    assert {name: chapter.title for name, chapter in chapters.items()} == {
        "queue-depth": "shallow",
        "queue-depth-2": "deep",
        "queue-depth-3": "deep (2)",
    }
    figures = [figure.id for figure in page.figures]
    assert len(set(figures)) == len(figures)
    drawn = {figure.id: {row["cell"] for row in figure.rows} for figure in chapters["queue-depth-2"].all_of(Figure)}
    assert drawn["queue-depth-iops-2"] == set(names[3:])


def test_the_row_of_a_class_of_a_mix_has_the_operations_of_that_class_in_flight() -> None:
    plan = cell_plan(workload(read_percent=50, queue_depth=4), Experiment.MIX)
    operations = {Operation.READ: totals_of([1_000_000] * 100), Operation.WRITE: totals_of([3_000_000] * 100)}
    record = cell_record(plan, operations, repeat=1, measured_ns=100_000_000, queue_depth_achieved=4.0)
    (cell,) = RunAnalysis(run_record([plan], [record])).estimates.cells
    found = {figures.operation: in_flight_text(cell, figures) for figures in counted(cell)}
    assert found == {Operation.READ: "1.00", Operation.WRITE: "3.00", Operation.ALL: "4.00"}
