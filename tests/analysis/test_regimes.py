"""The levels of throughput that a repeat went through."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.regimes import Regime, regimes_of
from iosonde.records import CellRecord, Operation
from iosonde.units import SECOND_NS
from tests.builders import cell_plan, cell_record, interval_record, no_operations, totals_of, workload


def course(counts: Sequence[int]) -> CellRecord:
    """A repeat that completed so many reads in each half second."""
    totals = [totals_of([100_000] * count) if count else no_operations() for count in counts]
    intervals = tuple(interval_record(index, {Operation.READ: each}) for index, each in enumerate(totals))
    return cell_record(cell_plan(workload()), {}, intervals=intervals)


def test_a_repeat_that_keeps_its_level_has_one_regime() -> None:
    assert regimes_of(course([80, 82] * 10)) == (Regime(0, 10 * SECOND_NS, 162.0),)


@pytest.mark.parametrize("factor", [0.25, 0.7, 2.0])
def test_behind_a_step_stands_its_level_with_the_time_at_which_it_began(factor: float) -> None:
    before, behind = regimes_of(course([400] * 10 + [round(400 * factor)] * 20))
    assert (before.start_ns, before.end_ns, before.iops) == (0, 5 * SECOND_NS, 800.0)
    assert (behind.start_ns, behind.end_ns, behind.iops) == (5 * SECOND_NS, 15 * SECOND_NS, 800.0 * factor)


def test_a_standstill_is_a_regime_without_operations() -> None:
    levels = [each.iops for each in regimes_of(course([100] * 30 + [0] * 10 + [50] * 30))]
    assert levels == [200.0, 0.0, 100.0]


def test_a_repeat_without_intervals_has_no_regime() -> None:
    assert regimes_of(course([])) == ()
