"""What is said of a measurement as soon as it is over."""

import pytest

from iosonde.cli.progress import Clockwork, outcome_words
from iosonde.plans import Ground, campaign_plan, load_profile
from iosonde.records import Aim, Engine, Operation, Sync, Workload
from tests.builders import cell_plan, cell_record, engine_facts, totals_of, workload


def words(asked: Workload, achieved: float, engine: Engine = Engine.IO_URING) -> str:
    operation = Operation.READ if asked.read_percent else Operation.WRITE
    totals = {operation: totals_of([1_000_000] * 5_000)}
    record = cell_record(cell_plan(asked), totals, queue_depth_achieved=achieved, engine=engine_facts(engine))
    return outcome_words(record)


def test_a_depth_below_seven_tenths_is_said_while_the_run_goes_on() -> None:
    assert words(workload(queue_depth=16), 2.3) == (
        "read 1,000 IOPS 1,000 µs, ONLY 2.3 OF 16 IN FLIGHT (its figures are not those of depth 16)"
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
PLAN = campaign_plan(load_profile("lab"), Ground(span_bytes=1 << 30, fill=False), quick=False, seed=3, aim=AIM)


def lab_clockwork() -> Clockwork:
    """Of a lab run of seven minutes on a real target."""
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
