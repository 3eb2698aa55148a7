"""The flat tables: a row for everything that was measured, and no invented zeros."""

from collections.abc import Callable

import numpy as np
import pytest

from iosonde.analysis.columns import Table
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.tables import cell_table, histogram_table, interval_table
from iosonde.records import Experiment, Operation, Outcome, Phase, RunRecord
from tests.builders import (
    SECOND_NS,
    cell_plan,
    cell_record,
    failed,
    interval_record,
    run_record,
    silent_repeat,
    totals_of,
    workload,
)
from tests.lab_builder import lab_run

MIXED = cell_plan(workload(read_percent=50), Experiment.MIX, Experiment.QUEUE_DEPTH)


def mixed_run() -> RunRecord:
    """One repeat with 100 reads and 20 writes in one warm-up and one measured interval each."""
    operations = {Operation.READ: totals_of([1000] * 100), Operation.WRITE: totals_of([3000] * 20)}
    warmup = interval_record(0, operations, phase=Phase.WARMUP)
    record = cell_record(
        MIXED,
        operations,
        measured_ns=SECOND_NS // 2,
        intervals=(warmup, interval_record(1, operations)),
        seed=2**63 + 1,
    )
    return run_record([MIXED], [record])


def row(table: Table, index: int) -> dict[str, object]:
    return {name: column[index] for name, column in table.items()}


def test_a_cell_has_a_row_for_each_direction_and_one_for_all() -> None:
    table = cell_table(RunAnalysis(mixed_run()))
    assert table["operation"].tolist() == ["read", "write", "all"]
    assert table["count"].tolist() == [100, 20, 120]
    assert table["iops"].tolist() == [200, 40, 240]


def test_a_row_names_every_experiment_of_its_cell() -> None:
    assert row(cell_table(RunAnalysis(mixed_run())), 0)["experiments"] == "mix+queue_depth"


def test_a_seed_of_64_bits_survives() -> None:
    assert int(cell_table(RunAnalysis(mixed_run()))["seed"][0]) == 2**63 + 1


def test_an_unsupported_percentile_is_masked() -> None:
    column = cell_table(RunAnalysis(mixed_run()))["latency_ns_p90"]
    assert np.ma.getmaskarray(column).tolist() == [False, True, False]


def test_a_direction_that_failed_has_a_count_of_0_and_no_figures() -> None:
    record = cell_record(
        MIXED, {Operation.READ: totals_of([1000])}, outcome=Outcome.FAILED, failure=failed(), measured_ns=SECOND_NS
    )
    found = row(cell_table(RunAnalysis(run_record([MIXED], [record]))), 1)
    assert (found["operation"], found["outcome"], found["count"]) == ("write", "failed", 0)
    assert np.isnan(float(str(found["iops"])))
    assert found["latency_ns_min"] is np.ma.masked


def test_a_repeat_in_which_nothing_completed_is_in_the_weighted_mean_as_a_zero() -> None:
    reads = cell_plan(workload())
    found = cell_record(reads, {Operation.READ: totals_of([1000] * 90)}, repeat=1, measured_ns=SECOND_NS)
    table = cell_table(RunAnalysis(run_record([reads], [found, silent_repeat(reads, 2, measured_ns=SECOND_NS)])))
    own = table["operation"] == "read"
    assert table["iops"][own].tolist() == [90, 0]
    assert (table["iops"][own] * table["weight"][own]).sum() == pytest.approx(45)


def test_intervals_keep_the_warm_up_by_its_phase() -> None:
    table = interval_table(mixed_run())
    assert table["phase"].tolist() == ["warmup"] * 3 + ["measure"] * 3
    assert table["count"].tolist() == [100, 20, 120] * 2
    assert table["queue_depth_achieved"].tolist() == [8.0] * 6


def test_histogram_rows_add_up_to_the_counts() -> None:
    run = lab_run(repeats=1, quick=True, with_intervals=True)
    buckets, cells = histogram_table(run), cell_table(RunAnalysis(run))
    measured = buckets["count"][buckets["phase"] == "measure"].sum()
    single = ~np.isin(cells["operation"], ["all"])
    assert measured == cells["count"][single].sum()


def test_histogram_rows_say_where_their_bucket_lies() -> None:
    table = histogram_table(mixed_run())
    assert table["bucket_low_ns"].tolist()[:2] == [1000, 2992]
    assert table["bucket_high_ns"].tolist()[:2] == [1004, 3008]
    assert "all" not in table["operation"].tolist()


@pytest.mark.parametrize("make", [lambda run: cell_table(RunAnalysis(run)), interval_table, histogram_table])
def test_an_empty_run_has_every_column_and_no_row(make: Callable[[RunRecord], Table]) -> None:
    table = make(run_record([], []))
    full = make(mixed_run())
    assert list(table) == list(full)
    assert {len(column) for column in table.values()} == {0}
    assert [column.dtype for column in table.values()] == [column.dtype for column in full.values()]
