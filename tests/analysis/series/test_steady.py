"""Whether rounds have become steady."""

from dataclasses import replace

import pytest

from iosonde.analysis.series import SNIA, SteadyRule, fio_deviation, fio_slope, judge_steadiness
from iosonde.analysis.target_state import RULES


def test_rounds_are_steady_at_the_last_one_of_the_first_window_that_holds() -> None:
    found = judge_steadiness({"iops": [900, 700, 520, 505, 500, 498, 502, 500]}, SNIA)
    assert (found.reached, found.left, found.holds) == (7, None, True)


def test_a_slope_within_the_range_is_not_steady() -> None:
    # The range is 16 % of the mean (limit 20 %), but so is the change of the best-fit line (limit 10 %).
    assert judge_steadiness({"iops": [108, 104, 100, 96, 92]}, SNIA).reached is None


def test_a_range_without_a_slope_is_not_steady() -> None:
    assert judge_steadiness({"iops": [112, 88, 100, 88, 112]}, SNIA).reached is None


def test_every_variable_has_to_hold() -> None:
    steady = [100.0] * 6
    moving = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert judge_steadiness({"iops": steady}, SNIA).reached == 5
    assert judge_steadiness({"iops": steady, "latency": moving}, SNIA).reached is None


def test_steady_rounds_can_be_left_again() -> None:
    found = judge_steadiness({"iops": [100.0] * 6 + [60.0] + [59.0] * 6}, SNIA)
    assert (found.reached, found.left, found.holds) == (5, 7, False)


def test_too_few_rounds_are_not_steady() -> None:
    found = judge_steadiness({"iops": [100.0] * 4}, SNIA)
    assert (found.rounds, found.reached) == (4, None)


@pytest.mark.parametrize(
    ("values", "rule", "steady"),
    [
        ([100, 109, 91, 100], fio_deviation(4, 0.1), True),
        ([100, 111, 89, 100], fio_deviation(4, 0.1), False),
        # fio's slope is the change per check, so a window of 10 may change by nine times the limit.
        ([100, 101, 102, 103], fio_slope(4, 0.01), True),
        ([100, 102, 104, 106], fio_slope(4, 0.01), False),
    ],
)
def test_the_criteria_of_fio_ask_what_fio_asks(values: list[float], rule: SteadyRule, steady: bool) -> None:
    assert (judge_steadiness({"iops": values}, rule).reached is not None) is steady


def test_no_two_criteria_ask_the_same() -> None:
    asked = [replace(rule, name="") for rule in RULES]
    assert all(rule not in asked[:number] for number, rule in enumerate(asked))


def test_rounds_without_any_work_are_equal() -> None:
    assert judge_steadiness({"iops": [0.0] * 5}, SNIA).reached == 5
