"""The samples of long trials, and their recovery, against figures computed by hand."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.condition import ConditionState
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.analysis.procedures.courses import (
    LongPhase,
    capacity_of,
    long_phases,
    samples_of,
)
from iosonde.analysis.procedures.recovery import idle_states, level_of, recoveries, recovery_ns
from iosonde.analysis.procedures.sample_table import sample_table
from iosonde.records import CellPlan, Experiment, PhasePlan, SteadySamples
from iosonde.vocabulary import PhaseRole, Quantity, SampleOf
from tests.builders import SECOND_NS, cell_plan
from tests.long_trial_builder import WRITE, long_run, stimulus, trial
from tests.procedure_builder import procedure_run, steady_procedure


def phase_of(counts: Sequence[int], role: PhaseRole = PhaseRole.STIMULUS, plan: CellPlan = WRITE) -> LongPhase:
    asked = plan.workload
    length = SECOND_NS if asked.on_ns is None or asked.off_ns is None else asked.on_ns + asked.off_ns
    samples = tuple(samples_of(trial(counts, plan), length))
    return LongPhase("phase", 1, "phase", role, plan.cell, asked, length, 0, samples)


def duty_cycle(*, off_s: int) -> CellPlan:
    """Writes at queue depth 8 for a second, and nothing for some."""
    update = {"on_ns": SECOND_NS, "off_ns": off_s * SECOND_NS}
    return cell_plan(WRITE.workload.model_copy(update=update), Experiment.PROCEDURE, timing=WRITE.timing)


def test_a_sample_is_the_sum_of_its_intervals() -> None:
    first, second = samples_of(trial([1, 3, 4, 8]), 2 * SECOND_NS)

    assert (first.iops, first.bytes_per_s) == (2, 2 * 4096)
    # One write of 1 µs and three of 2 µs.
    assert (first.latency_ns_mean, first.latency_ns_max) == (1750, 2000)
    assert (second.start_ns, second.end_ns, second.iops) == (2 * SECOND_NS, 4 * SECOND_NS, 6)
    assert (first.written_bytes, second.written_bytes) == (4 * 4096, 16 * 4096)


def test_a_sample_without_completions_has_no_latency() -> None:
    _, second = samples_of(trial([1, 0]), SECOND_NS)

    assert (second.iops, second.latency_ns_mean, second.latency_ns_max) == (0, None, None)


def test_the_rest_of_a_trial_belongs_to_the_last_sample_if_it_is_shorter_than_half() -> None:
    first, second = samples_of(trial([1] * 6 + [5]), 3 * SECOND_NS)

    assert (first.end_ns // SECOND_NS, second.end_ns // SECOND_NS) == (3, 7)
    assert (first.iops, second.iops) == (1, 2)


def test_a_longer_rest_is_a_sample() -> None:
    found = list(samples_of(trial([1] * 8), 3 * SECOND_NS))

    assert [each.end_ns // SECOND_NS for each in found] == [3, 6, 8]


def test_the_rest_of_a_duty_cycle_counts_by_its_own_on_period() -> None:
    plan = duty_cycle(off_s=3)
    *_, last = samples_of(trial([6, 8, 0, 0, 6, 8, 0, 0, 6], plan), 4 * SECOND_NS)

    assert (last.end_ns // SECOND_NS, last.time_ns // SECOND_NS, last.iops) == (9, 2, 6)


def test_the_mean_of_the_samples_is_that_of_the_trial() -> None:
    counts = [7, 3, 9, 1, 4, 4, 40]
    found = phase_of(counts)

    assert (found.count, found.iops) == (sum(counts), sum(counts) / len(counts))


def test_only_the_on_periods_of_a_duty_cycle_count_as_time() -> None:
    found = list(samples_of(trial([6, 8, 0, 9, 8, 0], duty_cycle(off_s=2)), 3 * SECOND_NS))

    assert [each.iops for each in found] == [6, 9]


def test_operations_that_complete_in_the_idle_time_do_not_count_for_throughput_and_have_a_latency() -> None:
    whole, cut = samples_of(trial([100, 8, 0, 60, 8], duty_cycle(off_s=2)), 3 * SECOND_NS)

    assert (whole.iops, whole.completed) == (100, 108)
    assert whole.latency_ns_mean == (100 * 1000 + 8 * 2000) / 108
    assert cut.iops == 60


def test_a_queue_that_does_not_drain_in_the_idle_time_has_the_throughput_of_its_on_periods() -> None:
    # The eight operations in flight complete at one a second, whether others are submitted or not.
    found = list(samples_of(trial([1, 1, 1, 1, 1, 1], duty_cycle(off_s=2)), 3 * SECOND_NS))

    assert [each.iops for each in found] == [1, 1]


def test_the_trials_of_a_phase_with_several_have_names_of_their_own() -> None:
    procedure = steady_procedure(phases=(stimulus("one"), stimulus("two")))
    trials = [{WRITE.cell: trial(counts)} for counts in ([5], [2], [2])]
    run = procedure_run(procedure, trials, [WRITE], phase=("one", "two", "two"))
    [rounds] = procedures_of(run)
    found = long_phases(run, rounds)
    samples = sample_table(run)["samples"]

    assert [each.name for each in found] == ["one", "two, trial 1", "two, trial 2"]
    assert list(zip(samples["phase"], samples["trial"], strict=True)) == [("one", 1), ("two", 1), ("two", 2)]


def test_time_and_writes_go_on_from_one_long_trial_to_the_next() -> None:
    run = long_run([stimulus("one"), stimulus("two")], [[5, 5], [2, 2, 2]])
    [rounds] = procedures_of(run)
    one, two = long_phases(run, rounds)

    assert (one.iops, two.iops) == (5, 2)
    assert (two.samples[0].start_ns, two.samples[-1].end_ns) == (2 * SECOND_NS, 5 * SECOND_NS)
    assert two.samples[-1].written_bytes == 16 * 4096
    assert capacity_of(run) == run.header.plan.span_bytes


def test_a_long_phase_has_the_mean_and_maximum_of_all_its_operations() -> None:
    found = phase_of([1, 3])

    assert (found.latency_ns_mean, found.latency_ns_max, found.bytes) == (1750, 2000, 4 * 4096)


def test_the_level_of_a_trial_is_the_mean_of_its_last_eighth() -> None:
    samples = phase_of([*[900] * 14, 100, 110]).samples

    assert level_of(samples, Quantity.IOPS) == 105


def test_a_short_last_sample_counts_by_its_time() -> None:
    # Seventeen samples of two seconds, but for the last one.
    samples = tuple(samples_of(trial([100] * 30 + [90, 90] + [60]), 2 * SECOND_NS))

    assert level_of(samples, Quantity.IOPS) == (2 * 90 + 60) / 3


@pytest.mark.parametrize(
    ("counts", "seconds"),
    [
        # The fourth sample is near the level of 100, but those around the fifth are not.
        ([50, 60, 80, 95, 89, 70, 80, 100, 110, 100, 100], 7),
        # A single sample that is not near is variation.
        ([200, 100, 100, 100, 85, 100, 100, 100, 115, 100], 1),
        ([100, 100, 100, 100], 0),
        # The first sample is not near, although the median of those around it is.
        ([150, 100, 100, 100, 100], 1),
    ],
)
def test_the_recovery_time_ends_with_the_first_sample_near_the_level_after_which_they_stay_there(
    counts: list[int], seconds: int
) -> None:
    assert recovery_ns(phase_of(counts).samples, Quantity.IOPS, 100) == seconds * SECOND_NS


def test_a_trial_that_is_never_near_its_level_at_the_end_has_no_recovery_time() -> None:
    assert recovery_ns(phase_of([100, 100, 100, 50, 50]).samples, Quantity.IOPS, 100) is None


def test_each_stimulus_but_the_first_recovers_to_its_own_level() -> None:
    [second] = recoveries([phase_of([100] * 8), phase_of([10, 20, 40, 40, 40, 40, 40, 40])], Quantity.IOPS)

    assert (second.level, second.time_ns) == (40, 2 * SECOND_NS)


def test_a_wait_state_gains_over_the_continuous_writes_before_and_they_return_after_it() -> None:
    phases = [
        phase_of([200, 100], PhaseRole.PRECONDITIONING),
        phase_of([120, 8, 0, 150, 8, 0], PhaseRole.IDLE_RECOVERY, duty_cycle(off_s=2)),
        phase_of([150, 130, 105, 95, 100, 100], PhaseRole.BASELINE),
    ]

    [state] = idle_states(phases)

    assert (state.before, state.during, state.gain) == (100, 150, 1.5)
    assert state.back is not None
    assert state.back.time_ns == 2 * SECOND_NS


@pytest.mark.parametrize(("which", "values"), [(SampleOf.LAST, (20, 40)), (SampleOf.FIRST, (10, 30))])
def test_one_sample_of_each_block_is_judged_like_a_round(which: SampleOf, values: tuple[int, ...]) -> None:
    stop = SteadySamples(sample_ns=SECOND_NS, block_ns=2 * SECOND_NS, sample_of=which, window=2)
    plan = PhasePlan(name="saturation", role=PhaseRole.SATURATION, cells=(WRITE.cell,), stop=stop)
    run = long_run([plan], [[10, 20, 30, 40, 50]])
    [rounds] = procedures_of(run)

    phase = rounds.samples

    assert phase is not None
    assert tuple(phase.series(WRITE.cell, Quantity.IOPS)) == values
    assert phase.rule is not None
    assert phase.rule.window == 2


@pytest.mark.parametrize(
    ("iops", "state", "said"),
    [
        ([10], ConditionState.UNKNOWN, "not decided: no block of its samples is complete"),
        ([10, 20], ConditionState.UNKNOWN, "not decided: only 1 block is complete, and a window has 2"),
        ([10, 20, 30, 40], ConditionState.FAILED, "not reached after 2 blocks of its samples"),
        ([20, 20, 20, 20], ConditionState.VERIFIED, "reached in block 2 of its samples"),
    ],
)
def test_fewer_blocks_than_those_of_a_window_decide_nothing(iops: list[int], state: ConditionState, said: str) -> None:
    stop = SteadySamples(sample_ns=SECOND_NS, block_ns=2 * SECOND_NS, sample_of=SampleOf.LAST, window=2)
    plan = PhasePlan(name="saturation", role=PhaseRole.SATURATION, cells=(WRITE.cell,), stop=stop)
    run = long_run([plan], [iops])
    [rounds] = procedures_of(run)

    [found] = [each for each in conditions_of(run, rounds) if each.name == "Steady state"]

    assert (found.state, found.reason) == (state, said)


def test_the_table_of_samples_has_a_row_for_each() -> None:
    run = long_run([stimulus("one"), stimulus("two")], [[50, 50], [60]])

    table = sample_table(run)["samples"]

    assert list(table["phase"]) == ["one", "one", "two"]
    assert list(table["iops"]) == [50, 50, 60]
    assert list(table["written_bytes"]) == [50 * 4096, 100 * 4096, 160 * 4096]
    assert table["drive_fills"][-1] == 160 * 4096 / capacity_of(run)


def test_the_clock_of_a_course_goes_on_in_the_idle_time_between_trials() -> None:
    run = long_run([stimulus("one"), stimulus("two")], [[5, 5], [2, 2, 2]])
    first, second = run.cells
    rested = second.model_copy(update={"timing": second.timing.model_copy(update={"idle_ns": 30 * SECOND_NS})})
    idle = run.model_copy(update={"cells": (first, rested)})
    [rounds] = procedures_of(idle)
    one, two = long_phases(idle, rounds)

    assert (one.samples[-1].end_ns // SECOND_NS, two.samples[0].start_ns // SECOND_NS) == (2, 32)


def test_samples_of_a_short_trial_are_long_enough_for_50_operations() -> None:
    run = long_run([stimulus("one")], [[25] * 8])
    [rounds] = procedures_of(run)
    [phase] = long_phases(run, rounds)

    assert [each.count for each in phase.samples] == [50] * 4


def test_a_run_without_long_trials_has_no_table_of_samples() -> None:
    assert sample_table(procedure_run(steady_procedure(), [])) == {}
