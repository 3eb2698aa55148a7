"""Long trials in the report: their recovery after idle time, and their names in the charts."""

from collections.abc import Callable

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.charts.figure import Figure
from iosonde.charts.procedures.courses import Course
from iosonde.records import PhasePlan, RunRecord, SteadySamples, TargetShare
from iosonde.report.blocks import Block, Charts, Folded, Paragraph
from iosonde.report.export.procedures import exported_procedures
from iosonde.report.procedures.course_blocks import course_blocks, sample_blocks
from iosonde.report.procedures.draw_chart import Drawing
from iosonde.report.tables import ResultTable
from iosonde.report.validity import Doubtful
from iosonde.vocabulary import Outcome, PhaseRole, ProcedureKind, SampleOf
from tests.builders import SECOND_NS
from tests.long_trial_builder import WRITE, long_run, stimulus


def phase(name: str, role: PhaseRole) -> PhasePlan:
    return PhasePlan(name=name, role=role, cells=(WRITE.cell,))


def of_kind(run: RunRecord, kind: ProcedureKind = ProcedureKind.ROUNDS) -> RunRecord:
    """The run as one of a procedure of this kind; without it, of a user's procedure, which has none of its own."""
    stop = run.header.plan.stop
    (procedure,) = run.header.plan.procedures
    changed = stop.model_copy(update={"procedures": (procedure.model_copy(update={"kind": kind}),)})
    plan = run.header.plan.model_copy(update={"stop": changed})
    return run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})


def blocks_of(run: RunRecord, doubtful: Doubtful | None = None) -> tuple[list[Block], list[str]]:
    """The blocks of the only procedure, and the names of all courses that are drawn."""
    drawn: list[str] = []

    def chart(identity: str, title: str, _: object, courses: list[Course], *__: object) -> Figure:
        drawn.extend(each.name for each in courses)
        return Figure(identity, title, "", None, ())

    [rounds] = procedures_of(run)
    draw = Drawing(chart, lambda identity, title, *_: Figure(identity, title, "", None, ()))
    return list(course_blocks(run, rounds, draw, {}, doubtful or {})), list(dict.fromkeys(drawn))


def test_trials_after_a_saturated_drive_are_compared_with_it_whatever_their_role() -> None:
    plans = [
        phase("first", PhaseRole.SATURATION),
        phase("after idle time", PhaseRole.IDLE_RECOVERY),
        stimulus("at once"),
    ]
    blocks, _ = blocks_of(of_kind(long_run(plans, [[100] * 8, [150, 100, 100, 100], [100] * 4])))

    [table] = [each for each in blocks if isinstance(each, ResultTable) and "Recovery after" in each.caption]
    assert [line.texts[0] for line in table.lines] == ["after idle time", "at once"]
    assert 'of "first"' in table.caption


def test_the_table_of_long_trials_has_the_level_of_each_at_its_end() -> None:
    # The last eighth of 16 samples is two: 80 and 90. The mean of all is (14 × 200 + 80 + 90) / 16.
    run = long_run([phase("writes", PhaseRole.SATURATION)], [[200] * 14 + [80, 90]])
    blocks, _ = blocks_of(of_kind(run))

    [table] = [each for each in blocks if isinstance(each, ResultTable) and "Each long trial" in each.caption]
    told = dict(zip([head.name for head in table.heads], table.lines[0].texts, strict=True))
    assert (told["IOPS"], told["Its end"]) == ("185.6", "85.00")
    assert "Its end: the mean of the trial's last eighth of samples." in table.notes


def test_the_document_has_the_level_and_the_recovery_of_each_long_trial() -> None:
    plans = [phase("first", PhaseRole.SATURATION), phase("after idle time", PhaseRole.IDLE_RECOVERY)]
    run = of_kind(long_run(plans, [[100] * 8, [150, 100, 100, 100]]))

    [found] = exported_procedures(run)

    assert [(each.phase, each.level, each.recovered_to, each.recovery_ns) for each in found.long_trials] == [
        ("first", 100, None, None),
        ("after idle time", 100, 100, SECOND_NS),
    ]
    assert found.points == ()


def test_trials_before_the_saturation_are_not_compared_with_it() -> None:
    plans = [stimulus("before"), phase("last", PhaseRole.SATURATION)]
    blocks, _ = blocks_of(of_kind(long_run(plans, [[100] * 4, [100] * 8])))

    assert [each for each in blocks if isinstance(each, ResultTable) and "Recovery after" in each.caption] == []


def test_only_the_writes_between_wait_states_share_a_name() -> None:
    plans = [
        phase("preconditioning", PhaseRole.BASELINE),
        phase("wait", PhaseRole.IDLE_RECOVERY),
        phase("back", PhaseRole.BASELINE),
        stimulus("another workload"),
    ]
    _, names = blocks_of(of_kind(long_run(plans, [[100] * 4] * 4)))

    assert names == ["wait", "continuous writes", "another workload"]


def test_a_doubtful_trial_has_a_sign_in_each_table_of_long_trials() -> None:
    run = long_run([stimulus("one"), stimulus("two")], [[5] * 8, [2] * 8])
    blocks, _ = blocks_of(run, {WRITE.cell: ("drive-throttled",)})
    [table] = [each for each in blocks if isinstance(each, ResultTable)]

    assert [line.texts[0] for line in table.lines] == ["one ?", "two ?"]
    assert any("drive-throttled" in note for note in table.notes)


def test_a_trial_that_was_cut_short_is_called_interrupted() -> None:
    run = long_run([stimulus("one"), stimulus("two")], [[5] * 8, [2] * 8])
    last = run.cells[-1].model_copy(update={"outcome": Outcome.CUT})
    cut = run.model_copy(update={"cells": (*run.cells[:-1], last)})
    blocks, drawn = blocks_of(cut)
    [table] = [each for each in blocks if isinstance(each, ResultTable)]

    assert [line.texts[0] for line in table.lines] == ["one", "two (interrupted)"]
    assert drawn == ["one", "two (interrupted)"]


def test_a_host_idle_recovery_without_a_wait_state_has_no_table_of_them() -> None:
    run = of_kind(long_run([phase("writes", PhaseRole.BASELINE)], [[5] * 8]), ProcedureKind.HOST_IDLE_RECOVERY)
    blocks, _ = blocks_of(run)

    assert [each for each in blocks if isinstance(each, ResultTable)] == []
    assert [each.summary for each in blocks if isinstance(each, Folded)] == ["All trials"]


def test_the_blocks_by_which_a_long_trial_is_judged_are_not_called_rounds() -> None:
    stop = SteadySamples(sample_ns=SECOND_NS, block_ns=2 * SECOND_NS, sample_of=SampleOf.LAST, window=2)
    plan = PhasePlan(name="writes", role=PhaseRole.SATURATION, cells=(WRITE.cell,), stop=stop)
    [rounds] = procedures_of(long_run([plan], [[10, 30, 10, 20, 10, 20]]))

    def figure(identity: str, _: str, draw: Callable[..., Figure], *given: object) -> Figure:
        return draw(identity, *given)

    determination, criteria = [each for each in sample_blocks(rounds, figure, {}) if isinstance(each, ResultTable)]
    [charts] = [each for each in sample_blocks(rounds, figure, {}) if isinstance(each, Charts)]
    [window] = charts.figures

    names = [line.texts[0] for line in determination.lines]
    assert names[:2] == ["Block 2", "Block 3"]
    assert "Best-fit line (B: block)" in names
    assert determination.lines[-1].texts[-1] == "reached in block 3"
    assert criteria.caption == "The verdicts of several criteria on the same 3 blocks. The first one ended the trial."
    assert criteria.lines[0].texts[-1] == "reached in block 3"
    assert window.caption.startswith("IOPS of blocks 2 to 3.")
    told = (determination.caption, *names, *(text for line in criteria.lines for text in line.texts), window.caption)
    assert not [each for each in told if "round" in each.lower()]
    assert '"title":"Block"' in window.specification_json


def test_a_target_that_is_done_before_the_others_is_named() -> None:
    run = of_kind(long_run([phase("writes", PhaseRole.SATURATION)], [[100] * 8]))
    shares = tuple(TargetShare(in_flight_ns=each, operations={}) for each in (700, 1000))
    [trial] = run.cells
    timing = trial.timing.model_copy(update={"amount_bytes": 4096})
    header = run.header.model_copy(update={"more_targets": (run.header.target,)})
    run = run.model_copy(
        update={"header": header, "cells": (trial.model_copy(update={"targets": shares, "timing": timing}),)}
    )

    texts = [each.text for each in blocks_of(run)[0] if isinstance(each, Paragraph)]

    assert texts[0].startswith(f'In "writes", {header.target.path} had transferred its amount after about 70 % of')
    assert len([each for each in texts if "had transferred" in each]) == 1


def test_a_trial_after_a_stimulus_is_compared_with_the_one_before_it() -> None:
    plans = [stimulus("group 1"), stimulus("group 2"), stimulus("group 3")]
    run = of_kind(long_run(plans, [[100] * 8, [10] * 8, [40] * 8]), ProcedureKind.CROSS_STIMULUS_RECOVERY)

    [table] = [each for each in blocks_of(run)[0] if isinstance(each, ResultTable)]

    assert table.notes[-2:] == (
        'At its end, "group 2" has 10 % of the level of "group 1".',
        'At its end, "group 3" has 40 % of the level of "group 1".',
    )


SATURATION = PhasePlan(
    name="saturation",
    role=PhaseRole.SATURATION,
    cells=(WRITE.cell,),
    stop=SteadySamples(sample_ns=SECOND_NS, block_ns=SECOND_NS, sample_of=SampleOf.LAST, window=5),
)
AMOUNT = 8 * 100 * 4096


@pytest.mark.parametrize(
    ("counts", "timing", "outcome", "end"),
    [
        ([100] * 8, {"amount_bytes": AMOUNT}, Outcome.FINISHED, "it had transferred 3.28 MB, its whole amount"),
        ([90] * 8, {"amount_bytes": AMOUNT, "limit_ns": 8 * SECOND_NS}, Outcome.FINISHED, "its time of 8.0 s was over"),
        ([90] * 8, {"measure_ns": 8 * SECOND_NS}, Outcome.FINISHED, "its time of 8.0 s was over"),
        ([90] * 8, {"measure_ns": 9 * SECOND_NS, "decide_ns": SECOND_NS}, Outcome.FINISHED, "steady state was reached"),
        ([90] * 8, {"measure_ns": 9 * SECOND_NS}, Outcome.CUT, "it was interrupted"),
    ],
)
def test_a_trial_that_may_end_at_steady_state_says_why_it_ended(
    counts: list[int], timing: dict[str, int], outcome: Outcome, end: str
) -> None:
    run = of_kind(long_run([SATURATION], [counts]), ProcedureKind.WRITE_SATURATION)
    (record,) = run.cells
    planned = record.timing.model_copy(update=timing)
    run = run.model_copy(update={"cells": (record.model_copy(update={"timing": planned, "outcome": outcome}),)})
    blocks, _ = blocks_of(run)
    assert f'"saturation" ended because {end}.' in [each.text for each in blocks if isinstance(each, Paragraph)]
