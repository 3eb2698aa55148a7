"""The report says of each cell whether it is steady by each criterion, and by which values."""

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import STRICT
from iosonde.records import CellRecord, Experiment, Operation
from iosonde.report.blocks import Paragraph
from iosonde.report.evaluated_run import evaluated
from iosonde.report.run_chapters import over_time_chapter
from iosonde.report.steady_state_table import ARITHMETIC, steady_state_blocks
from iosonde.report.tables import ResultTable
from tests.builders import SECOND_NS, cell_plan, cell_record, run_record, totals_of, workload

STEADY = "yes, first in repeats 1 to 5"
PLAN = cell_plan(workload(read_percent=0), Experiment.MATRIX)


def rounds(*counts: int, first: int = 1, step: int = 1) -> list[CellRecord]:
    """Repeats of a second in which so many writes of 1 ms completed, one after another by default."""
    return [
        cell_record(
            PLAN,
            {Operation.WRITE: totals_of([1_000_000] * count)},
            repeat=number + 1,
            order=first + number * step,
            measured_ns=SECOND_NS,
        )
        for number, count in enumerate(counts)
    ]


def table_of(*counts: int, step: int = 1) -> ResultTable:
    _, table, _ = steady_state_blocks({PLAN.cell: rounds(*counts, step=step)})
    assert isinstance(table, ResultTable)
    return table


def verdicts(table: ResultTable) -> list[str]:
    (line,) = table.lines
    return list(line.texts[3:])


def test_five_equal_rounds_are_steady_by_every_criterion() -> None:
    table = table_of(100, 100, 100, 100, 100)
    assert verdicts(table) == [
        "0.0 %", "0.0 %", STEADY, "0.0 %", STEADY, "0.0 %", STEADY,
    ]  # fmt: skip
    assert table.lines[0].texts[1:3] == ("5", "consecutive")
    assert ARITHMETIC not in table.notes


def test_beside_a_verdict_stand_the_values_that_it_rests_on() -> None:
    assert verdicts(table_of(120, 110, 100, 90, 80)) == ["40.0 %", "40.0 %", "no", "20.0 %", "no", "10.0 %", "no"]


def test_criteria_may_differ_and_each_has_its_own_verdict() -> None:
    snia_range, _, snia, deviation, fio, *_ = verdicts(table_of(108, 100, 92, 100, 100))
    assert (snia_range, snia) == ("16.0 %", "yes, first in repeats 1 to 5")
    assert (deviation, fio) == ("8.0 %", "no")


def test_the_worse_of_throughput_and_latency_is_told() -> None:
    slow = [
        cell_record(
            PLAN, {Operation.WRITE: totals_of([latency] * 100)}, repeat=number, order=number, measured_ns=SECOND_NS
        )
        for number, latency in enumerate((1_000_000, 1_000_000, 1_500_000, 1_000_000, 1_000_000), 1)
    ]
    _, table, _ = steady_state_blocks({PLAN.cell: slow})
    assert isinstance(table, ResultTable)
    assert verdicts(table)[0] == "45.5 %"


def test_a_steady_state_that_was_left_is_told_with_the_repeat() -> None:
    assert verdicts(table_of(*[100] * 6, 50))[2] == "no, left steady state at repeat 7"


def test_repeats_that_are_no_rounds_are_judged_by_arithmetic_only_and_that_is_said() -> None:
    table = table_of(100, 100, 100, 100, 100, step=3)
    assert table.lines[0].texts[2] == "interleaved"
    assert ARITHMETIC in table.notes


def test_heads_name_the_criterion_and_its_limits() -> None:
    heads = [(head.name, head.unit) for head in table_of(*[100] * 5).heads[3:]]
    assert heads == [
        ("Range", "≤ 20 %"), ("Slope", "≤ 10 %"), ("SNIA PTS and TKperf", "steady"),
        ("Deviation", "≤ 5 %"), ("fio, deviation", "steady"),
        ("Slope per repeat", "≤ 2 %"), ("fio, slope per repeat", "steady"),
    ]  # fmt: skip


def test_cells_with_too_few_repeats_are_counted_and_where_no_cell_has_enough_a_sentence_says_so() -> None:
    (told,) = steady_state_blocks({PLAN.cell: rounds(100, 100, 100)})
    assert isinstance(told, Paragraph)
    assert told.text.endswith("requires 5 repeats of a cell, and no cell has more than 3 repeats.")
    _, table, _ = steady_state_blocks({"a": rounds(*[100] * 5), "b": rounds(100)})
    assert isinstance(table, ResultTable)
    assert table.notes[-1] == "1 cell has fewer than 5 repeats and is not evaluated."
    assert steady_state_blocks({}) == ()


def test_the_chapter_over_time_counts_the_steady_cells_and_has_their_table() -> None:
    run = run_record([PLAN], rounds(108, 100, 92, 100, 100))
    chapter = over_time_chapter(evaluated(RunAnalysis(run), [], STRICT), STRICT)
    assert chapter is not None
    assert chapter.all_of(Paragraph)[-1].text == (
        "Cells in steady state (of 1 cell with 5 or more repeats): 1 by SNIA PTS and TKperf (range ≤ 20 %, "
        "slope ≤ 10 %); 0 by fio (deviation ≤ 5 %); 1 by fio (slope per repeat ≤ 2 %)."
    )
    table, window = chapter.all_of(ResultTable)
    assert [line.texts[0] for line in table.lines] == [PLAN.cell]
    assert [line.texts[0] for line in window.lines] == [PLAN.cell] * 2


def window_of(*counts: int) -> ResultTable:
    _, _, window = steady_state_blocks({PLAN.cell: rounds(*counts)})
    assert isinstance(window, ResultTable)
    return window


def test_the_values_of_the_window_are_told_with_their_average_and_the_best_fit_line() -> None:
    iops, latency = window_of(50, 120, 110, 100, 90, 80).lines
    assert iops.texts == (
        PLAN.cell, "IOPS", "2 to 6", "120.0", "110.0", "100.0", "90.00", "80.00", "100.0", "-40.0 %",
    )  # fmt: skip
    assert latency.texts[1:4] == ("mean latency (µs)", "2 to 6", "1,000")
    assert latency.texts[-1] == "+0.0 %"


def test_each_of_several_experiments_has_its_number_of_steady_cells() -> None:
    other = cell_plan(workload(read_percent=0, block_size_bytes=8192), Experiment.MATRIX)
    falling = [each.model_copy(update={"cell": other.cell}) for each in rounds(100, 90, 80, 70, 60)]
    records = {PLAN.cell: rounds(*[100] * 5), other.cell: falling}
    words, *_ = steady_state_blocks(records, {"IOPS": {PLAN.cell}, "latency": {other.cell}, "others": set()})
    assert isinstance(words, Paragraph)
    assert words.text.endswith("By experiment (SNIA PTS and TKperf): IOPS all of 1, latency 0 of 1.")
