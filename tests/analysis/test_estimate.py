"""A mean over repeats and Student's t interval around it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from iosonde.analysis.estimate import Level, Own, estimate, student_t

values = st.lists(st.floats(min_value=1.0, max_value=1e9), min_size=2, max_size=30)


@given(values)
def test_the_interval_is_students_t_as_scipy_gives_it(sample: list[float]) -> None:
    found = estimate(sample)
    assert found is not None
    mean, error = float(np.mean(sample)), float(np.std(sample, ddof=1) / np.sqrt(len(sample)))
    reach = float(stats.t.ppf(0.975, len(sample) - 1)) * error
    assert found.mean == pytest.approx(mean)
    assert found.low == pytest.approx(mean - reach, abs=1e-6 * mean)
    assert found.high == pytest.approx(mean + reach, abs=1e-6 * mean)


@pytest.mark.parametrize("degrees", [*range(1, 40), 99, 100, 999])
def test_students_t_is_as_scipy_gives_it(degrees: int) -> None:
    assert student_t(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-9)


def test_a_worked_example_of_three_repeats() -> None:
    found = estimate([99.0, 100.0, 101.0])
    assert found is not None
    assert (found.mean, found.standard_deviation, found.repeats) == (100.0, 1.0, 3)
    assert found.half_width == pytest.approx(2.484, abs=0.001)


def test_one_repeat_has_a_mean_and_no_interval() -> None:
    found = estimate([42.0])
    assert found is not None
    assert found.mean == 42.0
    assert (found.standard_deviation, found.low, found.high, found.half_width) == (None, None, None, None)


def test_without_repeats_there_is_no_estimate() -> None:
    assert estimate([]) is None


def test_the_interval_covers_the_truth_in_95_of_100_experiments() -> None:
    random = np.random.default_rng(20)
    found = [estimate(random.normal(100, 5, 3).tolist()) for _ in range(4000)]
    covered = sum(each.low <= 100 <= each.high for each in found if each and each.low and each.high)
    assert covered / 4000 == pytest.approx(0.95, abs=0.012)


def test_repeats_of_unequal_length_count_by_their_length() -> None:
    found = estimate([100.0, 110.0], weights=[3.0, 1.0])
    assert found is not None
    assert found.mean == 102.5


def test_equal_lengths_change_nothing() -> None:
    found, same = estimate([99.0, 100.0, 104.0], weights=[5.0, 5.0, 5.0]), estimate([99.0, 100.0, 104.0])
    assert found is not None
    assert same is not None
    assert (found.mean, found.low, found.high) == pytest.approx((same.mean, same.low, same.high))


def test_the_interval_of_repeats_of_unequal_length_covers_the_truth_in_95_of_100_experiments() -> None:
    random = np.random.default_rng(21)
    lengths = [1.0, 1.0, 1.0, 2.0, 4.0, 4.0]
    # The mean over a longer time strays less.
    found = [estimate([random.normal(100, 5 / np.sqrt(each)) for each in lengths], lengths) for _ in range(4000)]
    covered = sum(each.low <= 100 <= each.high for each in found if each and each.low and each.high)
    assert 0.925 < covered / 4000 < 0.965, covered


def test_repeats_that_agree_by_chance_get_the_interval_of_their_own_restlessness() -> None:
    found = estimate([100.0, 100.1, 99.9], own=[Own(2.0, 40.0)] * 3)
    assert found is not None
    assert found.level is Level.WITHIN
    # Three means, each with a standard error of 2.
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 3 * 29) * 2 / np.sqrt(3))


def test_repeats_that_differ_more_than_each_by_itself_explains_get_the_interval_of_their_spread() -> None:
    found, plain = estimate([90.0, 100.0, 110.0], own=[Own(0.1, 40.0)] * 3), estimate([90.0, 100.0, 110.0])
    assert found is not None
    assert plain is not None
    assert (found.level, found.half_width) == (Level.REPEATS, plain.half_width)


def test_fewer_than_thirty_independent_values_in_all_give_no_interval() -> None:
    found = estimate([99.0, 100.0, 101.0], own=[Own(1.0, 9.0)] * 3)
    assert found is not None
    assert (found.mean, found.low, found.high) == (100.0, None, None)


def test_a_repeat_that_says_nothing_of_itself_leaves_the_word_to_the_spread() -> None:
    found = estimate([99.0, 100.0, 101.0], own=[Own(50.0, 40.0), None, Own(50.0, 40.0)])
    assert found is not None
    assert found.level is Level.REPEATS
