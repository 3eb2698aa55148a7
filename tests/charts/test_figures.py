"""The rows of a chart, and the positions of its marks and labels."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.histogram import percentile_supported
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure, Row
from iosonde.charts.mix import mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.trade_off import throughput_latency
from iosonde.records import CellRecord, Experiment, Operation, Outcome, RunRecord
from tests.builders import cell_plan, cell_record, failed, run_record, totals_of, workload
from tests.lab_builder import lab_run


@pytest.fixture(scope="module")
def estimates() -> RunEstimates:
    return estimate_run(lab_run())


def rows_of(figures: Sequence[Figure]) -> list[Row]:
    """The rows of several charts."""
    return [row for figure in figures for row in figure.rows]


def depth_sweep(*iops: int, queue_depth_achieved: float | None = None) -> RunRecord:
    """Pure reads at depth 1, 2, 4 …, one second and one repeat each."""
    plans = [cell_plan(workload(queue_depth=2**step), Experiment.QUEUE_DEPTH) for step in range(len(iops))]
    records = [
        cell_record(
            plan,
            {Operation.READ: totals_of([100_000 * 2**step] * count)},
            measured_ns=10**9,
            queue_depth_achieved=queue_depth_achieved,
        )
        for step, (plan, count) in enumerate(zip(plans, iops, strict=True))
    ]
    return run_record(plans, records)


def test_the_block_size_sweep_has_four_series(estimates: RunEstimates) -> None:
    rows = rows_of(block_size_iops(estimates.of(Experiment.BLOCK_SIZE)))
    assert {row["series"] for row in rows} == {"random read", "random write", "sequential read", "sequential write"}
    assert {row["block_size"] for row in rows} >= {"4 KiB", "64 KiB", "1 MiB"}


def test_bandwidth_is_in_megabytes_of_a_million_bytes(estimates: RunEstimates) -> None:
    for row in rows_of(block_size_bandwidth(estimates.of(Experiment.BLOCK_SIZE))):
        assert row["bandwidth_mb_per_s"] == pytest.approx(row["iops"] * row["block_size_bytes"] / 1e6)


def test_a_mix_shows_directions_apart_and_together(estimates: RunEstimates) -> None:
    rows = [row for row in rows_of(mix_iops(estimates.of(Experiment.MIX))) if row["read_percent"] == 70]
    apart = {row["series"]: row["iops"] for row in rows}
    assert apart["read"] + apart["write"] == pytest.approx(apart["all"])


def test_a_pure_workload_has_no_point_for_the_other_direction(estimates: RunEstimates) -> None:
    rows = rows_of(mix_latency(estimates.of(Experiment.MIX)))
    assert ("write", 100) not in {(row["series"], row["read_percent"]) for row in rows}
    assert ("read", 0) not in {(row["series"], row["read_percent"]) for row in rows}


def test_the_tail_ends_where_fewer_than_ten_samples_lie_beyond(estimates: RunEstimates) -> None:
    cells = estimates.of(Experiment.TAIL)
    rows = rows_of(tail_percentiles(cells))
    for cell in cells:
        assert cell.subject is not None
        ends = [row["percent"] for row in rows if row["cell"] == cell.cell]
        assert max(ends) == pytest.approx(100 * (1 - 10 / cell.subject.count), abs=1e-5)


def test_the_baseline_draws_only_supported_percentiles() -> None:
    estimates = estimate_run(lab_run(repeats=1, quick=True))
    cells = estimates.of(Experiment.BASELINE)
    drawn = {(row["cell"], row["series"]) for row in rows_of(baseline_percentiles(cells))}
    expected = {
        (cell.cell, name)
        for cell in cells
        for percent, name in ((50, "p50"), (95, "p95"), (99, "p99"), (99.9, "p99.9"))
        if cell.subject is not None and percentile_supported(cell.subject.count, percent)
    }
    assert drawn == expected
    assert ("random-write-4KiB-qd1-fdatasync", "p99.9") not in drawn


def test_the_durable_baseline_shows_commits(estimates: RunEstimates) -> None:
    rows = rows_of(baseline_percentiles(estimates.of(Experiment.BASELINE)))
    commit = next(row for row in rows if row["name"].startswith("write + fdatasync"))
    cell = next(cell for cell in estimates.cells if cell.cell == commit["cell"])
    figures = cell.of(Operation.COMMIT)
    assert figures is not None
    assert commit["latency_us"] == pytest.approx((figures.percentile(50).value_ns or 0) / 1000)


@pytest.mark.parametrize("draw", [queue_depth_iops, queue_depth_latency])
def test_achieved_depth_stands_beside_the_asked_one(draw: object) -> None:
    assert callable(draw)
    (figure,) = draw(estimate_run(depth_sweep(100, 190, 300, queue_depth_achieved=0.9)).of(Experiment.QUEUE_DEPTH))
    assert [(row["queue_depth_asked"], row["queue_depth_achieved"]) for row in figure.rows] == [
        (1, 0.9), (2, 0.9), (4, 0.9),
    ]  # fmt: skip


def test_a_failed_depth_is_left_out_and_said_never_drawn_as_0() -> None:
    run = depth_sweep(100, 190, 300)
    broken = cell_record(
        run.header.plan.cells[1], {}, outcome=Outcome.FAILED, failure=failed(message="read at offset 0 failed: EIO")
    )
    cells: tuple[CellRecord, ...] = (run.cells[0], broken, run.cells[2])
    (figure,) = queue_depth_iops(estimate_run(run.model_copy(update={"cells": cells})).of(Experiment.QUEUE_DEPTH))
    assert [row["queue_depth_asked"] for row in figure.rows] == [1, 4]
    assert figure.left_out == ("random-read-4KiB-qd2 failed in 1 of 1 repeats: read at offset 0 failed: EIO",)


def test_a_bar_of_repeats_that_differ_many_times_over_ends_above_0_on_a_logarithmic_axis() -> None:
    plan = cell_plan(workload(queue_depth=1), Experiment.QUEUE_DEPTH)
    records = [
        cell_record(plan, {Operation.READ: totals_of([latency] * 10)}, repeat=repeat)
        for repeat, latency in enumerate((10_000, 10_000_000))
    ]
    (row,) = rows_of(queue_depth_latency(estimate_run(run_record([plan], records)).cells))
    # The interval is too wide to be shown, and the standard deviation is larger than the mean.
    assert row["low"] == row["latency_us"] == row["high"]
    assert row["deviation_low"] < 0 < row["drawn_deviation_low"] < row["latency_us"]


def label_sides(*points: tuple[int, int]) -> list[str]:
    """The side of the label of each point, in a sweep of reads with these IOPS and latencies in µs."""
    plans = [cell_plan(workload(queue_depth=2**step), Experiment.QUEUE_DEPTH) for step in range(len(points))]
    records = [
        cell_record(plan, {Operation.READ: totals_of([latency_us * 1000] * count)}, measured_ns=10**9)
        for plan, (count, latency_us) in zip(plans, points, strict=True)
    ]
    return [row["drawn_side"] for row in rows_of(throughput_latency(estimate_run(run_record(plans, records)).sweeps))]


def test_depths_too_close_to_each_other_share_one_label() -> None:
    assert label_sides((10, 100), (20, 100), (400, 100), (1000, 400)) == ["above", "none", "right", "right"]


def test_depths_stand_beside_the_line_where_it_climbs() -> None:
    assert label_sides((100, 80), (400, 80), (800, 90), (810, 300), (812, 900)) == [
        "above", "above", "right", "right", "right",
    ]  # fmt: skip
