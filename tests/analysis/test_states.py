"""Which repeats belong to the state that the target was left in."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from iosonde.analysis.states import Repeats, sort_repeats
from iosonde.records import CellRecord, Operation, Outcome, WithinRepeat
from tests.builders import cell_plan, cell_record, totals_of, workload

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
    assert [record.repeat for record in sorted_of([300, 1000, 1010, 990]).early] == [1]


def test_a_change_of_state_needs_three_repeats_behind_it() -> None:
    assert not sorted_of([3000, 1000, 1010]).early


def test_a_difference_below_five_percent_is_none() -> None:
    assert not sorted_of([1040, 1000, 1001, 999, 1000]).early


def test_an_outlier_in_the_middle_is_no_state() -> None:
    assert not sorted_of([1000, 3000, 1010, 990, 1005]).early


def test_repeats_of_one_noisy_state_are_seldom_taken_for_two() -> None:
    random = np.random.default_rng(4)
    found = [sorted_of(random.normal(1000, 100, 5).tolist()) for _ in range(300)]
    assert sum(bool(each.early) for each in found) <= 5


def test_repeats_that_had_not_settled_are_left_out() -> None:
    records = [repeat(1, 500, UNSETTLED), repeat(2, 1000), repeat(3, 1010)]
    found = sort_repeats(records)
    assert [record.repeat for record in found.used] == [2, 3]
    assert [record.repeat for record in found.unsettled] == [1]


def test_where_nearly_none_has_settled_all_are_used() -> None:
    found = sort_repeats([repeat(1, 500, UNSETTLED), repeat(2, 1000), repeat(3, 700, UNSETTLED)])
    assert len(found.used) == 3


def test_what_did_not_finish_is_no_repeat() -> None:
    found = sort_repeats([repeat(1, 1000), repeat(2, 1000, outcome=Outcome.CUT), repeat(3, 1000)])
    assert [record.repeat for record in found.used] == [1, 3]


def test_repeats_that_say_nothing_of_themselves_count_as_settled() -> None:
    assert len(sort_repeats([repeat(1, 1000, None), repeat(2, 1010, None)]).used) == 2
