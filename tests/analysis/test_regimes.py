"""The throughput regimes of a repeat."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from iosonde.analysis.regimes import Regime, regimes_of, stalls_of
from iosonde.records import CellRecord, Operation
from iosonde.units import SECOND_NS
from tests.builders import cell_plan, cell_record, interval_record, no_operations, totals_of, workload


def course(counts: Sequence[int]) -> CellRecord:
    """A repeat with these numbers of reads in intervals of half a second."""
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


def in_steps(counts: Sequence[int], every_ns: int) -> CellRecord:
    """A repeat with these numbers of reads in intervals of ``every_ns``."""
    record = course(counts)
    shorter = tuple(
        replace(each, start_ns=index * every_ns, end_ns=(index + 1) * every_ns)
        for index, each in enumerate(record.intervals)
    )
    return record.model_copy(update={"intervals": shorter})


def test_a_stall_of_a_tenth_of_a_second_is_a_stall_and_no_regime() -> None:
    record = in_steps([160] * 20 + [0] * 7 + [160] * 33, 17_000_000)
    assert len(regimes_of(record)) == 1
    [stall] = stalls_of(record)
    assert (stall.start_ns, stall.end_ns, stall.iops) == (340_000_000, 459_000_000, 0.0)


def test_a_stall_that_is_most_of_a_short_repeat_is_one_as_well() -> None:
    [stall] = stalls_of(in_steps([500, 0, 0, 0, 0], 100_000_000))
    assert (stall.start_ns, stall.end_ns) == (100_000_000, 500_000_000)


@pytest.mark.parametrize("every_ms", [10, 40])
def test_a_level_has_to_last_a_second_however_short_the_intervals_are(every_ms: int) -> None:
    lasting = in_steps([400] * 120 + [200] * 120, every_ms * 1_000_000)
    assert len(regimes_of(lasting)) == 2
    passing = in_steps([400] * 20 + [200] * 20 + [400] * 20, every_ms * 1_000_000)
    assert len(regimes_of(passing)) == 1


def test_a_level_that_comes_back_behind_a_stall_is_the_same_regime() -> None:
    record = in_steps([400] * 100 + [10] * 9 + [400] * 100, 50_000_000)
    assert [(each.start_ns, each.end_ns) for each in regimes_of(record)] == [(0, 209 * 50_000_000)]
    assert len(stalls_of(record)) == 1


def test_another_level_behind_a_stall_is_another_regime() -> None:
    record = in_steps([400] * 100 + [0] * 9 + [200] * 100, 50_000_000)
    assert [round(each.iops, -2) for each in regimes_of(record)] == [7_300.0, 4_000.0]


def test_a_standstill_of_seconds_is_a_regime_and_no_stall() -> None:
    assert stalls_of(course([100] * 30 + [0] * 10 + [50] * 30)) == ()


def test_a_pause_of_a_few_milliseconds_is_the_kernel_s_and_no_stall() -> None:
    assert stalls_of(in_steps([160] * 20 + [0] * 6 + [160] * 34, 1_500_000)) == ()
    assert len(stalls_of(in_steps([160] * 20 + [0] * 7 + [160] * 33, 1_500_000))) == 1


def test_stalls_at_either_end_are_seen_and_so_are_several() -> None:
    record = in_steps([0] * 7 + [160] * 20 + [3] * 6 + [160] * 20 + [0] * 7, 17_000_000)
    assert [each.start_ns // 17_000_000 for each in stalls_of(record)] == [0, 27, 53]
