"""Charts over time: the trials of a run, and the latencies of a cell as a heat map."""

import json
import struct
import zlib
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.time_series import moments_of
from iosonde.analysis.trials import Break, BreakKind, breaks_of
from iosonde.charts.consistency import RANGES_MAX, TRIALS_MAX, run_consistency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import COLUMNS_MAX, COUNT_MIN, latency_heat_map
from iosonde.charts.png import png_data_url
from iosonde.charts.tail_bars import tail_bars
from iosonde.records import CellRecord, ClockPair, Experiment, Operation, Outcome, RunRecord, Workload
from iosonde.records.plan import in_order
from iosonde.report.sentences import WITH_PAUSES, time_series_sentence
from iosonde.units import SECOND_NS
from tests.builders import cell_plan, cell_record, interval_record, run_record, session, totals_of, workload
from tests.lab_builder import lab_run

MS = 1_000_000


def repeat_of(*counts: int, number: int = 1, began_s: int = 0) -> CellRecord:
    """A repeat with these numbers of reads in intervals of half a second, each with a latency of 1 ms."""
    plan = cell_plan(workload(), Experiment.TAIL)
    intervals = tuple(
        interval_record(index, {Operation.READ: totals_of([MS] * count)} if count else {})
        for index, count in enumerate(counts)
    )
    return cell_record(
        plan,
        {Operation.READ: totals_of([MS] * sum(counts))},
        repeat=number,
        measured_ns=len(counts) * SECOND_NS // 2,
        intervals=intervals,
        clock_start=ClockPair(engine_ns=0, wall_ns=began_s * SECOND_NS, raw_ns=0),
    )


def run_of(*records: CellRecord) -> RunRecord:
    return run_record([cell_plan(workload(), Experiment.TAIL)], records)


def test_an_interval_is_a_share_of_its_cell_s_mean_over_all_repeats() -> None:
    moments = list(moments_of([repeat_of(100, 300), repeat_of(200, 200, number=2, began_s=60)]))
    assert [moment.share for moment in moments] == [0.5, 1.5, 1.0, 1.0]
    assert [moment.iops for moment in moments] == [200, 600, 400, 400]
    assert [moment.wall_ns / SECOND_NS for moment in moments] == [0.25, 0.75, 60.25, 60.75]


def short_repeat(*counts: int, interval_ns: int = 10 * MS) -> CellRecord:
    """A repeat with these numbers of reads in intervals of ``interval_ns``."""
    plan = cell_plan(workload(), Experiment.TAIL)
    intervals = tuple(
        replace(
            interval_record(index, {Operation.READ: totals_of([MS] * count)}),
            start_ns=index * interval_ns,
            end_ns=(index + 1) * interval_ns,
        )
        for index, count in enumerate(counts)
    )
    return cell_record(
        plan,
        {Operation.READ: totals_of([MS] * sum(counts))},
        measured_ns=len(counts) * interval_ns,
        intervals=intervals,
        clock_start=ClockPair(engine_ns=0, wall_ns=0, raw_ns=0),
    )


def trial_of(iops: int, *, order: int, asked: Workload | None = None, began_s: int | None = None) -> CellRecord:
    """A trial of one second at this rate."""
    plan = cell_plan(asked or workload(), Experiment.TAIL)
    (operation,) = plan.workload.asked_operations()
    began_ns = (order if began_s is None else began_s) * SECOND_NS
    return cell_record(
        plan,
        {operation: totals_of([MS] * iops)},
        repeat=order,
        order=order,
        measured_ns=SECOND_NS,
        clock_start=ClockPair(engine_ns=0, wall_ns=began_ns, raw_ns=0),
        clock_end=ClockPair(engine_ns=0, wall_ns=began_ns + SECOND_NS, raw_ns=0),
    )


def test_each_trial_is_one_mark_in_its_order_as_a_share_of_the_median_of_its_cell() -> None:
    fast = workload(block_size_bytes=512)
    records = [
        trial_of(100, order=3), trial_of(1000, order=2, asked=fast), trial_of(200, order=1), trial_of(100, order=5),
        trial_of(500, order=4, asked=fast), trial_of(1000, order=6, asked=fast),
    ]  # fmt: skip
    rows = run_consistency(records).rows
    assert [(row["trial"], row["share"]) for row in rows] == [(1, 2), (2, 1), (3, 1), (4, 0.5), (5, 1), (6, 1)]
    assert [row["drawn_share"] for row in rows] == [2, 1, 1, 0.5, 1, 1]


def test_a_drift_that_all_cells_have_in_common_bends_the_line() -> None:
    records = [trial_of(1000 - 5 * order, order=order) for order in range(1, 61)]
    line = [row["running_median"] for row in run_consistency(records).rows]
    assert line == sorted(line, reverse=True)
    assert line[0] > 1.1
    assert line[-1] < 0.9


def test_the_line_ends_at_a_break_and_begins_again_behind_it() -> None:
    records = [trial_of(100 if order < 10 else 200, order=order) for order in range(1, 20)]
    (resumed,) = (Break(10, BreakKind.RESUMED, 0),)
    figure = run_consistency(records, [resumed])
    assert {row["running_median"] for row in figure.rows if row["trial"] < 10} == {0.5}
    assert {row["running_median"] for row in figure.rows if row["trial"] >= 10} == {1}
    assert {row["drawn_part"] for row in figure.rows} == {0, 1}
    assert "Dashed lines mark breaks" in figure.caption


def test_preconditioning_a_pause_and_a_resumption_break_the_row_of_trials() -> None:
    records = [trial_of(100, order=order, began_s=2 * order + 3600 * (order > 3)) for order in range(1, 8)]
    write = cell_plan(workload("sequential", read_percent=0), Experiment.FILL)
    run = run_of(*records)
    plan = run.header.plan.model_copy(update={"preparation": in_order((write, 60 * SECOND_NS))})
    run = run.model_copy(
        update={"header": run.header.model_copy(update={"plan": plan}), "preparation": (cell_record(write, {}),)}
    )
    assert breaks_of(run) == (
        Break(1, BreakKind.PRECONDITIONING, 60 * SECOND_NS),
        Break(4, BreakKind.PAUSE, 3600 * SECOND_NS),
    )
    resumed = run.model_copy(
        update={"sessions": (session().model_copy(update={"resumed_at": "1970-01-01T01:00:00+00:00"}),)}
    )
    assert breaks_of(resumed)[1] == Break(4, BreakKind.RESUMED, 3600 * SECOND_NS)
    said = json.dumps(run_consistency(run.cells, breaks_of(resumed)).specification)
    assert "after preconditioning, 60.0 s idle" in said
    assert "resumed after 60 min" in said


def test_discarded_repeats_are_hollow_and_counted_with_their_reason() -> None:
    early = [trial_of(500, order=1), trial_of(500, order=2)]
    figure = run_consistency([*early, *(trial_of(100 + order % 2, order=order) for order in range(3, 12))])
    assert [row["fate"] for row in figure.rows[:3]] == ["initial state", "initial state", "used"]
    assert "Hollow marks show discarded repeats (2: initial state)." in figure.caption
    hollow = [layer for layer in figure.specification["layer"] if layer["mark"].get("filled") is False]
    assert [layer["transform"][0]["filter"] for layer in hollow] == ["datum.fate != 'used'"]


def test_the_stretches_within_a_trial_are_a_bar_where_trials_are_few() -> None:
    few = run_consistency([repeat_of(100, 300), repeat_of(200, 200, number=2, began_s=60)])
    assert [(row["lowest"], row["highest"]) for row in few.rows] == [(0.5, 1.5), (1, 1)]
    assert "Thin bars" in few.caption
    many = run_consistency([trial_of(100, order=order) for order in range(1, RANGES_MAX + 2)])
    assert "Thin bars" not in many.caption


def test_the_sentence_over_time_speaks_of_the_same_stretches_as_the_chart() -> None:
    assert time_series_sentence([short_repeat(*([1, 7] * 20))]).startswith(
        "In 100 % of 4 intervals (about 100 ms or longer), throughput is"
    )
    assert time_series_sentence([repeat_of(100, 300)]).startswith("In 0 % of 2 intervals, throughput is")


def test_the_sentence_over_time_leaves_out_workloads_with_pauses() -> None:
    bursts = repeat_of(400, 0).model_copy(update={"workload": workload(burst_operations=100, think_ns=SECOND_NS)})
    assert time_series_sentence([repeat_of(100, 101), bursts]).startswith("In 100 % of 2 intervals")
    assert time_series_sentence([bursts]) == WITH_PAUSES


def test_a_moment_of_several_intervals_counts_what_completed_in_each_once() -> None:
    record = short_repeat(*range(1, 26))
    moments = list(moments_of([record], length_ns_min=100 * MS))
    assert [
        count for moment in moments for each in moment.intervals if (count := each.operations[Operation.READ].count)
    ] == [*range(1, 26)]
    assert sum(moment.length_ns for moment in moments) == record.measured_ns
    assert sum(moment.iops * moment.length_ns for moment in moments) == pytest.approx(325 * SECOND_NS)


def columns_of(count: int) -> list[object]:
    """The series of the rows of a cell with 5 * COLUMNS_MAX intervals of ``count`` operations each."""
    run = run_of(short_repeat(*([count] * 5 * COLUMNS_MAX), interval_ns=MS))
    figure = latency_heat_map(estimate_run(run).cells[0], run.cells)
    assert drawn_axis(figure) == [0, 5 * COLUMNS_MAX * MS / SECOND_NS]
    return [row["series"] for row in figure.rows]


def test_a_cell_of_more_intervals_than_a_screen_is_wide_is_drawn_in_columns_of_several() -> None:
    assert columns_of(2) == ["mean"] * COLUMNS_MAX


def test_columns_hold_the_operations_for_a_p99_where_enough_of_them_remain() -> None:
    drawn = columns_of(20)
    assert drawn.count("p99") == drawn.count("p50") == 20 * 5 * COLUMNS_MAX // COUNT_MIN


def test_cut_repeats_are_not_drawn() -> None:
    cut = repeat_of(100, 300).model_copy(update={"outcome": Outcome.CUT})
    assert run_consistency([cut]).chart is None


def test_of_a_long_run_the_extremes_of_each_stretch_are_kept() -> None:
    records = [trial_of(100, order=order) for order in range(1, 2 * TRIALS_MAX)]
    figure = run_consistency([*records, trial_of(5, order=2 * TRIALS_MAX)])
    assert len(figure.rows) <= TRIALS_MAX
    assert min(row["share"] for row in figure.rows) < 0.06
    assert f"of {2 * TRIALS_MAX:,} trials are drawn: the lowest" in figure.caption


def test_the_picture_has_a_column_for_each_step_of_time_and_the_darkest_row_where_most_operations_are() -> None:
    run = run_of(repeat_of(100, 300), repeat_of(200, 200, number=2))
    figure = latency_heat_map(estimate_run(run).cells[0], run.cells)
    assert figure.chart is not None
    specification = figure.chart.to_dict(validate=True)
    pixels = pixels_of(specification["layer"][0]["mark"]["url"])
    assert pixels.shape[1:] == (4, 4)
    darkest = pixels[..., 3].argmax(axis=0)
    assert len(set(darkest)) == 1
    assert pixels[darkest[0], :, 3].min() == 255


def test_the_lines_of_the_picture_are_percentiles_of_each_interval_and_break_between_repeats() -> None:
    run = run_of(repeat_of(100, 3000), repeat_of(200, 2000, number=2))
    rows = latency_heat_map(estimate_run(run).cells[0], run.cells).rows
    medians = [row for row in rows if row["series"] == "p50"]
    assert [row["second"] for row in medians] == [0.25, 0.75, 1.25, 1.75]
    assert [row["repeat"] for row in medians] == [1, 1, 2, 2]
    # A p99 needs ten samples beyond it: 2,000 operations have 20, and 200 have only two.
    assert [row["second"] for row in rows if row["series"] == "p99"] == [0.75, 1.75]


def drawn_axis(figure: Figure) -> list[float]:
    """Both ends of the axis of measurement time, in s."""
    ends: list[float] = figure.specification["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    return ends


def test_intervals_with_a_few_operations_each_are_drawn_with_their_means() -> None:
    run = run_of(repeat_of(3, 0, 8), repeat_of(1, 2, 2, number=2))
    figure = latency_heat_map(estimate_run(run).cells[0], run.cells)
    assert figure.chart is not None
    figure.chart.to_dict(validate=True)
    assert [(row["series"], row["second"], row["latency_us"]) for row in figure.rows] == [
        ("mean", second, 1000) for second in (0.25, 1.25, 1.75, 2.25, 2.75)
    ]
    assert "The line shows the mean" in figure.caption
    assert drawn_axis(figure) == [0, 3]


def borders_of(figure: Figure) -> list[float]:
    """The positions of the lines between repeats, in s."""
    assert figure.specification is not None
    rules = [layer for layer in figure.specification["layer"] if layer["mark"]["type"] == "rule"]
    held = figure.specification.get("datasets", {})
    rows = [layer["data"].get("values") or held[layer["data"]["name"]] for layer in rules]
    return [row["second"] for each in rows for row in each]


def test_the_lines_between_repeats_are_one_layer_and_none_where_they_would_hide_what_they_part() -> None:
    for repeats, lines in ((1, 0), (40, 39), (80, 0)):
        run = run_of(*(repeat_of(300, number=number) for number in range(1, repeats + 1)))
        figure = latency_heat_map(estimate_run(run).cells[0], run.cells)
        assert len(borders_of(figure)) == lines
        assert figure.specification is not None
        assert len(figure.specification["layer"]) < 10


def test_the_axis_of_time_is_as_long_as_the_picture_whatever_intervals_support() -> None:
    # Only the first interval of each repeat has enough samples for a percentile.
    run = run_of(repeat_of(300, 2), repeat_of(300, 2, number=2))
    figure = latency_heat_map(estimate_run(run).cells[0], run.cells)
    assert {row["second"] for row in figure.rows} == {0.25, 1.25}
    assert drawn_axis(figure) == [0, 2]
    assert borders_of(figure) == [1]


def test_a_cell_without_intervals_has_no_picture() -> None:
    run = lab_run(repeats=1)
    (cell, _) = estimate_run(run).of(Experiment.TAIL)
    assert latency_heat_map(cell, run.cells).chart is None


def test_a_picture_reads_back_as_it_was_written() -> None:
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    assert (pixels_of(png_data_url(pixels)) == pixels).all()


def pixels_of(url: str) -> np.ndarray:
    """Decodes a PNG as the encoder writes it: one chunk of unfiltered lines. Verifies the checksums."""
    data = b64decode(url.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", data, place + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        place += length + 12
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(height, 1 + width * 4)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 4)


@pytest.mark.parametrize("place", [0, 1], ids=["reads", "writes"])
def test_percentiles_against_depth_never_cross_and_bars_hold_their_point(place: int) -> None:
    figure = queue_depth_percentiles(estimate_run(lab_run()).of(Experiment.QUEUE_DEPTH))[place]
    assert figure.chart is not None
    figure.chart.to_dict(validate=True)
    by_depth: dict[int, list[float]] = {}
    for row in figure.rows:
        assert row["lowest"] <= row["latency_us"] <= row["highest"]
        by_depth.setdefault(row["queue_depth_asked"], []).append(row["latency_us"])
    assert len(by_depth) == 9
    assert all(values == sorted(values) for values in by_depth.values())


def test_bars_of_the_tail_say_how_many_times_the_median_they_are() -> None:
    rows = tail_bars(estimate_run(lab_run()).of(Experiment.TAIL))[0].rows
    first = [row for row in rows if row["series"] == rows[0]["series"]]
    assert "x" not in first[0]["drawn_label"]
    times = float(first[1]["drawn_label"].partition("(")[2].partition(" x")[0])
    assert times == pytest.approx(first[1]["latency_us"] / first[0]["latency_us"], abs=0.051)


def test_a_cell_that_only_failed_is_left_out_of_the_bars_with_its_reason() -> None:
    (cell, other) = estimate_run(lab_run(repeats=1)).of(Experiment.TAIL)
    (figure,) = tail_bars([replace(cell, operations={}), other])
    assert [sentence.split()[0] for sentence in figure.left_out] == [cell.cell]
