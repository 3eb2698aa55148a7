from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from iosonde.analysis.procedures.condition import ConditionState
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog
from iosonde.findings import Finding, Severity, find_in
from iosonde.records import PhasePlan, Procedures, Rounds, RunRecord, SimulationFacts, SteadyState, Timing, Tracked
from iosonde.report.blocks import Answers, Paragraph
from iosonde.report.drawing import Drawers
from iosonde.report.evaluated_run import evaluated
from iosonde.report.export import run_tables
from iosonde.report.export.procedures import exported_procedures
from iosonde.report.markdown import page_markdown
from iosonde.report.page import Page, page_of, page_of_evaluated
from iosonde.report.pdf import begin_drawing, render_pdf
from iosonde.report.procedures import chapters
from iosonde.report.procedures.words import cycles_text, demand_text, idle_text, times_text
from iosonde.report.tables import ResultTable
from iosonde.report.validity import invalid_cells
from iosonde.vocabulary import Mode, PhaseRole, ProcedureKind, PurgeState, Quantity
from tests.builders import SECOND_NS, cell_plan, finding, workload
from tests.procedure_builder import MATRIX, READ, WRITE, procedure_run, steady_procedure, write_rounds

NUMBERS = (1000, 2000, 3000, 4000)
"""The IOPS of 4 KiB reads, 64 KiB reads, 4 KiB writes and 64 KiB writes."""


def matrix_run(*, first: int = 1, kind: ProcedureKind = ProcedureKind.IOPS, **others: Any) -> RunRecord:
    """A run whose first round has ``first`` times the IOPS of the later ones, which rise by 1 each."""
    procedure = steady_procedure(
        MATRIX, (WRITE,), kind=kind, title="IOPS test", specification="SNIA SSS PTS 2.0.2, chapter 7", **others
    )
    steps = (-2, -1, 0, 1, 2)
    rounds = [dict(zip((each.cell for each in MATRIX), (value * first for value in NUMBERS), strict=True))]
    rounds += [
        dict(zip((each.cell for each in MATRIX), (value + step for value in NUMBERS), strict=True)) for step in steps
    ]
    return procedure_run(procedure, rounds, MATRIX, purge=PurgeState.SIMULATED)


def page(run: RunRecord) -> Page:
    return page_of(RunAnalysis(run), [])


def table(found: Page, caption: str) -> Sequence[tuple[str, ...]]:
    [only] = [each for each in found.all_of(ResultTable) if each.caption.startswith(caption)]
    return [line.texts for line in only.lines]


def test_the_matrix_has_the_means_of_the_window() -> None:
    assert table(page(matrix_run(first=5)), "IOPS, mean over the window") == [
        ("4 KiB", "1,000", "3,000"),
        ("64 KiB", "2,000", "4,000"),
    ]


def test_invalid_and_doubtful_cells_are_named_before_the_results() -> None:
    doubted, broken = (each.cell for each in MATRIX[:2])
    findings = [
        finding("latency-cut-short", Severity.DOUBTFUL, cells=(doubted, broken)),
        finding("mix-not-kept", Severity.INVALID, cells=(broken,)),
    ]
    found = page_of(RunAnalysis(matrix_run()), findings)
    texts = [each.text for each in found.all_of(Paragraph)]
    assert 'Doubtful, see latency-cut-short: 1 cell of the phase "rounds" (4 KiB 100/0).' in texts
    assert 'Invalid, see mix-not-kept: 1 cell of the phase "rounds" (64 KiB 100/0).' in texts


def test_the_first_page_has_a_row_for_each_tracking_variable() -> None:
    assert table(page(matrix_run(first=5)), "Tracking variables over the measurement window") == [
        ("IOPS test", "4 KiB 0/100, IOPS", "rounds 2 to 6", "3,000 IOPS", "0.13 %", "0.13 %", "reached in round 6"),
    ]


def test_charts_are_begun_in_the_size_that_the_pdf_shows(drawers: Drawers, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[dict[str, Any]] = []
    asked: list[dict[str, Any]] = []
    svgs = Drawers.svgs

    def recorded(self: Drawers, specifications: Iterable[dict[str, Any]]) -> list[Future[bytes]]:
        asked.extend(specifications)
        return svgs(self, asked)

    monkeypatch.setattr(Drawers, "begin", lambda _, specification: begun.append(specification))
    monkeypatch.setattr(Drawers, "svgs", recorded)
    analysis = RunAnalysis(matrix_run(first=5))
    charts = begin_drawing(analysis, drawers)
    found = replace(evaluated(analysis, [], STRICT), procedure_charts=charts)
    render_pdf(page_of_evaluated(found, STRICT), drawers)
    assert len(begun) > 1
    assert all(each in asked for each in begun)


def test_charts_that_are_begun_before_the_findings_are_marked_like_others(drawers: Drawers) -> None:
    analysis = RunAnalysis(matrix_run(first=5))
    found = evaluated(analysis, [finding("mix-not-kept", Severity.INVALID, cells=(MATRIX[0].cell,))], STRICT)
    charts = begin_drawing(analysis, drawers)
    assert charts
    once = page_of_evaluated(found, STRICT).figures
    begun = page_of_evaluated(replace(found, procedure_charts=charts), STRICT).figures
    assert [(each.specification_json, each.caption) for each in begun] == [
        (each.specification_json, each.caption) for each in once
    ]
    assert any("mix-not-kept" in each.caption for each in begun)


def test_a_chart_that_fails_before_the_findings_is_tried_and_reported_again(
    drawers: Drawers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Figure:
        raise ValueError("no chart")

    monkeypatch.setattr(chapters, "matrix_heat_map", fails)
    analysis, failures = RunAnalysis(matrix_run(first=5)), FailureLog()
    charts = begin_drawing(analysis, drawers)
    page_of_evaluated(replace(evaluated(analysis, [], failures), procedure_charts=charts), failures)
    assert len(charts) > 1
    assert not [each for each in charts if each.endswith("heat")]
    [failure] = failures.failures
    assert "no chart" in failure.statement


def test_other_quantities_are_derived_from_the_same_rounds() -> None:
    # 4,000 operations of 64 KiB are 262.144 MB; all operations take 100 µs.
    assert table(page(matrix_run()), "Bandwidth, mean over the window") == [
        ("4 KiB", "4.096", "12.29"),
        ("64 KiB", "131.1", "262.1"),
    ]
    assert table(page(matrix_run()), "Mean latency, mean over the window") == [
        ("4 KiB", "100.0", "100.0"),
        ("64 KiB", "100.0", "100.0"),
    ]


def test_the_determination_block_is_printed_in_figures() -> None:
    facts = {name: value for name, value in table(page(matrix_run(first=5)), "Steady-state determination")}  # noqa: C416

    assert facts == {
        "Round 2": "2,998",
        "Round 3": "2,999",
        "Round 4": "3,000",
        "Round 5": "3,001",
        "Round 6": "3,002",
        "Average": "3,000",
        "Allowed maximum data excursion": "600.0",
        "Measured maximum data excursion": "4.000 (0.13 %)",
        "Allowed maximum slope excursion": "300.0",
        "Measured maximum slope excursion": "4.000 (0.13 %)",
        "Slope per round, × 4 intervals, × 5 rounds": "0.03 %, 0.13 %, 0.17 %",
        "Best-fit line (R: round)": "1.000 · R + 2,996",
        "Correlation coefficient": "1.000",
        "Steady in this window": "yes",
        "This variable alone": "reached in round 6",
    }


def test_the_chapter_has_every_chart_and_none_of_them_is_empty() -> None:
    found = page(matrix_run())

    assert [figure.id for figure in found.figures] == [
        "procedure-1-convergence-iops-writes",
        "procedure-1-window-1",
        "procedure-1-heat",
        "procedure-1-lines",
        "procedure-1-solid",
    ]
    assert all(figure.chart is not None for figure in found.figures)


def test_a_latency_procedure_has_three_tables_and_two_plots_of_bars() -> None:
    found = page(matrix_run(kind=ProcedureKind.LATENCY))

    assert table(found, "Maximum latency") == [("4 KiB", "100.0", "100.0"), ("64 KiB", "100.0", "100.0")]
    assert table(found, "99.999 % latency") == [("4 KiB", "–", "–"), ("64 KiB", "–", "–")]
    assert {"procedure-1-solid-mean", "procedure-1-solid-maximum", "procedure-1-convergence-maximum-writes"} <= {
        figure.id for figure in found.figures
    }


def test_the_statement_names_the_specification_and_its_open_points() -> None:
    text = page_markdown(page(matrix_run(mode=Mode.ENTERPRISE, open_points=("the cadence of samples",))), "pictures")

    assert "after SNIA SSS PTS 2.0.2, chapter 7, enterprise mode" in text
    assert (
        "Open points of the specification: The text was not available. Parameters and criteria follow public "
        "implementations that cite it. The cadence of samples."
    ) in text


def test_values_of_one_round_are_not_called_means_of_a_window() -> None:
    names = tuple(each.cell for each in MATRIX)
    phase = PhasePlan(name="rounds", role=PhaseRole.ROUNDS, cells=names, stop=Rounds(rounds=1))
    run = procedure_run(steady_procedure(MATRIX, phases=(phase,)), [dict.fromkeys(names, 100)], MATRIX)
    text = page_markdown(page(run), "pictures")
    assert "IOPS, of one round" in text
    assert "over the window" not in text


def test_a_short_form_says_so_in_title_header_and_brand() -> None:
    found = page(matrix_run(is_like=True))

    assert "PTS-like: IOPS test" in [chapter.title for chapter in found.chapters]
    assert dict(found.headers[1].columns[0])["Procedure"] == "PTS-like: IOPS test"
    assert "PTS-like" in [brand.word for brand in found.brands]


def test_a_scaled_run_says_so_on_each_page() -> None:
    procedure = steady_procedure()
    run = procedure_run(procedure, [{WRITE.cell: 100}] * 5, time_scale=300)

    # Only of a simulated drive the capacity is divided as well.
    assert "scaled 1:300 in time" in [brand.word for brand in page(run).brands]


@pytest.mark.parametrize(
    ("capacity", "time", "word"),
    [
        (300, 300, "scaled 1:300 in capacity and time"),
        (64, 32, "scaled 1:64 in capacity, 1:32 in time"),
        (64, 1, "scaled 1:64 in capacity"),
        (1, 100, "scaled 1:100 in time"),
        (1, 1, None),
    ],
)
def test_a_simulated_run_says_how_much_smaller_its_capacity_and_its_times_are(
    capacity: int, time: int, word: str | None
) -> None:
    drive = SimulationFacts(model="mine", title="mine", table={}, seed=1, scale=capacity)
    run = procedure_run(steady_procedure(), [{WRITE.cell: 100}] * 5, time_scale=time)
    header = run.header
    target = header.target.model_copy(update={"simulation": drive})
    run = run.model_copy(update={"header": header.model_copy(update={"target": target})})
    assert [brand.word for brand in page(run).brands if brand.word.startswith("scaled")] == ([word] if word else [])


def test_the_header_of_the_pages_has_all_facts_and_says_what_is_unknown() -> None:
    general, own = page(matrix_run()).headers
    facts = {name: value for column in own.columns for name, value in column}

    assert (general.chapter, own.chapter) == ("", "procedure-1")
    assert list(facts) == [
        *("Run start", "Run finish", "Procedure", "Specification", "Tested by", "Steady state"),
        *("Vendor", "Model", "Serial", "Firmware", "Capacity", "Interface", "NAND type"),
        *("Platform", "OS", "Motherboard", "Memory", "HBA", "Test software"),
        *("Purge", "Write cache", "Data pattern", "Active range", "Precondition", "Test parameters"),
    ]
    assert {facts[each] for each in ("Tested by", "Vendor", "Run finish", "NAND type", "HBA")} == {"unknown"}
    assert (facts["Steady state"], facts["Purge"]) == ("verified: reached in round 5", "simulated")
    assert (facts["Model"], facts["Serial"]) == ("Example NVMe 512 GB", "S000EXAMPLE")
    assert facts["Test parameters"] == "random, 100/0, 0/100 × 4 KiB, 64 KiB, 1 job × QD 8, 1.0 s"


def test_the_first_answer_is_what_was_not_verified() -> None:
    text = page_markdown(page(matrix_run(first=5)), "pictures")

    assert text.index("Not verified: write cache, unknown") < text.index("steady state reached in round 6")
    assert "Means of rounds 2 to 6: 4 KiB 0/100 3,000 IOPS." in text


def test_procedures_of_one_title_have_their_names_after_it() -> None:
    run = matrix_run()
    (one,) = run.header.plan.procedures
    both = Procedures(procedures=(one, one.model_copy(update={"name": "again"})))
    plan = run.header.plan.model_copy(update={"stop": both})
    twice = run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})
    [answers] = page(twice).all_of(Answers)

    told = [each.partition(": ")[0] for each in answers.sentences]
    assert told[-2:] == ["IOPS test (test)", "IOPS test (again)"]


def test_rounds_are_not_judged_as_repeats() -> None:
    # The first round is five times as fast, which would be an initial state of repeats.
    analysis = RunAnalysis(matrix_run(first=5))

    found = {each.id for each in find_in(analysis, FailureLog())}

    assert found.isdisjoint({"repeats-discarded", "state-left", "cold-queue", "drift", "repeats-differ"})


def test_invalid_figures_are_marked_in_every_table() -> None:
    analysis = RunAnalysis(matrix_run())
    found = page_of(analysis, [finding("stalled", Severity.INVALID, cells=(WRITE.cell,))])

    assert table(found, "IOPS, mean over the window")[0] == ("4 KiB", "1,000", "3,000 ×")
    assert "4 KiB 0/100 3,000 IOPS (INVALID, see stalled)" in page_markdown(found, "pictures")


def test_steady_state_is_unknown_if_a_tracking_variable_is_invalid() -> None:
    run = matrix_run()
    broken = [finding("stalled", Severity.INVALID, cells=(WRITE.cell,))]
    other = [finding("stalled", Severity.INVALID, cells=(MATRIX[0].cell,))]

    def steady(findings: Sequence[Finding]) -> tuple[str, str]:
        conditions = table(page_of(RunAnalysis(run), findings), "Conditions")
        [shown] = [each for each in conditions if each[0] == "Steady state"]
        [procedure] = exported_procedures(run, invalid_cells([WRITE.cell], findings))
        [exported] = [each for each in procedure.conditions if each.name == "Steady state"]
        assert shown[1:] == (exported.state.value, exported.reason)
        return shown[1], shown[2]

    assert steady([]) == steady(other) == ("verified", "reached in round 5")
    assert steady(broken) == (
        "unknown",
        "reached in round 5, but from invalid figures (see stalled)",
    )


def test_invalid_cells_are_marked_in_the_map_and_above_the_columns_of_rounds() -> None:
    found = page_of(RunAnalysis(matrix_run()), [finding("stalled", Severity.INVALID, cells=(WRITE.cell,))])

    [heat] = [each for each in found.figures if each.id == "procedure-1-heat"]
    crosses = [each for each in heat.specification["layer"] if each["mark"].get("shape") == "cross"]
    assert [each["transform"][-1]["filter"]["oneOf"] for each in crosses] == [[WRITE.cell]]
    for caption in ("Steady-state determination", "IOPS in every round"):
        [only] = [each for each in found.all_of(ResultTable) if each.caption.startswith(caption)]
        assert next(head.name for head in only.heads if "4 KiB 0/100" in head.name and "64" not in head.name).endswith(
            "×"
        )
        assert only.notes == ("× INVALID, see stalled.",)


def test_doubtful_figures_of_a_matrix_have_a_question_mark_with_the_finding() -> None:
    throttled = finding("drive-throttled", Severity.DOUBTFUL, cells=(WRITE.cell,))
    found = page_of(RunAnalysis(matrix_run()), [throttled])

    [iops] = [each for each in found.all_of(ResultTable) if each.caption.startswith("IOPS, mean over the window")]
    assert iops.lines[0].texts == ("4 KiB", "1,000", "3,000 ?")
    assert iops.notes == ("? doubtful, see drive-throttled.",)
    assert "4 KiB 0/100 3,000 IOPS (doubtful, see drive-throttled)" in page_markdown(found, "pictures")


def two_levels(*deep: int) -> RunRecord:
    """A run of a procedure that is judged in two phases: ``deep`` are the IOPS of the first, the second is steady."""
    stop = SteadyState(tracked=(Tracked(cell=WRITE.cell, quantity=Quantity.IOPS),), rounds_max=6)
    phases = tuple(
        PhasePlan(name=name, role=PhaseRole.ROUNDS, cells=(WRITE.cell,), stop=stop) for name in ("deep", "shallow")
    )
    names = ["deep"] * len(deep) + ["shallow"] * 5
    return procedure_run(steady_procedure(phases=phases), write_rounds(*deep, *[500] * 5), phase=names)


def test_each_phase_with_a_criterion_has_its_steady_state_and_its_results() -> None:
    found = page(two_levels(100, 101, 102, 103, 104))
    determined = [each for each in found.all_of(ResultTable) if each.caption.startswith("Steady-state determination")]
    averages = [line.texts[1] for each in determined for line in each.lines if line.texts[0] == "Average"]
    results = [
        each for each in found.all_of(ResultTable) if each.caption.startswith("Means over the measurement window")
    ]

    assert averages == ["102.0", "500.0"]
    assert [each.lines[0].texts[1] for each in results] == ["102.0", "500.0"]
    assert len({figure.id for figure in found.figures}) == len(found.figures) == 4


def test_a_finding_on_several_phases_is_one_sentence() -> None:
    run = two_levels(100, 101, 102, 103, 104)

    found = page_of(RunAnalysis(run), [finding("stalled", Severity.DOUBTFUL, cells=(WRITE.cell,))])

    texts = [each.text for each in found.all_of(Paragraph) if each.text.startswith("Doubtful")]
    assert texts == ['Doubtful, see stalled: cells of 2 phases ("deep", "shallow"): 4 KiB 0/100.']


def test_a_phase_that_was_not_steady_is_told_though_a_later_one_was() -> None:
    run = two_levels(100, 200, 300, 400, 500, 600)
    [procedure] = exported_procedures(run)
    [steady] = [each for each in procedure.conditions if each.name == "Steady state"]
    [missed] = [each for each in find_in(RunAnalysis(run), FailureLog()) if each.id == "steady-state-missed"]

    assert [each.criteria[0].reached for each in procedure.steady_states] == [None, 5]
    assert (steady.state, steady.reason) == (
        ConditionState.FAILED,
        "reached in round 5, but deep not reached after 6 rounds",
    )
    assert missed.statement.startswith("Test, deep: steady state was not reached after 6 rounds.")


def test_the_table_of_rounds_has_a_row_for_each_cell_and_round() -> None:
    tables = run_tables(RunAnalysis(matrix_run(first=5)), [])
    rounds, determinations = tables["rounds"], tables["determinations"]

    assert len(rounds["cell"]) == 6 * 4
    written = [
        (number, window, iops)
        for number, window, cell, iops in zip(
            *(rounds[each] for each in ("round", "in_window", "cell", "iops")), strict=True
        )
        if cell == WRITE.cell
    ]
    assert written[:2] == [(1, "no", 15000.0), (2, "yes", 2998.0)]
    assert (determinations["average"][0], determinations["reached"][0]) == (3000.0, 6)
    assert np.ma.getmaskarray(determinations["left"])[0]


def test_a_grid_of_jobs_and_depths_is_told_by_its_axes() -> None:
    grid = [workload(jobs=jobs, queue_depth=depth) for jobs in (32, 1) for depth in (16, 2)]

    assert demand_text(grid) == "32, 1 jobs × QD 16, 2"
    assert demand_text(grid[:1]) == "32 jobs × QD 16"
    assert demand_text(grid[:3]) == "32 jobs × QD 16, 32 jobs × QD 2, 1 job × QD 16"
    assert demand_text([]) == ""


def test_the_time_limit_of_an_amount_and_idle_time_are_told() -> None:
    minute_ns = 60 * SECOND_NS
    timing = Timing(
        warmup_ns=0,
        measure_ns=0,
        interval_ns=SECOND_NS,
        amount_bytes=4 << 30,
        limit_ns=minute_ns,
        idle_ns=5 * minute_ns,
    )
    plan = cell_plan(workload(on_ns=5 * SECOND_NS, off_ns=15 * SECOND_NS), timing=timing)

    assert times_text([plan]) == "at most 4 GiB or 60.0 s"
    assert times_text([plan], brief=True) == "at most 4 GiB"
    assert idle_text([plan]) == "5 min 00 s before the trial, 15.0 s after every 5.0 s of operations"
    assert idle_text([READ]) == ""


def test_a_procedure_that_was_not_begun_says_so() -> None:
    run = matrix_run()
    empty = run.model_copy(update={"cells": (), "turns_chosen": (), "procedure_starts": (), "finished": False})

    text = page_markdown(page(empty), "pictures")

    assert "It was not measured." in text


def test_the_times_of_a_duty_cycle_are_its_writes_and_its_idle_time() -> None:
    asked = workload(read_percent=0).model_copy(update={"on_ns": 5 * SECOND_NS, "off_ns": 10 * SECOND_NS})
    plan = cell_plan(asked, timing=Timing(warmup_ns=0, measure_ns=1800 * SECOND_NS, interval_ns=SECOND_NS))
    assert cycles_text([plan]) == "5.0 s + 10.0 s idle for 30 min 00 s"
