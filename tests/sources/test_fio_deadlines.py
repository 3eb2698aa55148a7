"""A fio that does not exit, or transfers nothing, is stopped after a time limit, not after a number of polls."""

import sys

import pytest

from iosonde.records import CellTurn, ClockPair, Timing
from iosonde.sources.fio.assemble import Measured
from iosonde.sources.fio.collecting import JOB_SLACK_S, STILL_S_MAX, Collecting
from iosonde.sources.fio.process import FioProcess
from iosonde.units import SECOND_NS
from tests.builders import TIMING, cell_plan, fio_facts, workload

AMOUNT = Timing(warmup_ns=0, measure_ns=0, interval_ns=SECOND_NS, amount_bytes=1 << 30)


@pytest.mark.parametrize(
    ("timing", "after_s", "said"),
    [
        (
            TIMING,
            TIMING.lasts_ns / SECOND_NS + JOB_SLACK_S,
            "fio did not exit within 60 s after the end of its run time",
        ),
        (AMOUNT, STILL_S_MAX, "fio completed no operations for 60.0 s"),
    ],
    ids=["timed", "with an amount"],
)
def test_it_is_given_up_when_its_time_is_over_and_not_before(timing: Timing, after_s: float, said: str) -> None:
    looks = 0

    def now_ns() -> int:
        # The clock stands still until the third poll, and is then an hour past the limit.
        return 0 if looks < 3 else round((after_s + 3600) * SECOND_NS)

    def changed() -> None:
        nonlocal looks
        looks += 1

    plan = cell_plan(workload(), timing=timing)
    clock = ClockPair(engine_ns=0, wall_ns=0, raw_ns=0)
    turn = CellTurn(order=1, cell=plan.cell, repeat=0, seed=1)
    measured = Measured(plan, turn, fio_facts(), clock)
    process = FioProcess([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        Collecting(process, measured, lambda _: None, changed, now_ns).run()
    finally:
        process.end()
    assert looks == 3
    assert measured.broken is not None
    assert (measured.broken.kind, measured.broken.message) == ("stuck", said)
    assert process.has_ended
