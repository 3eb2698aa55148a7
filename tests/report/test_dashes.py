"""Dashes and their reasons, in every form of the report."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.missing_reasons import FEW_BEYOND, NO_DATA_MOVED, ONE_REPEAT
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.quantities import NO_VALUE
from iosonde.records import Experiment, Operation, RunRecord, Sync
from iosonde.report.dashes import Dash, explained
from iosonde.report.display import figure_text
from iosonde.report.headline import headline_of
from iosonde.report.markdown import page_markdown
from iosonde.report.page import page_of
from iosonde.report.probe_summary import render_probe
from iosonde.report.result_tables import experiment_tables
from iosonde.report.summary import render_summary
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.report.terminal.figures import joined
from iosonde.report.terminal.symbols import in_ascii
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.judging import findings_of

DURABLE = workload(read_percent=0, sync=Sync.FDATASYNC, queue_depth=1)


def run_of_one_repeat() -> RunRecord:
    plan = cell_plan(DURABLE, Experiment.BASELINE)
    totals = totals_of([1_000_000] * 100)
    flushes = replace(totals, bytes=0)
    operations = {Operation.WRITE: totals, Operation.FLUSH: flushes, Operation.COMMIT: totals}
    return run_record([plan], [cell_record(plan, operations, repeat=1)], repeats=1)


def test_one_reason_needs_no_number() -> None:
    rows, notes = explained([("a", Dash("it rained")), ("b", Dash("it rained"))])
    assert rows == [("a", NO_VALUE), ("b", NO_VALUE)]
    assert notes == (f"{NO_VALUE}: it rained.",)


def test_each_of_several_reasons_has_its_number() -> None:
    rows, notes = explained([("a", Dash("it rained")), (Dash("it snowed"), Dash("it rained"))])
    assert rows == [("a", "–¹"), ("–²", "–¹")]
    assert notes == ("–¹: it rained.", "–²: it snowed.")


def test_tables_that_are_joined_on_a_terminal_count_their_reasons_together() -> None:
    cells = estimate_run(run_of_one_repeat()).cells
    table = joined(experiment_tables(Experiment.BASELINE, cells)).explained
    assert table.notes[:2] == (f"–¹: {FEW_BEYOND}.", f"–²: {NO_DATA_MOVED}.")
    assert {text for line in table.lines for text in line.texts if text.startswith(NO_VALUE)} == {"–¹", "–²"}


def test_means_without_an_interval_say_why() -> None:
    first, _ = experiment_tables(Experiment.BASELINE, estimate_run(run_of_one_repeat()).cells)
    assert f"Without ±: {ONE_REPEAT}." in first.notes


def test_the_headline_says_why_a_figure_or_its_interval_is_missing() -> None:
    [group] = headline_of(estimate_run(run_of_one_repeat())).groups
    rate, tail = (figure_text(figure) for figure in group.figures)
    assert (rate.spread, rate.why) == ("", f"no 95 % CI: {ONE_REPEAT}")
    assert (tail.value, tail.why) == (NO_VALUE, FEW_BEYOND)


def test_markdown_has_the_reason_under_its_table() -> None:
    run = run_of_one_repeat()
    text = page_markdown(page_of(RunAnalysis(run), findings_of(run)), "charts")
    assert f"–: {FEW_BEYOND}." in text
    assert NO_DATA_MOVED in text


def test_the_summary_says_why_below_its_figures() -> None:
    console = Console(width=100, record=True, file=StringIO())
    console.print(render_summary(RunAnalysis(run_of_one_repeat()), (), None))
    said = " ".join(console.export_text().split())
    assert f"p99 {NO_VALUE}" in said
    assert f"{NO_VALUE}: {FEW_BEYOND}." in said
    assert f"Without ±: {ONE_REPEAT}." in said


def test_a_cell_on_a_terminal_and_a_probe_say_the_same() -> None:
    run = run_of_one_repeat()
    cell = chosen_cell(run, run.header.plan.cells[0].cell, None)
    for shown in (render_cell(run, cell, (), all_findings=False), render_probe(RunAnalysis(run), ())):
        console = Console(width=200, record=True, file=StringIO())
        console.print(shown)
        said = console.export_text()
        assert NO_DATA_MOVED in said
        assert FEW_BEYOND in said


def test_dashes_with_numbers_stand_on_a_terminal_of_ascii_as_well() -> None:
    assert in_ascii("–¹²") == "-12"
