"""Procedures that measure zones: a chart by offset, the first and the last zone, and a row for every zone."""

from collections.abc import Sequence

import pytest
from rich.console import Console

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.side_by_side import Entry, SameTest, Source, same_tests
from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.records import CellPlan, Experiment, PhasePlan, Rounds, RunRecord
from iosonde.report.blocks import Charts
from iosonde.report.page import Page, page_of
from iosonde.report.procedures.side_by_side import comparison_blocks
from iosonde.report.procedures.side_by_side_answers import answers_of
from iosonde.report.procedures.side_by_side_zones import zone_tables
from iosonde.report.procedures.summary_blocks import procedure_answer
from iosonde.report.tables import ResultTable
from iosonde.report.terminal.comparison import render_comparison
from iosonde.vocabulary import Access, PhaseRole, ProcedureKind
from tests.builders import cell_plan, workload
from tests.procedure_builder import TIMING, procedure_run, steady_procedure

GIB = 1 << 30
ZONES = 3
VALUES = {100: (180, 150, 120), 0: (500, None, 400)}
"""The IOPS of reads and writes in each zone."""


def cells(pattern: Access = Access.RANDOM) -> list[CellPlan]:
    """One zone after another, each with reads and writes."""
    return [
        cell_plan(
            workload(
                pattern, read_percent=read, block_size_bytes=65536, offset_bytes=zone * 2 * GIB, span_bytes=2 * GIB
            ),
            Experiment.PROCEDURE,
            timing=TIMING,
        )
        for zone in range(ZONES)
        for read in VALUES
    ]


WHOLE = cell_plan(workload(block_size_bytes=4096), Experiment.PROCEDURE, timing=TIMING)
"""A cell that is measured over the whole drive only."""


def zoned_run(pattern: Access = Access.RANDOM, *, faster: int = 1, others: Sequence[CellPlan] = ()) -> RunRecord:
    """``others`` are cells without zones, which have 700 IOPS."""
    plans = [*cells(pattern), *others]
    names = tuple(each.cell for each in plans)
    procedure = steady_procedure(
        plans, phases=(PhasePlan(name="zones", role=PhaseRole.ROUNDS, cells=names, stop=Rounds(rounds=1)),)
    )
    found = [VALUES[each.workload.read_percent][each.workload.offset_bytes // (2 * GIB)] for each in cells(pattern)]
    found += [700 for _ in others]
    values = [None if each is None else each * faster for each in found]
    return procedure_run(procedure, [dict(zip(names, values, strict=True))], plans, phase="zones")


def sources(*runs: RunRecord) -> list[Source]:
    return [Source(f"drive {number}", tuple(procedures_of(run)), run) for number, run in enumerate(runs, 1)]


def the_test(*runs: RunRecord) -> SameTest:
    [found] = same_tests(sources(*runs))
    return found


def page(run: RunRecord) -> Page:
    return page_of(RunAnalysis(run), [])


def table(found: Page, words: str) -> Sequence[tuple[str, ...]]:
    [only] = [each for each in found.all_of(ResultTable) if words in each.caption]
    return [line.texts for line in only.lines]


def test_each_workload_has_its_value_at_both_ends_and_its_extremes() -> None:
    assert table(page(zoned_run()), "over 3 zones") == [
        ("100/0", "3", "180.0", "120.0", "120.0", "150.0", "180.0"),
        ("0/100", "2 of 3", "500.0", "400.0", "400.0", "450.0", "500.0"),
    ]


def test_every_zone_has_a_row_with_its_offset_and_a_dash_where_a_trial_failed() -> None:
    assert table(page(zoned_run()), "in each zone") == [
        ("1", "0", "180.0", "500.0"),
        ("2", "2 GiB", "150.0", "–"),
        ("3", "4 GiB", "120.0", "400.0"),
    ]


def test_a_chart_has_the_values_by_offset_and_rounds_of_one_have_no_convergence() -> None:
    titles = {figure.title: figure for figure in page(zoned_run()).figures}
    assert not [title for title in titles if "convergence" in title]
    rows = titles["IOPS by offset: 64 KiB"].rows
    assert [(row["series"], row["start_gib"], row["iops"]) for row in rows] == [
        *(("100/0", 0, 180), ("100/0", 2, 150), ("100/0", 4, 120)),
        *(("0/100", 0, 500), ("0/100", 4, 400)),
    ]
    # The line is interrupted at a zone without a value.
    assert [row["drawn_stretch"] for row in rows if row["series"] == "0/100"] == [0, 1]


def test_sequential_accesses_are_reported_as_bandwidth() -> None:
    # 180 operations of 64 KiB in a second are 11.80 MB/s.
    assert table(page(zoned_run(Access.SEQUENTIAL)), "Bandwidth (MB/s) of each workload")[0][2] == "11.80"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (
            Access.RANDOM,
            "Test: 1 round, 3 zones. Means of the zones: 100/0 150.0 IOPS (180.0 in the first zone, 120.0 in the last)",
        ),
        (Access.RANDOM, "0/100 450.0 IOPS over 2 of 3 zones (500.0 in the first zone, 400.0 in the last)"),
        (Access.SEQUENTIAL, "100/0 9.830 MB/s (11.80 in the first zone, 7.864 in the last)"),
    ],
)
def test_the_summary_has_the_means_and_both_ends(pattern: Access, said: str) -> None:
    run = zoned_run(pattern)
    (rounds,) = procedures_of(run)
    assert said in procedure_answer(run, rounds, ())


def test_a_comparison_has_the_mean_and_both_ends_of_each_run_instead_of_every_zone() -> None:
    first, second = zoned_run(), zoned_run(faster=2)
    test = the_test(first, second)
    tables = {each.caption.split(",")[1].strip(): each for each in zone_tables(test)}
    assert list(tables) == ["mean of the zones", "in the first zone", "in the last zone"]
    assert [line.texts for line in tables["mean of the zones"].lines] == [
        ("64 KiB 100/0", "150.0", "300.0 (2.00 times)"),
        ("64 KiB 0/100", "450.0", "900.0 (2.00 times)"),
    ]
    assert any(
        "IOPS of 64 KiB 100/0, mean of the zones, best first: drive 2: 300.0" in each for each in answers_of(test)
    )


def test_a_comparison_has_a_chart_by_offset_with_a_line_for_each_run() -> None:
    test = the_test(zoned_run(), zoned_run(faster=2))
    figures = [
        figure
        for block in comparison_blocks(test, "test", FailureLog())
        if isinstance(block, Charts)
        for figure in block.figures
    ]
    assert [each.title for each in figures] == [f"IOPS by offset: 64 KiB {mix}" for mix in ("100/0", "0/100")]
    assert list(dict.fromkeys(row["series"] for row in figures[0].rows)) == ["drive 1", "drive 2"]


def test_a_comparison_has_the_cells_without_zones_too() -> None:
    test = the_test(zoned_run(others=[WHOLE]), zoned_run(faster=2, others=[WHOLE]))
    blocks = list(comparison_blocks(test, "test", FailureLog()))
    [cells_table] = [
        each
        for each in blocks
        if isinstance(each, ResultTable) and each.caption.startswith("IOPS (operations/s), with the")
    ]
    assert [line.texts for line in cells_table.lines] == [("4 KiB 100/0", "700.0", "1,400 (2.00 times)")]
    titles = [figure.title for each in blocks if isinstance(each, Charts) for figure in each.figures]
    assert "IOPS: 4 KiB 100/0" in titles
    assert "IOPS by offset: 64 KiB 100/0" in titles
    assert any("IOPS of 4 KiB 100/0, best first" in each for each in answers_of(test))


def test_a_terminal_has_a_table_of_the_zones_and_one_of_the_other_cells() -> None:
    console = Console(width=140, force_terminal=False)
    with console.capture() as capture:
        console.print(render_comparison(sources(zoned_run(others=[WHOLE]), zoned_run(faster=2, others=[WHOLE])), 140))
    rows = [line.split() for line in capture.get().splitlines()]
    assert ["64", "KiB", "100/0", "150.0", "300.0", "(2.00", "times)"] in rows
    assert ["4", "KiB", "100/0", "700.0", "1,400", "(2.00", "times)"] in rows


def test_more_runs_than_styles_of_lines_have_a_second_chart() -> None:
    test = the_test(*(zoned_run(faster=number) for number in range(1, 12)))
    blocks = [each for each in comparison_blocks(test, "test", FailureLog()) if isinstance(each, Charts)]
    lines = [len({row["series"] for row in figure.rows}) for block in blocks for figure in block.figures]
    assert lines == [9, 2, 9, 2]


def test_runs_with_different_zones_are_not_of_the_same_test() -> None:
    fewer = zoned_run()
    plans = cells()[:4]
    names = tuple(each.cell for each in plans)
    procedure = steady_procedure(
        plans, phases=(PhasePlan(name="zones", role=PhaseRole.ROUNDS, cells=names, stop=Rounds(rounds=1)),)
    )
    other = procedure_run(procedure, [dict.fromkeys(names, 100)], plans, phase="zones")
    sentence = next(iter(answers_of(the_test(fewer, other))))
    assert "not the same test in all runs. They differ in parameters" in sentence


def test_a_run_without_a_complete_round_has_a_dash_in_the_comparison_of_zones() -> None:
    run = zoned_run()
    none = run.model_copy(update={"cells": (), "finished": False})
    test = SameTest(
        ProcedureKind.ROUNDS,
        tuple(
            Entry(label, Source(label, found, each), found)
            for label, each in (("whole", run), ("none", none))
            for found in (tuple(procedures_of(each)),)
        ),
    )
    tables = list(zone_tables(test))
    assert [line.texts for line in tables[0].lines] == [("64 KiB 100/0", "150.0", "–"), ("64 KiB 0/100", "450.0", "–")]


def test_cells_of_the_same_offset_are_no_zones() -> None:
    alike = [WHOLE, WHOLE.model_copy(update={"cell": "the-same-per-job"})]
    run = procedure_run(steady_procedure(alike, ()), [{each.cell: 100 for each in alike}], alike)
    [rounds] = procedures_of(run)
    assert "zone" not in procedure_answer(run, rounds, ())
