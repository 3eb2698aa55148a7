"""Sweeps relative to their first row."""

from collections.abc import Sequence

from iosonde.analysis.experiments import estimate_run
from iosonde.records import Experiment, Workload
from iosonde.report.contrast_words import TOO_WIDE
from iosonde.report.dashes import Dash
from iosonde.report.growth_table import growth_tables
from iosonde.report.tables import ResultTable
from tests.builders import cell_plan, run_record, workload
from tests.sweep_builder import cells_of

EVEN = (0.999, 1.0, 1.001)


def table(kind: Experiment, latencies_us: dict[Workload, float], repeats: Sequence[float] = EVEN) -> ResultTable:
    cells = cells_of(
        {asked: [1000 * latency_us * each for each in repeats] for asked, latency_us in latencies_us.items()}, kind
    )
    (only,) = growth_tables(kind, cells)
    return only


def texts(of: ResultTable, *columns: str) -> list[tuple[str, ...]]:
    names = [head.name for head in of.heads]
    return [tuple(line.texts[names.index(column)] for column in columns) for line in of.lines]


def test_a_depth_sweep_of_a_mix_grows_by_direction() -> None:
    found = table(
        Experiment.QUEUE_DEPTH,
        {workload(read_percent=50, queue_depth=depth): latency for depth, latency in ((16, 100), (64, 370))},
    )
    assert texts(found, "Operation", "QD", "IOPS", "Mean latency") == [
        ("read", "1 x", "+0.0", "1.00 x"),
        ("read", "4 x", "+8.1", "3.70 x"),
        ("write", "1 x", "+0.0", "1.00 x"),
        ("write", "4 x", "+8.1", "3.70 x"),
        ("all", "1 x", "+0.0", "1.00 x"),
        ("all", "4 x", "+8.1", "3.70 x"),
    ]
    assert found.lines[1].texts[5].startswith("+7.")


def test_a_block_size_sweep_has_the_growth_of_bandwidth() -> None:
    found = table(
        Experiment.BLOCK_SIZE, {workload(block_size_bytes=4096 * size): 100 * size**0.5 for size in (1, 4, 16)}
    )
    assert texts(found, "Block size", "IOPS", "Bandwidth", "p99") == [
        ("1 x", "+0.0", "1.00 x", "1.00 x"),
        ("4 x", "-50.0", "2.00 x", "2.00 x"),
        ("16 x", "-75.0", "4.00 x", "4.00 x"),
    ]


def test_each_direction_of_a_mix_is_compared_with_its_pure_case() -> None:
    found = table(Experiment.MIX, {workload(read_percent=read): 200 - read for read in (100, 70, 0)})
    assert texts(found, "Operation", "Reads", "Mean latency") == [
        ("write", "0", "1.00 x"),
        ("write", "70", "0.65 x"),
        ("read", "100", "1.00 x"),
        ("read", "70", "1.30 x"),
        ("all", "100", "1.00 x"),
        ("all", "70", "1.30 x"),
        ("all", "0", "2.00 x"),
    ]


def test_one_repeat_has_no_interval_and_the_dash_says_why() -> None:
    found = table(Experiment.QUEUE_DEPTH, {workload(queue_depth=depth): 100 for depth in (1, 2)}, repeats=(1.0,))
    notes = " ".join(found.explained.notes)
    assert "at least one of the two cells has a single repeat" in notes
    assert "this row is the basis of the comparison" in notes


def test_a_row_without_results_is_named() -> None:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2)]
    (found,) = growth_tables(Experiment.QUEUE_DEPTH, estimate_run(run_record(plans, [])).cells)
    assert found.lines == ()
    assert found.notes[0].startswith("No comparison: ")


def test_cells_that_are_no_sweep_have_no_table() -> None:
    cells = cells_of({workload(): [100_000.0], workload(read_percent=0): [100_000.0]}, Experiment.QUEUE_DEPTH)
    assert growth_tables(Experiment.QUEUE_DEPTH, cells) == []
    assert growth_tables(Experiment.TAIL, cells) == []


def test_a_matrix_has_a_table_for_each_key_that_varies() -> None:
    cells = cells_of(
        {workload(queue_depth=depth, block_size_bytes=size): [100_000.0] for depth in (1, 2) for size in (4096, 8192)},
        Experiment.MATRIX,
    )
    captions = [found.caption for found in growth_tables(Experiment.MATRIX, cells)]
    assert [caption.split(", for")[0] for caption in captions] == [
        "Results relative to the lowest queue depth",
        "Results relative to the smallest block size",
    ]


def test_an_interval_of_several_times_the_ratio_is_not_printed() -> None:
    found = table(Experiment.QUEUE_DEPTH, {workload(queue_depth=depth): 100 for depth in (1, 2, 4)}, (0.2, 1.0, 5.0))
    assert {line.texts[5] for line in found.lines[1:]} == {Dash(TOO_WIDE)}


def test_a_small_ratio_has_two_significant_digits() -> None:
    found = table(Experiment.QUEUE_DEPTH, {workload(queue_depth=1): 10_000, workload(queue_depth=2): 412})
    assert found.lines[1].texts[6] == "0.041 x"


def test_a_large_ratio_has_no_exponent() -> None:
    found = table(Experiment.BLOCK_SIZE, {workload(block_size_bytes=size): 100 for size in (512, 1536, 1 << 20)})
    assert [each for (each,) in texts(found, "Block size")] == ["1 x", "3 x", "2,048 x"]
