"""What is said of a measurement as soon as it is over."""

import pytest

from iosonde.cli.progress import outcome_words
from iosonde.records import Engine, Operation, Sync, Workload
from tests.builders import cell_plan, cell_record, engine_truth, totals_of, workload


def words(asked: Workload, achieved: float, engine: Engine = Engine.IO_URING) -> str:
    operation = Operation.READ if asked.read_percent else Operation.WRITE
    totals = {operation: totals_of([1_000_000] * 5_000)}
    record = cell_record(cell_plan(asked), totals, queue_depth_achieved=achieved, engine=engine_truth(engine))
    return outcome_words(record)


def test_a_depth_below_seven_tenths_is_said_while_the_run_goes_on() -> None:
    assert words(workload(queue_depth=16), 2.3) == (
        "read 1,000 IOPS 1,000 us, ONLY 2.3 OF 16 IN FLIGHT (its figures are not those of depth 16)"
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
