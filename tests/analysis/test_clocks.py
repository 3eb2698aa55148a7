"""The drift of the engine's clock against the hardware clock."""

from typing import Any

import pytest

from iosonde.analysis.clocks import drift_ppm, largest_drift_ppm
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
    assert drift_ppm(measured(SECOND_NS // 8, SECOND_NS // 8 + 250_000)) is None
    assert drift_ppm(measured(SECOND_NS, SECOND_NS, clock_end=None)) is None


def test_short_measurements_tell_together_what_none_tells_alone() -> None:
    eighth_ns = SECOND_NS // 8
    late = measured(eighth_ns, eighth_ns + 250_000)
    assert largest_drift_ppm([late, *[measured(eighth_ns, eighth_ns)] * 9]) == pytest.approx(-200.0)
    assert largest_drift_ppm([late]) is None


def test_the_furthest_drift_is_that_of_one_long_measurement_as_well() -> None:
    found = [measured(SECOND_NS, SECOND_NS + each) for each in (10_000, -60_000, 20_000)]
    assert largest_drift_ppm(found) == pytest.approx(60.0)
