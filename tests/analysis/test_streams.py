"""A cell of several streams: figures are shown for each stream and never added up."""

import json

import pytest

from iosonde.analysis.estimate_table import estimate_table
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.tables import cell_table
from iosonde.errors import UsageError
from iosonde.plans import check_plan
from iosonde.records import Experiment, Operation, PlannedExperiment
from iosonde.report.export import run_json
from iosonde.report.markdown import page_markdown
from iosonde.report.measurement_order import measurements
from iosonde.report.page import page_of
from iosonde.report.terminal.cell_choice import chosen_cell
from tests.judging import findings_of
from tests.lab_builder import lab_run
from tests.stream_builder import REPEATS, mixed_run, separate_run

STREAMS = ("mixed/readers", "mixed/log")


def test_each_stream_has_the_estimates_of_a_cell_of_its_own() -> None:
    mixed, separate = RunAnalysis(mixed_run()).estimates, RunAnalysis(separate_run()).estimates
    assert [cell.cell for cell in mixed.cells] == list(STREAMS)
    for each, other in zip(mixed.cells, separate.cells, strict=True):
        assert each.operations == other.operations
        assert each.workload == other.workload


def test_an_experiment_holds_each_stream_of_its_cells() -> None:
    run = mixed_run()
    kept = (PlannedExperiment(name="both", kind=Experiment.MATRIX, cells=("mixed",)),)
    header = run.header.model_copy(update={"plan": run.header.plan.model_copy(update={"experiments": kept})})
    (found,) = RunAnalysis(run.model_copy(update={"header": header})).estimates.experiments
    assert (found.name, [cell.cell for cell in found.cells]) == ("both", list(STREAMS))


def test_the_tables_have_a_row_for_each_stream_with_its_own_workload() -> None:
    table = cell_table(RunAnalysis(mixed_run()))
    rows = list(zip(table["cell"], table["stream"], table["operation"], table["read_percent"], strict=True))
    assert rows.count(("mixed/readers", "readers", "read", 100)) == REPEATS
    assert rows.count(("mixed/log", "log", "commit", 0)) == REPEATS
    assert not [row for row in rows if row[0] == "mixed"]
    assert set(estimate_table(RunAnalysis(mixed_run()))["cell"]) == set(STREAMS)


def test_the_document_holds_the_record_as_it_was_written_and_estimates_by_stream() -> None:
    document = json.loads(run_json(RunAnalysis(mixed_run()), ()))
    assert [(each["cell"], each["stream"]) for each in document["run"]["cells"][:2]] == [
        ("mixed", "readers"),
        ("mixed", "log"),
    ]
    assert [stream["name"] for stream in document["run"]["header"]["plan"]["cells"][0]["streams"]] == ["readers", "log"]
    assert [each["cell"] for each in document["cells"]] == list(STREAMS)


def test_a_report_tells_the_streams_apart_and_every_trial_of_each() -> None:
    run = mixed_run()
    text = page_markdown(page_of(RunAnalysis(run), findings_of(run)), "charts")
    assert all(stream in text for stream in STREAMS)
    analysis = RunAnalysis(run)
    assert [(cell, outcome) for _, cell, *_, outcome in measurements(analysis.run, analysis.estimates)] == [
        (stream, "finished, used") for _ in range(REPEATS) for stream in STREAMS
    ]


def test_a_stream_is_shown_by_its_name() -> None:
    chosen = chosen_cell(RunAnalysis(mixed_run()).run, "mixed/log", None)
    assert [record.stream for record in chosen.records] == ["log"] * REPEATS
    assert all(Operation.COMMIT in record.operations for record in chosen.records)


def test_a_run_without_such_cells_is_looked_at_as_it_is() -> None:
    run = lab_run(repeats=1)
    assert RunAnalysis(run).run is run


def test_several_streams_of_a_cell_cannot_be_measured_yet() -> None:
    with pytest.raises(UsageError, match="mixed has 2 streams, but iosonde supports only one stream per cell"):
        check_plan(mixed_run().header.plan, targets=1)


def test_the_same_cell_on_two_hosts_is_two_cells_and_no_figure_adds_them_up() -> None:
    run, slower = separate_run(), "mixed/log@bench-02"
    far = [cell.model_copy(update={"host": 1}) for cell in run.cells if cell.cell == "mixed/readers"]
    near = [cell.model_copy(update={"cell": "mixed/readers"}) for cell in run.cells if cell.cell == "mixed/log"]
    second = run.header.host.model_copy(update={"hostname": "bench-02"})
    header = run.header.model_copy(update={"more_hosts": (second,)})
    run = run.model_copy(update={"header": header, "cells": (*near, *far)})
    found = {cell.cell: cell for cell in RunAnalysis(run).estimates.cells}
    assert set(found) == {"mixed/readers@bench-01", "mixed/readers@bench-02", "mixed/log@bench-01", slower}
    assert Operation.READ not in found["mixed/readers@bench-01"].operations
    assert Operation.READ in found["mixed/readers@bench-02"].operations


def test_hosts_of_the_same_name_are_numbered() -> None:
    run = separate_run()
    header = run.header.model_copy(update={"more_hosts": (run.header.host,)})
    names = {cell.cell for cell in RunAnalysis(run.model_copy(update={"header": header})).run.header.plan.cells}
    assert names == {f"mixed/{stream}@bench-01-{number}" for stream in ("readers", "log") for number in (1, 2)}
