"""The report of runs side by side: hand-computed differences, conditions, and what cannot be compared."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.side_by_side import Source
from iosonde.charts.figure import Figure
from iosonde.charts.procedures.window import MINUS
from iosonde.failures import STRICT
from iosonde.records import Experiment, PhasePlan, RunRecord, Timing
from iosonde.report.blocks import Answers, Paragraph
from iosonde.report.comparison import comparison_page
from iosonde.report.comparison_json import plain
from iosonde.report.page import Page
from iosonde.report.procedures.side_by_side_tables import ONE_ROUND, difference_text
from iosonde.report.tables import ResultTable
from iosonde.vocabulary import Mode, PhaseRole, ProcedureKind
from tests.builders import SECOND_NS, cell_plan
from tests.long_trial_builder import WRITE as WRITES
from tests.long_trial_builder import long_run, stimulus, trial
from tests.procedure_builder import MATRIX, WRITE, procedure_run, steady_procedure


def matrix_run(*rounds: Sequence[int], kind: ProcedureKind = ProcedureKind.IOPS, **others: Any) -> RunRecord:
    """The IOPS of 4 KiB reads, 64 KiB reads, 4 KiB writes and 64 KiB writes in each round."""
    names = [each.cell for each in MATRIX]
    header = {key: others.pop(key) for key in ("label",) if key in others}
    procedure = steady_procedure(MATRIX, (WRITE,), kind=kind, title="IOPS test", **others)
    return procedure_run(procedure, [dict(zip(names, each, strict=True)) for each in rounds], MATRIX, **header)


OLD = matrix_run(*[(1000, 2000, 3000 + step, 4000) for step in (-20, -10, 0, 10, 20)])
NEW = matrix_run(*[(1100, 1000, 3015 + step, 40_000) for step in (-20, -10, 0, 10, 20)])


def source(label: str, run: RunRecord, **others: Any) -> Source:
    return Source(label, procedures_of(run), run, **others)


def page(*sources: Source) -> Page:
    return comparison_page(sources, STRICT)


def table(found: Page, caption: str) -> list[tuple[str, ...]]:
    [only] = [each for each in found.all_of(ResultTable) if each.caption.startswith(caption)]
    return [line.texts for line in only.lines]


def test_each_cell_has_its_figures_and_the_difference_from_the_first_run() -> None:
    assert table(page(source("old", OLD), source("new", NEW)), "IOPS (operations/s), with") == [
        ("4 KiB 100/0", "1,000", "1,100 (+10.0 %)"),
        ("64 KiB 100/0", "2,000", "1,000 (0.50 times)"),
        # The rounds of both writes overlap: 2,980 to 3,020, and 2,995 to 3,035.
        ("4 KiB 0/100", "3,000", "3,015 (+0.5 % ≈)"),
        ("64 KiB 0/100", "4,000", "40,000 (10.0 times)"),
    ]


def test_invalid_figures_are_marked_in_tables_and_charts() -> None:
    found = page(source("old", OLD), source("new", NEW, invalid=((WRITE.cell, ("cell-failed",)),)))
    assert table(found, "IOPS (operations/s), with")[2][2] == "3,015 × (+0.5 % ≈)"
    rows = [row for each in found.all_of(Figure) for row in each.rows if row["cell"] == WRITE.cell]
    assert {row["entry"]: row["is_marked"] for row in rows} == {"old": False, "new": True}


def test_doubtful_figures_are_marked_in_tables_and_charts() -> None:
    found = page(source("old", OLD), source("new", NEW, doubtful=((WRITE.cell, ("drive-throttled",)),)))
    assert table(found, "IOPS (operations/s), with")[2][2] == "3,015 ? (+0.5 % ≈)"
    rows = [row for each in found.all_of(Figure) for row in each.rows if row["cell"] == WRITE.cell]
    assert {row["entry"]: row["drawn_label"] for row in rows} == {"old": "3,000", "new": "3,015 ?"}


def test_the_summary_says_which_of_the_ranked_figures_are_invalid_or_doubtful() -> None:
    marks = {"invalid": ((WRITE.cell, ("cell-failed",)),)}, {"doubtful": ((WRITE.cell, ("drive-throttled",)),)}
    found = page(source("old", OLD, **marks[0]), source("new", NEW, **marks[1]))
    [answers] = found.all_of(Answers)

    told = "new: 3,015 operations/s (doubtful). Invalid, and not ranked: old: 3,000 operations/s."
    assert any(told in each for each in answers.sentences)
    [test] = plain([source("old", OLD, **marks[0]), source("new", NEW, **marks[1])])
    [cell] = [each for each in test["cells"] if (each["mix"], each["size"]) == ("0/100", "4 KiB")]
    assert [(each["invalid"], each["doubtful"]) for each in cell["values"]] == [
        (["cell-failed"], []),
        ([], ["drive-throttled"]),
    ]


def test_runs_over_different_numbers_of_drives_are_not_of_the_same_test() -> None:
    target = NEW.header.target
    two = NEW.model_copy(update={"header": NEW.header.model_copy(update={"more_targets": (target,)})})
    [answers] = page(source("one", OLD), source("two", two)).all_of(Answers)

    assert "not the same test in all runs. They differ in drives at once." in answers.sentences[0]


def with_plan(run: RunRecord, **fields: Any) -> RunRecord:
    """The run with other values of its plan."""
    plan = run.header.plan.model_copy(update=fields)
    return run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})


def lasting(milliseconds: int) -> RunRecord:
    """The run with trials of this length."""
    cells = [each.model_copy(update={"timing": timing_of(milliseconds)}) for each in OLD.header.plan.cells]
    return with_plan(OLD, cells=tuple(cells))


def timing_of(milliseconds: int) -> Timing:
    return Timing(warmup_ns=0, measure_ns=milliseconds * 10**6, interval_ns=milliseconds * 10**6)


def test_runs_with_trials_of_different_length_are_not_of_the_same_test() -> None:
    found = page(source("short", lasting(600)), source("long", lasting(1400)))
    [answers] = found.all_of(Answers)

    assert answers.sentences[0].endswith("not the same test in all runs. They differ in unscaled trial length.")
    assert ("Unscaled trial length", "differs", "600 ms", "1.4 s") in table(found, "Conditions of each run")


@pytest.mark.parametrize("scale", [7, 300, 3000])
def test_the_length_of_a_scaled_trial_is_that_of_the_procedure(scale: int) -> None:
    scaled_ns = 60 * SECOND_NS // scale
    timing = Timing(warmup_ns=0, measure_ns=scaled_ns, interval_ns=scaled_ns // 60)
    cells = tuple(each.model_copy(update={"timing": timing}) for each in OLD.header.plan.cells)
    stop = OLD.header.plan.stop.model_copy(update={"time_scale": scale})
    run = with_plan(OLD, cells=cells, stop=stop)

    rows = table(page(source("a", run), source("b", run)), "Conditions of each run")
    assert ("Unscaled trial length", "same", "60.0 s", "60.0 s") in rows


def test_test_regions_of_different_size_are_a_difference_within_the_same_test() -> None:
    small, large = with_plan(OLD, span_bytes=16 << 20), with_plan(OLD, span_bytes=256 << 20)
    found = page(source("small", small), source("large", large))
    [answers] = found.all_of(Answers)

    assert ("Test region", "differs", "16 MiB", "256 MiB") in table(found, "Conditions of each run")
    assert not any("not the same test" in each for each in answers.sentences)


def test_the_summary_ranks_the_runs_by_their_foremost_figure() -> None:
    (answers,) = page(source("old", OLD), source("new", NEW)).all_of(Answers)
    # Their rounds overlap, so the order may be chance.
    assert answers.sentences == (
        "IOPS test, IOPS of 4 KiB 0/100, best first: new: 3,015 operations/s ≈ old: 3,000 operations/s.",
    )


def test_lower_latencies_are_better() -> None:
    slow = matrix_run(*[(1000, 2000, 3000, 4000)] * 5, kind=ProcedureKind.LATENCY)
    (answers,) = page(source("a", slow), source("b", slow)).all_of(Answers)
    assert answers.sentences[0] == "Latency test, Mean latency of 4 KiB 0/100, best first: a: 100.0 µs ≈ b: 100.0 µs."


def test_runs_that_are_not_of_the_same_test_say_in_what_they_differ() -> None:
    client = matrix_run(*[(1, 2, 3, 4)] * 5, specification="SNIA SSS PTS 2.0.2", mode=Mode.CLIENT, is_like=True)
    (answers,) = page(source("old", OLD), source("new", client)).all_of(Answers)
    assert answers.sentences[0] == ("IOPS test: not the same test in all runs. They differ in specification, form.")
    assert not any("best first" in each for each in answers.sentences)
    assert any("IOPS of 4 KiB 0/100, highest first: old" in each for each in answers.sentences)


def test_conditions_that_differ_are_first() -> None:
    client = matrix_run(*[(1, 2, 3, 4)] * 5, specification="SNIA SSS PTS 2.0.2", mode=Mode.CLIENT)
    rows = table(page(source("old", OLD), source("new", client)), "Conditions of each run")
    agreements = [row[1] for row in rows]
    assert agreements == sorted(agreements, key=["differs", "unknown", "same"].index)
    assert ("Specification", "differs", "none", "after SNIA SSS PTS 2.0.2, client mode") in rows


def test_what_another_tool_does_not_say_is_unknown_and_no_difference() -> None:
    other = Source("tkperf", procedures_of(OLD))
    found = page(other, source("new", NEW))
    (answers,) = found.all_of(Answers)
    assert not any("not the same test" in each for each in answers.sentences)
    assert ("Specification", "unknown", "unknown", "none") in table(found, "Conditions of each run")


def test_any_number_of_runs_is_compared_in_tables_of_five_columns() -> None:
    sources = [source(f"drive {number}", OLD) for number in range(12)]
    tables = [each for each in page(*sources).all_of(ResultTable) if each.caption.startswith("IOPS (operations/s)")]
    assert [[head.name for head in each.heads[1:]] for each in tables] == [
        ["drive 0", *(f"drive {number}" for number in numbers)] for numbers in (range(1, 5), range(5, 9), range(9, 12))
    ]
    bars = [each for each in page(*sources).all_of(Figure) if each.rows]
    assert {len(each.rows) for each in bars} == {12}


def test_a_test_that_only_one_run_has_is_named() -> None:
    latency = procedures_of(matrix_run(*[(1, 2, 3, 4)] * 5, kind=ProcedureKind.LATENCY, name="lat"))
    (answers,) = page(Source("old", (*procedures_of(OLD), *latency), OLD), source("new", NEW)).all_of(Answers)
    assert answers.sentences[-1] == "Only in old: IOPS test."


def test_a_test_that_a_run_ended_before_is_not_only_in_that_run() -> None:
    latency = procedures_of(matrix_run(*[(1, 2, 3, 4)] * 5, kind=ProcedureKind.LATENCY, name="lat"))
    ended = [replace(each, is_begun=False) for each in latency]
    (answers,) = page(Source("old", (*procedures_of(OLD), *ended), OLD), source("new", NEW)).all_of(Answers)
    assert answers.sentences[-1] == "Not measured in old: IOPS test."


def test_what_a_run_failed_is_said_before_its_rank() -> None:
    never = matrix_run(*[(1, 1, value, 1) for value in (100, 200, 300, 400, 500, 600)])
    (answers,) = page(source("old", OLD), source("new", never, notes=("findings drive-throttled",))).all_of(Answers)
    assert answers.sentences[0] == "IOPS test, new: steady state, failed (not reached after 6 rounds)."
    assert answers.sentences[-1] == "new: findings drive-throttled."


def test_a_figure_that_no_cell_has_is_a_sentence_and_no_table() -> None:
    few = matrix_run(*[(1000, 2000, 3000, 4000)] * 5, kind=ProcedureKind.LATENCY)
    found = page(source("a", few), source("b", few))
    assert "99.999 % latency: unknown of all cells, fewer than 10 operations are above this percentile." in [
        each.text for each in found.all_of(Paragraph)
    ]
    assert not [each for each in found.all_of(ResultTable) if each.caption.startswith("99.999")]


def test_runs_with_one_round_say_why_they_have_no_sign() -> None:
    once = matrix_run((1000, 2000, 3000, 4000), is_like=True)
    [table] = [
        each
        for each in page(source("a", once), source("b", once)).all_of(ResultTable)
        if each.caption.startswith("IOPS (operations/s)")
    ]
    assert table.notes == (ONE_ROUND,)


def test_the_json_has_every_figure_in_the_order_of_the_runs() -> None:
    (found,) = plain([source("old", OLD), source("new", NEW)])
    (cell,) = [each for each in found["cells"] if (each["mix"], each["size"]) == ("0/100", "4 KiB")]
    assert (found["runs"], [each["iops"] for each in cell["values"]]) == (["old", "new"], [3000, 3015])


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1, "0.0 %"),
        (0.9999, "0.0 %"),
        (0.51, f"{MINUS}49.0 %"),
        (0.017, "0.017 times"),
        (1.999, "+99.9 %"),
        (2, "2.00 times"),
        (150.4, "150 times"),
    ],
)
def test_a_difference_is_a_percentage_or_a_multiple(ratio: float, text: str) -> None:
    assert difference_text(ratio) == text


def test_recovery_times_are_compared_and_a_trial_that_does_not_recover_has_a_reason() -> None:
    groups = [stimulus("group 1"), stimulus("group 2"), stimulus("group 3")]
    # Group 2 settles at 100 after two and after three seconds, group 3 at 50 after one, or never stays.
    old = long_run(groups, [[100] * 8, [400, 200, *[100] * 6], [90, *[50] * 7]])
    new = long_run(groups, [[100] * 8, [400, 300, 200, *[100] * 5], [50, 90] * 8])
    found = page(source("old", old), source("new", new))
    [shown] = [each for each in found.all_of(ResultTable) if each.caption.startswith("Recovery time")]

    assert [line.texts for line in shown.lines] == [
        ("group 2", "2.0 s", "3.0 s (+50.0 %)"),
        ("group 3", "1.0 s", "–"),
    ]
    assert any("the last samples are not within 10 %" in note for note in shown.notes)
    trials = {each["trial"]: each["values"] for each in plain([source("old", old), source("new", new)])[0]["trials"]}
    assert [each["recovery_ns"] for each in trials["group 2"]] == [2 * SECOND_NS, 3 * SECOND_NS]
    assert [(each["recovered_to"], each["recovery_ns"]) for each in trials["group 1"]] == [(None, None)] * 2


def test_the_gain_of_idle_time_is_compared_with_its_marks() -> None:
    on, off = SECOND_NS, 2 * SECOND_NS
    waiting = cell_plan(
        WRITES.workload.model_copy(update={"on_ns": on, "off_ns": off}), Experiment.PROCEDURE, timing=WRITES.timing
    )
    phases = (
        PhasePlan(name="before", role=PhaseRole.BASELINE, cells=(WRITES.cell,)),
        PhasePlan(name="1 s writes, 2 s idle", role=PhaseRole.IDLE_RECOVERY, cells=(waiting.cell,)),
        PhasePlan(name="after", role=PhaseRole.BASELINE, cells=(WRITES.cell,)),
    )

    def run(gained: int) -> RunRecord:
        procedure = steady_procedure(phases=phases, kind=ProcedureKind.HOST_IDLE_RECOVERY)
        trials = [
            {WRITES.cell: trial([100] * 8)},
            {waiting.cell: trial([gained, 0, 0] * 8, waiting)},
            {WRITES.cell: trial([150, *[100] * 7])},
        ]
        return procedure_run(procedure, trials, [WRITES, waiting], phase=[each.name for each in phases])

    old, new = source("old", run(150)), source("new", run(240), doubtful=((waiting.cell, ("drive-throttled",)),))
    found = page(old, new)

    assert table(found, "Gain") == [("1 s writes, 2 s idle", "1.50", "2.40 ? (+60.0 %)")]
    assert table(found, "Return to baseline") == [("1 s writes, 2 s idle", "1.0 s", "1.0 s ? (0.0 %)")]
    [state] = [each for each in plain([old, new])[0]["trials"] if each["trial"] == "1 s writes, 2 s idle"]
    assert [each["gain"] for each in state["values"]] == [1.5, 2.4]


def test_what_a_file_of_another_tool_says_of_its_drive_is_a_condition() -> None:
    other = Source("drive", procedures_of(OLD), None, facts=(("Model", "ABC"), ("Software", "TKperf 2.2")))
    [test] = plain([other, source("new", NEW)])

    assert [test["conditions"][name][0] for name in ("Model", "Software", "OS")] == ["ABC", "TKperf 2.2", "unknown"]


def test_recovery_times_of_different_scales_are_shown_and_not_compared() -> None:
    groups = [stimulus("group 1"), stimulus("group 2")]
    old = long_run(groups, [[100] * 8, [400, 200, *[100] * 6]])
    stop = old.header.plan.stop
    plan = old.header.plan.model_copy(update={"stop": stop.model_copy(update={"time_scale": 10})})
    new = old.model_copy(update={"header": old.header.model_copy(update={"plan": plan})})
    [shown] = [
        each
        for each in page(source("old", old), source("new", new)).all_of(ResultTable)
        if each.caption.startswith("Recovery time")
    ]

    assert "the runs have different time scales, so that it is not compared" in shown.caption
    assert [line.texts for line in shown.lines] == [("group 2", "2.0 s", "2.0 s")]


def test_the_summary_says_which_of_the_ranked_runs_did_not_finish() -> None:
    begun = NEW.model_copy(update={"finished": False})
    [answers] = page(source("old", OLD), source("new", begun)).all_of(Answers)
    assert any("new: 3,015 operations/s (unfinished run)" in each for each in answers.sentences)
