"""The answers in words."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.charts.quantities import load_label
from iosonde.records import Access, Arrivals, CellPlan, CellRecord, Experiment, Operation, Sync, Workload
from iosonde.report.sentences import NO_FIGURES, NO_SUBJECT, experiment_sentence
from tests.builders import TIMING, cell_plan, cell_record, run_record, totals_of, workload
from tests.lab_builder import lab_plans, lab_run

Measured = tuple[CellPlan, list[CellRecord]]


@pytest.fixture(scope="module")
def estimates() -> RunEstimates:
    return estimate_run(lab_run())


@pytest.mark.parametrize(
    ("experiment", "words"),
    [
        (Experiment.BASELINE, "A durable write (4 KiB random write + fdatasync at depth 1) takes 1,171 µs"),
        (Experiment.BLOCK_SIZE, "Random read at depth 8: highest measured rate"),
        (Experiment.MIX, "at 50 % reads; the highest is"),
        (Experiment.QUEUE_DEPTH, "at least 98 % of the requested queue depth"),
        (Experiment.TAIL, "and p99.99 is"),
    ],
)
def test_each_experiment_is_answered_in_words(experiment: Experiment, words: str, estimates: RunEstimates) -> None:
    assert words in experiment_sentence(experiment, estimates)


@pytest.mark.parametrize("experiment", [each for each in Experiment if each not in {Experiment.PROBE, Experiment.FILL}])
def test_an_experiment_without_figures_says_so(experiment: Experiment) -> None:
    assert experiment_sentence(experiment, estimate_run(run_record(lab_plans(), []))) == NO_FIGURES


def test_a_depth_that_was_not_reached_is_named() -> None:
    plan = cell_plan(workload(queue_depth=64), Experiment.QUEUE_DEPTH)
    record = cell_record(plan, {Operation.READ: totals_of([1000])}, queue_depth_achieved=16)
    sentence = experiment_sentence(Experiment.QUEUE_DEPTH, estimate_run(run_record([plan], [record])))
    assert "random-read-4KiB-qd64, with 16.0 of 64 operations in flight on average (25 %)" in sentence


def test_a_tail_that_is_too_short_gives_only_its_maximum() -> None:
    plan = cell_plan(workload(), Experiment.TAIL)
    record = cell_record(plan, {Operation.READ: totals_of([100_000] * 99 + [5_000_000])})
    sentence = experiment_sentence(Experiment.TAIL, estimate_run(run_record([plan], [record])))
    assert sentence == (
        "4 KiB random read at depth 8: the slowest of 100 reads took 5,000 µs; no tail percentile has at least 10 "
        "samples above it."
    )


def measured(asked: Workload, counts: Sequence[int], experiment: Experiment, latency_ns: int = 100_000) -> Measured:
    """A cell with so many operations in each of its repeats of five seconds."""
    plan = cell_plan(asked, experiment)
    operation: Operation = asked.only_operation or Operation.ALL
    operations = [operation]
    if asked.flushes_each:
        operations = [Operation.WRITE, Operation.FLUSH, Operation.COMMIT]
    elif operation is Operation.ALL:
        operations = [Operation.READ, Operation.WRITE]
    totals = [totals_of([latency_ns] * count) for count in counts]
    return plan, [cell_record(plan, dict.fromkeys(operations, each), repeat=nr) for nr, each in enumerate(totals)]


def said(experiment: Experiment, *cells: Measured) -> str:
    run = run_record([plan for plan, _ in cells], [record for _, records in cells for record in records])
    return experiment_sentence(experiment, estimate_run(run))


def mixes(**counts: Sequence[int]) -> list[Measured]:
    """Mixes by their share of reads; half of the operations of each are of either kind."""
    return [measured(workload(read_percent=int(share[1:])), each, Experiment.MIX) for share, each in counts.items()]


def test_a_ranking_is_decided_by_the_ratio_where_the_intervals_overlap() -> None:
    sentence = said(Experiment.MIX, *mixes(r70=(1006, 1011, 1016, 1011), r30=(995, 1000, 1005, 1000)))
    assert "at 70 % reads, 1.1 % above 30 % reads (95 % CI" in sentence
    assert "overlap" not in sentence


def test_what_is_not_told_apart_is_said_with_the_ends_of_the_ratio() -> None:
    sentence = said(Experiment.MIX, *mixes(r70=(1000, 1050, 950), r30=(990, 1040, 960), r50=(500, 505, 495)))
    assert "at 70 % reads, not distinguishable from 30 % reads (ratio 0.8" in sentence
    assert "lowest 200.0 ± 5.0 IOPS at 50 % reads; the highest is 2.00 times the lowest (95 % CI" in sentence
    assert "corrected for 3 comparisons" in sentence


def test_without_repeats_nothing_is_told_apart() -> None:
    sentence = said(Experiment.MIX, *mixes(r70=(1000,), r30=(500,)))
    assert "no comparison because confidence intervals are missing" in sentence


def test_mixes_of_other_blocks_or_depths_are_ranked_apart() -> None:
    cells = [
        measured(workload(read_percent=share, queue_depth=depth, block_size_bytes=size), (9 * depth,), Experiment.MIX)
        for depth, size in ((4, 4096), (32, 65_536))
        for share in (70, 30)
    ]
    sentence = said(Experiment.MIX, *cells)
    assert sentence.startswith("4 KiB random read/write mixes at depth 4: highest measured total rate")
    assert "64 KiB random read/write mixes at depth 32: highest measured total rate" in sentence


def test_durable_mixes_are_ranked_together_with_pure_reads() -> None:
    durable = [workload(read_percent=share, sync=Sync.DSYNC) for share in (70, 0)]
    cells = [
        measured(asked, (count, count + 1, count - 1), Experiment.MIX)
        for asked, count in zip([workload(), *durable], (1000, 500, 250), strict=True)
    ]
    sentence = said(Experiment.MIX, *cells)
    assert sentence.startswith("4 KiB random read/write mixes, O_DSYNC at depth 8: highest measured total rate 200.0")
    assert sentence.count("highest measured") == 1


def test_block_sizes_are_ranked_within_one_pattern_direction_and_way_of_writing() -> None:
    asked = [
        workload(pattern, read_percent, size, sync=sync)
        for pattern, read_percent, sync in (
            (Access.RANDOM, 0, Sync.NONE),
            (Access.RANDOM, 0, Sync.FDATASYNC),
            (Access.SEQUENTIAL, 100, Sync.NONE),
        )
        for size in (4096, 65_536)
    ]
    sentence = said(Experiment.BLOCK_SIZE, *(measured(each, (100, 101, 99), Experiment.BLOCK_SIZE) for each in asked))
    for label in ("Random write at depth 8", "Random write + fdatasync at depth 8", "Sequential read at depth 8"):
        assert f"{label}: highest measured rate" in sentence
    assert "commits/s at 4 KiB" in sentence


def test_the_lowest_latency_of_a_matrix_is_not_that_of_writes_that_nobody_flushed() -> None:
    cells = [
        measured(workload(read_percent=0, queue_depth=depth, sync=sync), (100, 101, 99), Experiment.MATRIX, latency_ns)
        for sync, latency_ns in ((Sync.NONE, 20_000), (Sync.FDATASYNC, 1_500_000))
        for depth in (1, 4)
    ]
    sentence = said(Experiment.MATRIX, *cells)
    assert "4 KiB random write: highest measured" in sentence
    assert "4 KiB random write + fdatasync: highest measured" in sentence
    assert "lowest mean latency 1,500 µs (depth 1)" in sentence


def test_an_open_loop_is_ranked_by_its_response_alone() -> None:
    asked = [workload(rate_per_s=rate, arrivals=Arrivals.POISSON) for rate in (1000, 2000)]
    sentence = said(Experiment.MATRIX, *(measured(each, (100, 101, 99), Experiment.MATRIX) for each in asked))
    assert "lowest mean" in sentence
    assert "highest" not in sentence


def test_a_sentence_over_many_kinds_of_access_ends_with_how_many_more_there_are() -> None:
    cells = [
        measured(workload(read_percent=share, queue_depth=depth), (100, 101), Experiment.MATRIX)
        for share in (100, 80, 60, 40, 20, 0)
        for depth in (1, 8)
    ]
    assert said(Experiment.MATRIX, *cells).endswith("See the table for 2 more workloads.")


def test_a_sweep_whose_achieved_depths_nobody_knows_has_figures_all_the_same() -> None:
    plan = cell_plan(workload(read_percent=70), Experiment.QUEUE_DEPTH)
    record = cell_record(plan, {Operation.READ: totals_of([1000] * 7), Operation.WRITE: totals_of([1000] * 3)})
    unknown = record.model_copy(update={"in_flight_ns": None})
    sentence = experiment_sentence(Experiment.QUEUE_DEPTH, estimate_run(run_record([plan], [unknown])))
    assert sentence == "The achieved queue depth was not recorded."


def test_a_baseline_of_o_dsync_writes_alone_has_figures() -> None:
    plan = cell_plan(workload(read_percent=0, queue_depth=1, sync=Sync.DSYNC), Experiment.BASELINE)
    record = cell_record(plan, {Operation.WRITE: totals_of([100_000] * 50)})
    sentence = experiment_sentence(Experiment.BASELINE, estimate_run(run_record([plan], [record])))
    assert "4 KiB random write, O_DSYNC 100 µs" in sentence


def test_commits_that_were_timed_apart_are_not_called_no_figures() -> None:
    plan = cell_plan(workload(read_percent=0, sync=Sync.FDATASYNC), Experiment.BASELINE)
    found = {Operation.WRITE: totals_of([1000] * 5), Operation.FLUSH: totals_of([1000] * 5, 0)}
    sentence = experiment_sentence(Experiment.BASELINE, estimate_run(run_record([plan], [cell_record(plan, found)])))
    assert sentence == NO_SUBJECT


def test_the_operations_of_a_mix_are_called_operations() -> None:
    plan = cell_plan(workload(read_percent=50), Experiment.TAIL)
    record = cell_record(plan, {Operation.READ: totals_of([1000] * 50), Operation.WRITE: totals_of([1000] * 50)})
    sentence = experiment_sentence(Experiment.TAIL, estimate_run(run_record([plan], [record])))
    assert "the slowest of 100 operations took" in sentence


def test_cells_that_differ_only_in_duration_are_told_apart() -> None:
    run = run_record([], [])
    cells = []
    for seconds, factor in ((1, 1), (2, 2)):
        asked = [
            measured(workload(block_size_bytes=size), (900 * factor,), Experiment.BLOCK_SIZE) for size in (4096, 8192)
        ]
        found = estimate_run(
            run_record([plan for plan, _ in asked], [each for _, records in asked for each in records])
        )
        timing = TIMING.model_copy(update={"measure_ns": seconds * 10**9})
        cells += [replace(cell, timing=timing) for cell in found.cells]
    sentence = experiment_sentence(Experiment.BLOCK_SIZE, replace(estimate_run(run), cells=tuple(cells)))
    assert sentence.startswith("Random read at depth 8, 1.0 s per repeat: highest measured rate")
    assert "Random read at depth 8, 2.0 s per repeat: highest measured rate" in sentence


def test_an_achieved_depth_far_below_the_requested_one_is_told_even_if_cells_differ_in_it() -> None:
    cells = []
    for size, depth in ((4096, 0.553), (8192, 0.556)):
        plan = cell_plan(workload(block_size_bytes=size, queue_depth=2), Experiment.BLOCK_SIZE)
        totals = {Operation.READ: totals_of([100_000] * 1000)}
        cells.append((plan, [cell_record(plan, totals, queue_depth_achieved=depth)]))
    sentence = said(Experiment.BLOCK_SIZE, *cells)
    assert "at depth 2 (0.55 to 0.56 achieved)" in sentence


def test_an_open_loop_names_the_depth_of_all_its_jobs() -> None:
    paced = workload(queue_depth=4, jobs=2, rate_per_s=5000, arrivals=Arrivals.POISSON)
    assert load_label(paced).endswith("depth ≤ 8")
