"""The progress output: the result of each trial, the time left, and the latest figures."""

import pytest

from iosonde.cli.progress import Clockwork, live_figures, outcome_words
from iosonde.plans import TargetInfo, campaign_plan, load_profile
from iosonde.records import Aim, Engine, Operation, Sync, Workload
from tests.builders import cell_plan, cell_record, engine_facts, interval_record, totals_of, workload


def words(asked: Workload, achieved: float, engine: Engine = Engine.IO_URING) -> str:
    operation = Operation.READ if asked.read_percent else Operation.WRITE
    totals = {operation: totals_of([1_000_000] * 5_000)}
    record = cell_record(cell_plan(asked), totals, queue_depth_achieved=achieved, engine=engine_facts(engine))
    return outcome_words(record)


def test_a_depth_below_seven_tenths_is_said_while_the_run_goes_on() -> None:
    assert words(workload(queue_depth=16), 2.3) == (
        "read 1,000 IOPS, mean 1,000 µs; ONLY 2.3 OF 16 IN FLIGHT (the results are not valid for queue depth 16)"
    )


@pytest.mark.parametrize(
    ("asked", "achieved", "engine"),
    [
        (workload(queue_depth=16), 11.3, Engine.IO_URING),
        (workload(queue_depth=16), 0.0, Engine.NULL),
        (workload(queue_depth=16, burst_operations=64, think_ns=10**7), 1.0, Engine.IO_URING),
        (workload(queue_depth=1, read_percent=0, sync=Sync.FDATASYNC), 0.5, Engine.PSYNC),
        (workload(queue_depth=64, rate_per_s=1_000, arrivals="poisson"), 1.0, Engine.IO_URING),
    ],
)
def test_nothing_is_said_where_the_depth_was_reached_or_was_not_to_be_kept(
    asked: Workload, achieved: float, engine: Engine
) -> None:
    assert "IN FLIGHT" not in words(asked, achieved, engine)


AIM = Aim(precision_percent=5.0, budget_ns=420 * 10**9)
PLAN = campaign_plan(load_profile("lab"), TargetInfo(span_bytes=1 << 30, fill=False), quick=False, seed=3, aim=AIM)


def lab_clockwork() -> Clockwork:
    """The clockwork of a lab run of seven minutes on a real target."""
    return Clockwork(PLAN, PLAN.turns, virtual=False)


def test_a_first_turn_that_takes_long_to_load_does_not_make_seven_minutes_fourteen() -> None:
    clockwork = lab_clockwork()
    first, second, *_ = PLAN.turns
    assert clockwork.left_ns(first, 10.0) == 420 * 10**9
    left_ns = clockwork.left_ns(second, 10.5)
    assert left_ns is not None
    assert 420 * 10**9 < left_ns < 460 * 10**9


def test_turns_that_take_longer_all_along_make_what_is_left_longer() -> None:
    clockwork = lab_clockwork()
    clockwork.left_ns(PLAN.turns[0], 10.0)
    planned_s = clockwork.done_ns(PLAN.turns[200]) / 10**9
    left_ns = clockwork.left_ns(PLAN.turns[200], 10.0 + 2 * planned_s)
    assert left_ns is not None
    assert left_ns == pytest.approx(2 * (420 - planned_s) * 10**9, rel=0.1)


def test_how_far_a_run_is_says_trials_that_are_done_of_how_many_and_the_time_left() -> None:
    clockwork, first = lab_clockwork(), PLAN.turns[0]
    planned = len(PLAN.turns)
    assert clockwork.words(first, 10.0) == f"0 of at least {planned} trials, at most 7 min 00 s left"
    assert clockwork.words(first, 11.0, over=True).startswith(f"1 of at least {planned} trials, at most ")


def test_of_a_fixed_number_of_trials_it_is_known_how_many_there_will_be() -> None:
    plan = campaign_plan(load_profile("lab"), TargetInfo(span_bytes=1 << 30, fill=False), quick=True, seed=3)
    clockwork = Clockwork(plan, plan.turns, virtual=False)
    assert clockwork.words(plan.turns[6], 10.0).startswith(f"6 of {len(plan.turns)} trials, ")
    assert "at most" not in clockwork.words(plan.turns[6], 10.0)


def test_more_trials_than_were_planned_first_are_counted_only() -> None:
    last = PLAN.turns[-1]
    clockwork = lab_clockwork()
    more = last.model_copy(update={"order": last.order + 5, "repeat": last.repeat + 1})
    assert clockwork.words(more, 10.0, over=True).startswith(f"{last.order + 5} trials, at most ")


def test_nothing_is_said_of_the_time_of_simulated_drives_before_it_is_known() -> None:
    clockwork = Clockwork(PLAN, PLAN.turns, virtual=True)
    assert clockwork.words(PLAN.turns[0], 10.0, over=True) == f"1 of at least {len(PLAN.turns)} trials"
    assert clockwork.words(PLAN.turns[1], 10.5, over=True).endswith(" left")


def test_the_running_figures_say_what_they_are_and_of_what() -> None:
    totals = {Operation.READ: totals_of([100_000] * 700), Operation.WRITE: totals_of([300_000] * 300)}
    interval = interval_record(0, totals)
    assert live_figures(interval) == "read + write 2,000 IOPS, mean 160 µs in the last 500 ms"
