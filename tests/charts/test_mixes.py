"""Mixes in every experiment: which operations are drawn, their names, and the reasons for what is left out."""

from collections.abc import Callable, Sequence
from math import ceil

import pytest
from altair.utils.schemapi import debug_mode
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.families import drawn_classes
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.consistency import run_consistency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.matrix import matrix_iops, matrix_latency
from iosonde.charts.mix import mix_bandwidth, mix_iops, mix_latency
from iosonde.charts.panels import LINES_MAX, MIXES_APART_MAX
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.charts.trade_off import throughput_latency
from iosonde.records import (
    Access,
    CellRecord,
    Experiment,
    Operation,
    OperationTotals,
    Outcome,
    RunRecord,
    Sync,
    Workload,
)
from tests.builders import cell_plan, cell_record, failed, interval_record, run_record, totals_of, workload
from tests.pace_builder import MS, paced, paced_repeat

US = 1000


def operations_of(asked: Workload, count: int) -> dict[Operation, OperationTotals]:
    """Totals of each operation of a workload, in about its shares. Latencies grow with the operations in flight."""
    slow_ns = 100 * US * asked.operations_in_flight
    shares = {
        Operation.READ: (asked.read_percent, slow_ns),
        Operation.WRITE: (asked.write_percent, slow_ns // 2),
        Operation.TRIM: (asked.trim_percent, slow_ns // 4),
    }
    found = {
        operation: totals_of([latency_ns] * ceil(count * share / 100), asked.block_size_bytes)
        for operation, (share, latency_ns) in shares.items()
        if share
    }
    if asked.sync is Sync.FDATASYNC and Operation.WRITE in found:
        found[Operation.FLUSH] = totals_of([slow_ns] * found[Operation.WRITE].count, 0)
        found[Operation.COMMIT] = totals_of([slow_ns * 3 // 2] * found[Operation.WRITE].count, asked.block_size_bytes)
    return found


def measured(*asked: Workload, experiment: Experiment, count: int = 400) -> RunEstimates:
    """A run of two repeats of each of these cells."""
    plans = [cell_plan(each, experiment) for each in asked]
    records = [
        cell_record(plan, operations_of(plan.workload, count), repeat=repeat) for plan in plans for repeat in (0, 1)
    ]
    return estimate_run(run_record(plans, records))


def sweep(*reads: int, **shape: object) -> list[Workload]:
    return [workload(read_percent=read, queue_depth=depth, **shape) for read in reads for depth in (1, 2, 4, 8, 16)]  # type: ignore[arg-type]


def series_of(figure: Figure) -> list[str]:
    return list(dict.fromkeys(row["series"] for row in figure.rows))


def test_a_mix_alone_is_drawn_as_reads_writes_and_all() -> None:
    cells = measured(*sweep(70), experiment=Experiment.QUEUE_DEPTH).cells
    for draw in (queue_depth_iops, queue_depth_latency):
        (figure,) = draw(cells)
        assert series_of(figure) == ["70/30 mix: reads", "70/30 mix: writes", "70/30 mix: all"]
        assert figure.left_out == ()
        assert len(figure.rows) == 15


def test_reads_and_writes_of_a_mix_add_up_to_all_of_it() -> None:
    (figure,) = queue_depth_iops(measured(*sweep(70), experiment=Experiment.QUEUE_DEPTH).cells)
    for depth in (1, 2, 4, 8, 16):
        reads, writes, together = (row["iops"] for row in figure.rows if row["queue_depth_asked"] == depth)
        assert reads + writes == pytest.approx(together)


def test_littles_law_is_drawn_for_the_whole_of_a_mix_alone() -> None:
    (figure,) = queue_depth_iops(measured(*sweep(70), experiment=Experiment.QUEUE_DEPTH).cells)
    assert {row["series"] for row in figure.rows if row["iops_by_little"] is not None} == {"70/30 mix: all"}


def test_trims_and_commits_of_mixes_are_lines_of_their_own() -> None:
    (trims,) = queue_depth_iops(measured(*sweep(65, trim_percent=5), experiment=Experiment.QUEUE_DEPTH).cells)
    name = "65/30 mix with 5 % trims"
    assert series_of(trims) == [f"{name}: reads", f"{name}: writes", f"{name}: trims", f"{name}: all"]
    (commits,) = queue_depth_iops(measured(*sweep(70, sync="fdatasync"), experiment=Experiment.QUEUE_DEPTH).cells)
    name = "70/30 mix + fdatasync"
    assert series_of(commits) == [f"{name}: reads", f"{name}: commits", f"{name}: all"]


def test_flushed_writes_are_drawn_as_commits_and_trims_as_trims() -> None:
    asked = [*sweep(0, sync="fdatasync"), *sweep(0, trim_percent=100)]
    estimates = measured(*asked, experiment=Experiment.QUEUE_DEPTH)
    (figure,) = queue_depth_iops(estimates.cells)
    assert series_of(figure) == ["write + fdatasync", "trim"]
    assert [sweep.whole for sweep in estimates.sweeps] == [Operation.COMMIT, Operation.TRIM]


def test_several_mixes_stand_side_by_side_as_wholes_and_then_each_by_itself() -> None:
    figures = queue_depth_iops(measured(*sweep(100, 70, 50, 0), experiment=Experiment.QUEUE_DEPTH).cells)
    assert [series_of(figure) for figure in figures] == [
        ["read", "70/30 mix", "50/50 mix", "write"],
        ["70/30 mix: reads", "70/30 mix: writes", "70/30 mix: all"],
        ["50/50 mix: reads", "50/50 mix: writes", "50/50 mix: all"],
    ]
    assert figures[0].caption.endswith("; a separate chart shows its reads and writes.")


def test_no_chart_has_more_lines_than_colours_and_the_rest_is_said() -> None:
    reads = [*range(95, 0, -5)]
    cells = measured(*sweep(*reads), experiment=Experiment.QUEUE_DEPTH, count=100).cells
    figures = queue_depth_iops(cells)
    wholes = figures[: ceil(len(reads) / LINES_MAX)]
    assert all(len(series_of(figure)) <= LINES_MAX for figure in figures)
    assert sum(len(series_of(figure)) for figure in wholes) == len(reads)
    assert len(figures) == len(wholes) + MIXES_APART_MAX
    assert f"The first {MIXES_APART_MAX} of 19 mixes also have separate charts" in wholes[0].caption
    colours = [{series["color"]["scale"]["range"][0]} for series in _encodings(wholes[0])]
    assert len({len(each) for each in colours}) == 1


def _encodings(figure: Figure) -> list[dict[str, dict[str, dict[str, list[str]]]]]:
    return [
        layer["encoding"] for layer in figure.specification["layer"] if "scale" in layer["encoding"].get("color", {})
    ]


def test_block_sizes_and_patterns_of_one_sweep_are_never_joined() -> None:
    asked = [*sweep(70, block_size_bytes=4096), *sweep(70, block_size_bytes=16384), *sweep(70, pattern="sequential")]
    figure = queue_depth_iops(measured(*asked, experiment=Experiment.QUEUE_DEPTH).cells)[0]
    assert series_of(figure) == ["4 KiB random 70/30 mix", "16 KiB random 70/30 mix", "4 KiB sequential 70/30 mix"]


def test_the_knee_of_a_mix_is_ringed_on_the_line_of_the_whole() -> None:
    plans = [cell_plan(each, Experiment.QUEUE_DEPTH) for each in sweep(70)]
    records = [
        cell_record(plan, operations_of(plan.workload, 1000 * min(plan.workload.queue_depth, 4)), repeat=repeat)
        for plan in plans
        for repeat in (0, 1)
    ]
    estimates = estimate_run(run_record(plans, records))
    (figure,) = throughput_latency(estimates.sweeps)
    assert [(row["series"], row["queue_depth_asked"]) for row in figure.rows if row["knee"]] == [("70/30 mix", 4)]


def test_a_tail_has_every_cell_whatever_their_number() -> None:
    asked = [workload(queue_depth=depth, block_size_bytes=size) for size in (4096, 8192) for depth in (1, 2, 4, 8)]
    cells = measured(*asked, experiment=Experiment.TAIL).cells
    for draw in (tail_percentiles, tail_bars):
        figures = draw(cells)
        assert {row["cell"] for figure in figures for row in figure.rows} == {cell.cell for cell in cells}
        assert [sentence for figure in figures for sentence in figure.left_out] == []


def test_a_baseline_names_a_mix_as_one_and_gives_every_class_a_row() -> None:
    asked = [workload(read_percent=read, queue_depth=1) for read in (70, 50)]
    (figure,) = baseline_percentiles(measured(*asked, experiment=Experiment.BASELINE).cells)
    assert list(dict.fromkeys(row["name"] for row in figure.rows)) == [
        f"{mix} mix: {kind}|4 KiB random" for mix in ("70/30", "50/50") for kind in ("reads", "writes", "all")
    ]


def test_a_matrix_shows_trims_commits_and_wholes() -> None:
    asked = [
        workload(read_percent=0, trim_percent=100),
        workload(read_percent=0, sync=Sync.FDATASYNC),
        workload(read_percent=70),
    ]
    (iops,) = matrix_iops(measured(*asked, experiment=Experiment.MATRIX).cells)
    assert [row["series"] for row in iops.rows] == ["trim", "commit", "read", "write", "all"]
    assert [row["name"] for row in iops.rows[:3]] == ["trim, no sync", "write, fdatasync", "70/30 mix, no sync"]


def test_mixes_over_other_sizes_have_charts_of_their_own() -> None:
    asked = [workload(read_percent=read, block_size_bytes=size) for size in (4096, 16384) for read in (100, 70, 0)]
    figures = mix_iops(measured(*asked, experiment=Experiment.MIX).cells)
    assert [figure.title for figure in figures] == ["IOPS by read percentage: 4 KiB", "IOPS by read percentage: 16 KiB"]
    assert [len({row["block_size_bytes"] for row in figure.rows}) for figure in figures] == [1, 1]


def test_trims_over_time_are_not_called_writes() -> None:
    plan = cell_plan(workload(read_percent=0, trim_percent=100))
    totals = {Operation.TRIM: totals_of([US] * 50)}
    record = cell_record(plan, totals, intervals=(interval_record(0, totals), interval_record(1, totals)))
    assert {row["series"] for row in run_consistency([record]).rows} == {"trim"}


def said_of(figures: Sequence[Figure]) -> list[str]:
    return [sentence for figure in figures for sentence in figure.left_out]


def test_too_few_samples_for_a_percentile_are_told_as_that() -> None:
    cells = measured(workload(read_percent=70), experiment=Experiment.TAIL, count=4).cells
    (figure,) = tail_percentiles(cells)
    assert figure.chart is None
    assert figure.nothing == "No data: no cell in this chart has these percentiles."
    assert said_of([figure])[0] == "random-mix70-4KiB-qd8 completed only 6 reads, too few for a percentile"


def test_a_rate_that_was_not_kept_is_told_as_that() -> None:
    asked = paced(queue_depth=1)
    plan = cell_plan(asked, Experiment.TAIL)
    records = [paced_repeat(number, asked=asked, count=2500, lag_ns=MS, waiting_ns=2 * 10**9) for number in (1, 2)]
    cells = estimate_run(run_record([plan], records)).cells
    assert cells[0].subject is not None
    assert cells[0].subject.saturated
    assert said_of(tail_percentiles(cells)) == [
        f"{plan.cell} did not sustain its arrival rate, so its latency percentiles are omitted"
    ]


def test_a_rate_that_was_not_kept_does_not_choose_the_unit_of_those_that_were() -> None:
    asked = [paced(500), paced(1000)]
    plans = [cell_plan(each, Experiment.TAIL) for each in asked]
    late = [
        paced_repeat(number, asked=asked[1], count=2500, lag_ns=900 * MS, waiting_ns=2 * 10**9) for number in (1, 2)
    ]
    kept = [paced_repeat(number, asked=asked[0], count=2500, service_ns=MS // 10) for number in (1, 2)]
    (figure,) = tail_percentiles(estimate_run(run_record(plans, [*kept, *late])).cells)
    assert {row["latency_us"] for row in figure.rows} == {100}


def test_commits_that_were_timed_apart_are_told_as_that() -> None:
    asked = workload(read_percent=70, sync=Sync.FDATASYNC)
    found = operations_of(asked, 400)
    del found[Operation.COMMIT]
    plan = cell_plan(asked, Experiment.QUEUE_DEPTH)
    (figure,) = queue_depth_iops(estimate_run(run_record([plan], [cell_record(plan, found)])).cells)
    assert said_of([figure]) == [f"{plan.cell} has no commit results because writes and flushes were timed separately"]
    assert series_of(figure) == ["70/30 mix + fdatasync: reads", "70/30 mix + fdatasync: all"]


Draws = tuple[Callable[[Sequence[CellEstimate]], tuple[Figure, ...]], ...]
OF_MEANS: dict[Experiment, Draws] = {
    Experiment.QUEUE_DEPTH: (queue_depth_iops, queue_depth_latency),
    Experiment.BLOCK_SIZE: (block_size_iops, block_size_bandwidth, block_size_latency),
    Experiment.MIX: (mix_iops, mix_bandwidth, mix_latency),
    Experiment.MATRIX: (matrix_iops, matrix_latency),
}
OF_PERCENTILES: dict[Experiment, Draws] = {
    Experiment.QUEUE_DEPTH: (queue_depth_percentiles,),
    Experiment.TAIL: (tail_percentiles, tail_bars),
    Experiment.BASELINE: (baseline_percentiles,),
}


def shape_of(read: int, trim: int, sync: Sync, **shape: object) -> Workload:
    """A workload that planning allows: at most 100 % in total, and flushes only with writes."""
    trim = min(trim, 100 - read)
    return workload(read_percent=read, trim_percent=trim, sync=sync if read + trim < 100 else Sync.NONE, **shape)  # type: ignore[arg-type]


SHAPES = st.builds(
    shape_of,
    read=st.sampled_from([100, 95, 70, 50, 30, 0]),
    trim=st.sampled_from([0, 0, 0, 5, 100]),
    sync=st.sampled_from([Sync.NONE, Sync.NONE, Sync.FDATASYNC]),
    pattern=st.sampled_from([Access.RANDOM, Access.SEQUENTIAL, "zipf:1.1"]),
    block_size_bytes=st.sampled_from([4096, 16384, 2**20]),
    queue_depth=st.sampled_from([1, 2, 8]),
    jobs=st.sampled_from([1, 1, 3]),
)
FATES = st.sampled_from(["finished", "finished", "finished", "failed", "cut", "unmeasured"])


def run_of(drawn: Sequence[tuple[Workload, str]], experiment: Experiment, count: int) -> RunRecord:
    """A run with one repeat of each cell, finished, failed, cut or unmeasured as drawn."""
    plans, records = [], list[CellRecord]()
    for number, (asked, fate) in enumerate(drawn):
        plan = cell_plan(asked, experiment)
        plans.append(plan)
        if fate == "finished":
            records.append(cell_record(plan, operations_of(asked, count), order=number))
        elif fate != "unmeasured":
            ended = Outcome.FAILED if fate == "failed" else Outcome.CUT
            records.append(
                cell_record(plan, {}, order=number, outcome=ended, failure=failed() if fate == "failed" else None)
            )
    return run_record(plans, records)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    drawn=st.lists(st.tuples(SHAPES, FATES), min_size=1, max_size=10, unique_by=lambda each: each[0]),
    experiment=st.sampled_from([*OF_MEANS, *OF_PERCENTILES]),
    count=st.sampled_from([3, 200, 2000]),
)
def test_every_class_is_drawn_where_it_should_be_and_whatever_is_not_has_a_true_reason(
    drawn: list[tuple[Workload, str]], experiment: Experiment, count: int
) -> None:
    cells = estimate_run(run_of(drawn, experiment, count)).of(experiment)
    finished = {cell.cell: cell for cell in cells if cell.operations}
    # Schema validation takes ten times as long as the rest of this test. test_schema.py does it.
    with debug_mode(arg=False):
        _check(cells, experiment, finished)


def _check(cells: Sequence[CellEstimate], experiment: Experiment, finished: dict[str, CellEstimate]) -> None:
    for draw in OF_MEANS.get(experiment, ()):
        _holds_every_class(draw(cells), list(finished.values()))
    if experiment is Experiment.QUEUE_DEPTH:
        pictures = throughput_latency(RunEstimates(tuple(cells)).sweeps)
        assert {row["cell"] for figure in pictures for row in figure.rows} == set(finished)
    for figure in (
        figure
        for draw in (*OF_MEANS.get(experiment, ()), *OF_PERCENTILES.get(experiment, ()))
        for figure in draw(cells)
    ):
        _is_honest(figure, finished)
        _joins_no_two_workloads(figure)


def _holds_every_class(figures: Sequence[Figure], cells: Sequence[CellEstimate]) -> None:
    """Each operation of each cell has a row with its figure, unless a caption refers to the table."""
    said = " ".join(figure.caption for figure in figures)
    limited = "the table lists all of them" in said or "See the table for" in said
    rates = {(row["cell"], round(row["iops"], 6)) for figure in figures for row in figure.rows}
    for cell in cells:
        for operation in drawn_classes(cell.workload):
            found = cell.of(operation)
            assert found is not None
            assert limited or (cell.cell, round(found.iops.mean, 6)) in rates, (cell.cell, operation)


def _is_honest(figure: Figure, finished: dict[str, CellEstimate]) -> None:
    """Each omission has a true reason: the cell has no results, or too few samples."""
    for sentence in figure.left_out:
        assert not sentence.endswith("completed no operations")
        if "was not measured" in sentence or " failed in " in sentence or " was interrupted in " in sentence:
            assert sentence.split()[0] not in finished
        else:
            assert "too few" in sentence, sentence
    if figure.chart is None:
        has_figures = "no cell in this chart has results" not in figure.nothing
        assert has_figures == any("too few" in sentence for sentence in figure.left_out)


def _joins_no_two_workloads(figure: Figure) -> None:
    """Each line has one cell at each position."""
    places: dict[tuple[str, object], set[str]] = {}
    along = {"queue-depth": "queue_depth_asked", "block-size": "block_size_bytes", "mix": "read_percent"}
    field = next((name for start, name in along.items() if figure.id.startswith(start)), None)
    for row in figure.rows:
        if field is not None:
            places.setdefault((row["series"], row[field]), set()).add(row["cell"])
    assert all(len(cells) == 1 for cells in places.values())
