"""What is drawn over time: every interval of a run, and latencies as a picture."""

import struct
import zlib
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from iosonde.analysis.course import moments_of
from iosonde.analysis.experiments import estimate_run
from iosonde.charts.consistency import POINTS_MAX, run_consistency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import COLUMNS_MAX, COUNT_MIN, latency_heat_map
from iosonde.charts.png import png_data_url
from iosonde.charts.tail_bars import tail_bars
from iosonde.records import CellRecord, ClockPair, Experiment, Operation, Outcome, RunRecord
from iosonde.report.sentences import course_sentence
from iosonde.units import SECOND_NS
from tests.builders import cell_plan, cell_record, interval_record, run_record, totals_of, workload
from tests.lab_builder import lab_run

MS = 1_000_000


def repeat_of(*counts: int, number: int = 1, began_s: int = 0) -> CellRecord:
    """A repeat with an interval of half a second for each of these counts, at 1 ms an operation."""
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
    """A repeat of short intervals with these counts of operations."""
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


@pytest.mark.parametrize(("intervals", "points"), [(9, 1), (10, 1), (19, 1), (20, 2), (25, 2), (100, 10)])
def test_short_intervals_are_drawn_in_points_of_a_tenth_of_a_second(intervals: int, points: int) -> None:
    figure = run_consistency([short_repeat(*([3, 5] * 50)[:intervals])])
    assert len(figure.rows) == points
    assert all(0.9 < row["share"] < 1.1 for row in figure.rows)
    assert "several in a row of about 100 ms together" in figure.caption


def test_the_sentence_over_time_speaks_of_the_same_stretches_as_the_chart() -> None:
    assert course_sentence([short_repeat(*([1, 7] * 20))]).startswith("100 % of 4 intervals of about 100 ms or more ")
    assert course_sentence([repeat_of(100, 300)]).startswith("0 % of 2 intervals stay")


def test_a_moment_of_several_intervals_counts_what_completed_in_each_once() -> None:
    record = short_repeat(*range(1, 26))
    moments = list(moments_of([record], length_ns_min=100 * MS))
    assert [
        count for moment in moments for each in moment.intervals if (count := each.operations[Operation.READ].count)
    ] == [*range(1, 26)]
    assert sum(moment.length_ns for moment in moments) == record.measured_ns
    assert sum(moment.iops * moment.length_ns for moment in moments) == pytest.approx(325 * SECOND_NS)


def columns_of(count: int) -> list[object]:
    """The series of the rows of a cell with so many operations in each of five times as many intervals as columns."""
    run = run_of(short_repeat(*([count] * 5 * COLUMNS_MAX), interval_ns=MS))
    figure = latency_heat_map(estimate_run(run).cells[0], run.cells)
    assert drawn_axis(figure) == [0, 5 * COLUMNS_MAX * MS / SECOND_NS]
    return [row["series"] for row in figure.rows]


def test_a_cell_of_more_intervals_than_a_screen_is_wide_is_drawn_in_columns_of_several() -> None:
    assert columns_of(2) == ["mean"] * COLUMNS_MAX


def test_columns_hold_the_operations_for_a_p99_where_enough_of_them_remain() -> None:
    drawn = columns_of(20)
    assert drawn.count("p99") == drawn.count("p50") == 20 * 5 * COLUMNS_MAX // COUNT_MIN


def test_an_interval_in_which_nothing_came_back_is_a_share_of_zero() -> None:
    rows = run_consistency([repeat_of(0, 400)]).rows
    assert [row["share"] for row in rows] == [0, 2]


def test_cut_repeats_are_not_drawn() -> None:
    cut = repeat_of(100, 300).model_copy(update={"outcome": Outcome.CUT})
    assert run_consistency([cut]).chart is None


def test_of_a_long_run_the_extremes_of_each_stretch_are_kept() -> None:
    records = [repeat_of(*([100] * 20), number=number, began_s=10 * number) for number in range(1, 202)]
    odd = repeat_of(*([100] * 19), 5, number=202, began_s=100)
    figure = run_consistency([*records, odd])
    assert len(figure.rows) <= POINTS_MAX
    assert min(row["share"] for row in figure.rows) < 0.06
    assert "4,040 points" in figure.caption


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
    # A hundredth of 2,000 are 20 operations, of 200 only two.
    assert [row["second"] for row in rows if row["series"] == "p99"] == [0.75, 1.75]


def drawn_axis(figure: Figure) -> list[float]:
    """The ends of the axis of measured time."""
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
    assert "the line is the mean of each" in figure.caption
    assert drawn_axis(figure) == [0, 3]


def borders_of(figure: Figure) -> list[float]:
    """Where the lines between repeats stand."""
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
    # Only the first interval of each repeat has the samples for a percentile.
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
    """Decodes what the encoder may write: one chunk of unfiltered lines, checksums included."""
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
