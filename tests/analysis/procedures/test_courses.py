"""The samples of long trials, and their recovery, against figures computed by hand."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.courses import (
    LongPhase,
    capacity_of,
    judged_samples,
    long_phases,
    samples_of,
)
from iosonde.analysis.procedures.recovery import idle_states, level_of, recoveries, recovery_ns
from iosonde.records import CellPlan, CellRecord, Experiment, Operation, PhasePlan, RunRecord, SteadySamples, Timing
from iosonde.vocabulary import Phase, PhaseRole, ProcedureKind, Quantity, SampleOf
from tests.builders import SECOND_NS, cell_plan, cell_record, interval_record, totals_of, workload
from tests.procedure_builder import procedure_run, steady_procedure

MINUTE_NS = 60 * SECOND_NS
WRITE = cell_plan(
    workload(read_percent=0),
    Experiment.PROCEDURE,
    timing=Timing(warmup_ns=0, measure_ns=SECOND_NS, interval_ns=SECOND_NS),
)


def trial(counts: Sequence[int], plan: CellPlan = WRITE, latency_ns: int = 1000) -> CellRecord:
    """A trial with so many writes of 4 KiB in each second."""
    intervals = tuple(
        interval_record(
            second,
            {Operation.WRITE: totals_of([latency_ns * (second + 1)] * count)} if count else {},
            phase=Phase.MEASURE,
            start_ns=second * SECOND_NS,
            end_ns=(second + 1) * SECOND_NS,
        )
        for second, count in enumerate(counts)
    )
    totals = {Operation.WRITE: totals_of([latency_ns] * sum(counts))}
    return cell_record(plan, totals, intervals=intervals, measured_ns=len(counts) * SECOND_NS)


def phase_of(counts: Sequence[int], role: PhaseRole = PhaseRole.STIMULUS, plan: CellPlan = WRITE) -> LongPhase:
    asked = plan.workload
    length = SECOND_NS if asked.on_ns is None or asked.off_ns is None else asked.on_ns + asked.off_ns
    samples = tuple(samples_of(trial(counts, plan), length))
    return LongPhase("phase", role, plan.cell, asked, length, 0, samples)


def long_run(phases: Sequence[PhasePlan], trials: Sequence[Sequence[int]]) -> RunRecord:
    """A run with a trial in each phase."""
    procedure = steady_procedure(phases=tuple(phases), kind=ProcedureKind.CROSS_STIMULUS_RECOVERY)
    run = procedure_run(procedure, [{WRITE.cell: trial(each, WRITE)} for each in trials], [WRITE])
    turns = tuple(
        turn.model_copy(update={"phase": phase.name, "round": 1})
        for turn, phase in zip(run.turns_chosen, phases, strict=False)
    )
    return run.model_copy(update={"turns_chosen": turns})


def stimulus(name: str) -> PhasePlan:
    return PhasePlan(name=name, role=PhaseRole.STIMULUS, cells=(WRITE.cell,))


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


def test_the_rest_of_a_trial_is_no_sample_if_it_is_shorter_than_half() -> None:
    found = list(samples_of(trial([1] * 7), 3 * SECOND_NS))

    assert [each.end_ns // SECOND_NS for each in found] == [3, 6]


def test_only_the_on_periods_of_a_duty_cycle_count_as_time() -> None:
    plan = cell_plan(
        WRITE.workload.model_copy(update={"on_ns": SECOND_NS, "off_ns": 2 * SECOND_NS}), Experiment.PROCEDURE
    )
    found = list(samples_of(trial([6, 0, 0, 9, 0, 0], plan), 3 * SECOND_NS))

    assert [each.iops for each in found] == [6, 9]


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


def test_the_recovery_time_ends_with_the_first_sample_from_which_on_all_are_near_the_level() -> None:
    # The level is 100. The fourth sample is near it, but the fifth is not, so recovery ends at the sixth.
    samples = phase_of([50, 60, 80, 95, 89, 90, 110, 100]).samples

    assert recovery_ns(samples, Quantity.IOPS, 100) == 5 * SECOND_NS


def test_a_trial_that_is_never_near_its_level_at_the_end_has_no_recovery_time() -> None:
    assert recovery_ns(phase_of([100, 100, 50]).samples, Quantity.IOPS, 100) is None


def test_each_stimulus_but_the_first_recovers_to_its_own_level() -> None:
    [second] = recoveries([phase_of([100] * 8), phase_of([10, 20, 40, 40, 40, 40, 40, 40])], Quantity.IOPS)

    assert (second.level, second.time_ns) == (40, 2 * SECOND_NS)


def test_a_wait_state_gains_over_the_continuous_writes_before_and_they_return_after_it() -> None:
    plan = cell_plan(
        WRITE.workload.model_copy(update={"on_ns": SECOND_NS, "off_ns": 2 * SECOND_NS}), Experiment.PROCEDURE
    )
    phases = [
        phase_of([200, 100], PhaseRole.PRECONDITIONING),
        phase_of([120, 0, 0, 150, 0, 0], PhaseRole.IDLE_RECOVERY, plan),
        phase_of([150, 130, 105, 95], PhaseRole.BASELINE),
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

    phase = judged_samples(run, rounds)

    assert phase is not None
    assert tuple(phase.series(WRITE.cell, Quantity.IOPS)) == values
    assert phase.rule is not None
    assert phase.rule.window == 2
