"""Which repeats of a cell are used, and why others are discarded."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from iosonde.analysis.states import Repeats, failed_repeats, sort_repeats
from iosonde.records import CellRecord, Neighbour, Operation, Outcome, WithinRepeat
from iosonde.vocabulary import DiscardReason
from tests.builders import cell_plan, cell_record, cpu_use, silent_repeat, totals_of, workload

SETTLED = WithinRepeat(
    throughput_error=0.01,
    latency_error=0.01,
    beyond_error=None,
    effective=60.0,
    correlation=0.0,
    warm_up_ns=0,
    settled=True,
    geweke=None,
)
UNSETTLED = SETTLED.model_copy(update={"settled": False})
MOVING = SETTLED.model_copy(update={"settled": False, "geweke": 4.0})
STILL = SETTLED.model_copy(update={"geweke": 0.5})
BESIDE = (Neighbour(process=1, device="sda"),)


def repeat(number: int, count: float, within: WithinRepeat | None = SETTLED, **others: Any) -> CellRecord:
    operations = {Operation.READ: totals_of([10**6] * round(count))}
    return cell_record(cell_plan(workload()), operations, repeat=number, within=within, **others)


def sorted_of(counts: Sequence[float]) -> Repeats:
    return sort_repeats([repeat(number, count) for number, count in enumerate(counts, 1)])


def test_repeats_of_one_state_are_all_used() -> None:
    found = sorted_of([1000, 1010, 990, 1005, 995])
    assert (len(found.used), found.unsettled, found.early) == (5, (), ())


def test_first_repeats_in_another_state_are_left_out() -> None:
    found = sorted_of([3000, 2900, 1000, 1010, 990, 1005])
    assert [record.repeat for record in found.early] == [1, 2]
    assert [record.repeat for record in found.used] == [3, 4, 5, 6]


def test_a_slow_start_is_another_state_as_well() -> None:
    assert [record.repeat for record in sorted_of([300, 1000, 1010, 990, 1005]).early] == [1]


def test_a_repeat_in_which_nothing_completed_is_used_beside_others_in_which_something_did() -> None:
    plan = cell_plan(workload())
    found = sort_repeats([repeat(1, 1000), silent_repeat(plan, 2), repeat(3, 990)])
    assert [record.repeat for record in found.used] == [1, 2, 3]
    assert set(found.fates.values()) == {DiscardReason.USED}
    assert not failed_repeats([repeat(1, 1000), silent_repeat(plan, 2)])


def test_a_cell_of_which_no_repeat_completed_anything_has_failed() -> None:
    records = [silent_repeat(cell_plan(workload()), number) for number in (1, 2)]
    found = sort_repeats(records)
    assert not found.used
    assert set(found.fates.values()) == {DiscardReason.FAILED}
    assert failed_repeats(records) == records


def test_another_cell_s_answers_do_not_excuse_a_silent_one() -> None:
    silent = silent_repeat(cell_plan(workload(queue_depth=64)), 2)
    assert failed_repeats([repeat(1, 1000), silent]) == [silent]


def test_a_change_of_state_needs_four_repeats_behind_it() -> None:
    assert not sorted_of([3000, 1000, 1010, 990]).early


def test_a_difference_below_five_percent_is_none() -> None:
    assert not sorted_of([1040, 1000, 1001, 999, 1000]).early


def test_an_outlier_in_the_middle_is_no_state() -> None:
    assert not sorted_of([1000, 3000, 1010, 990, 1005]).early


def test_repeats_of_one_noisy_state_are_seldom_taken_for_two() -> None:
    random = np.random.default_rng(4)
    found = [sorted_of(random.normal(1000, 100, 5).tolist()) for _ in range(300)]
    assert not any(each.early for each in found)


def warmed(number: int, within: WithinRepeat, warmup_s: int = 1, **others: Any) -> CellRecord:
    timing = cell_plan(workload()).timing.model_copy(update={"warmup_ns": warmup_s * 10**9})
    return repeat(number, 1000 + number, within, timing=timing, **others)


def test_a_repeat_that_moved_by_itself_is_used() -> None:
    found = sort_repeats([repeat(1, 500, UNSETTLED), repeat(2, 1000), repeat(3, 1010), repeat(4, 990)])
    assert [record.repeat for record in found.used] == [1, 2, 3, 4]
    assert not found.warming_up


def test_repeats_that_moved_together_are_discarded_where_a_longer_warm_up_shows_none_of_that() -> None:
    short = [warmed(number, MOVING) for number in range(1, 5)]
    found = sort_repeats([*short, *(warmed(number, STILL, 2) for number in range(5, 9))])
    assert [record.repeat for record in found.unsettled] == [1, 2, 3, 4]
    assert [record.repeat for record in found.used] == [5, 6, 7, 8]
    assert not found.warming_up


def test_the_calm_ones_among_them_go_as_well_since_values_decide_nothing() -> None:
    short = [warmed(1, STILL), *(warmed(number, MOVING) for number in range(2, 6))]
    found = sort_repeats([*short, *(warmed(number, STILL, 2) for number in range(6, 10))])
    assert [record.repeat for record in found.unsettled] == [1, 2, 3, 4, 5]


def test_a_cell_whose_longest_warm_up_is_too_short_says_so_and_keeps_its_repeats() -> None:
    found = sort_repeats([warmed(number, MOVING) for number in range(1, 7)])
    assert len(found.used) == 6
    assert found.warming_up


def test_starts_that_move_to_both_sides_are_no_warm_up() -> None:
    down = MOVING.model_copy(update={"geweke": -4.0})
    found = sort_repeats([warmed(number, MOVING if number % 2 else down) for number in range(1, 7)])
    assert not found.warming_up


def test_contaminated_repeats_are_discarded_and_clean_ones_that_moved_are_not() -> None:
    clean = [repeat(1, 48_600 // 10, UNSETTLED), repeat(4, 26_000 // 10, UNSETTLED), repeat(5, 3000)]
    beside = [repeat(number, 1890, neighbours=BESIDE) for number in (2, 3)]
    found = sort_repeats([*clean, *beside])
    assert [record.repeat for record in found.used] == [1, 4, 5]
    assert [record.repeat for record in found.contaminated] == [2, 3]


def test_two_clean_repeats_are_no_better_than_all_of_them() -> None:
    found = sort_repeats([repeat(1, 1000), repeat(2, 1001), *(repeat(each, 900, neighbours=BESIDE) for each in (3, 4))])
    assert len(found.used) == 4
    assert not found.discarded


def robbed(number: int, steal_ms: int, seconds: float = 1.0) -> CellRecord:
    """A repeat of one worker with this much steal time."""
    cpu = cpu_use().model_copy(update={"steal_ns": steal_ms * 10**6})
    return repeat(number, 1000, cpu=cpu, measured_ns=round(seconds * 10**9))


def test_a_repeat_whose_cpu_time_went_to_others_is_discarded_whatever_its_value() -> None:
    found = sort_repeats([robbed(1, 0), robbed(2, 200), robbed(3, 0), robbed(4, 20)])
    assert [record.repeat for record in found.of(DiscardReason.STEAL)] == [2]
    assert found.fates[2] is DiscardReason.STEAL
    assert [record.repeat for record in found.used] == [1, 3, 4]


def test_two_ticks_in_a_long_repeat_are_no_loss() -> None:
    assert not sort_repeats([robbed(1, 20, seconds=5), *(robbed(number, 0) for number in (2, 3, 4))]).discarded


def test_where_cpu_time_was_always_taken_nothing_is_left_out_for_it() -> None:
    found = sort_repeats([robbed(number, 200) for number in range(1, 5)] + [robbed(5, 0), robbed(6, 0)])
    assert len(found.used) == 6


def test_every_repeat_has_a_fate() -> None:
    records = [
        repeat(1, 1000),
        repeat(2, 1000, outcome=Outcome.CUT),
        repeat(3, 1000, outcome=Outcome.FAILED),
        repeat(4, 900, neighbours=BESIDE),
        repeat(5, 1000),
        repeat(6, 1000),
    ]
    fates = sort_repeats(records).fates
    assert [fates[record.order] for record in records] == [
        DiscardReason.USED,
        DiscardReason.INTERRUPTED,
        DiscardReason.FAILED,
        DiscardReason.CONTAMINATED,
        DiscardReason.USED,
        DiscardReason.USED,
    ]


def test_what_did_not_finish_is_no_repeat() -> None:
    found = sort_repeats([repeat(1, 1000), repeat(2, 1000, outcome=Outcome.CUT), repeat(3, 1000)])
    assert [record.repeat for record in found.used] == [1, 3]


def test_repeats_that_say_nothing_of_themselves_count_as_settled() -> None:
    assert len(sort_repeats([repeat(1, 1000, None), repeat(2, 1010, None)]).used) == 2
