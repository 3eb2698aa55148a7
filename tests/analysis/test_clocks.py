"""How far the clock that measured was off."""

from typing import Any

import pytest

from iosonde.analysis.clocks import drift_ppm
from iosonde.records import CellRecord, ClockPair, Operation
from tests.builders import cell_plan, cell_record, totals_of, workload

SECOND_NS = 10**9


def measured(engine_ns: int, raw_ns: int, **others: Any) -> CellRecord:
    clocks = {
        "clock_start": ClockPair(engine_ns=5, wall_ns=10**18, raw_ns=7),
        "clock_end": ClockPair(engine_ns=5 + engine_ns, wall_ns=10**18 + engine_ns, raw_ns=7 + raw_ns),
    }
    plan = cell_plan(workload())
    return cell_record(plan, {Operation.READ: totals_of([1000] * 100)}, repeat=1, **(clocks | others))


def test_a_clock_that_counts_more_than_the_hardware_is_fast() -> None:
    assert drift_ppm(measured(SECOND_NS, SECOND_NS - 30_000)) == pytest.approx(30.0)
    assert drift_ppm(measured(SECOND_NS, SECOND_NS + 30_000)) == pytest.approx(-30.0)


def test_too_short_a_time_tells_nothing() -> None:
    assert drift_ppm(measured(SECOND_NS // 10, SECOND_NS // 10 + 100)) is None
    assert drift_ppm(measured(SECOND_NS, SECOND_NS, clock_end=None)) is None
