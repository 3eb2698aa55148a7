"""A mean over repeats and Student's t interval around it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from iosonde.analysis.estimate import RATIO_MAX, Level, Own, estimate, student_t

values = st.lists(st.floats(min_value=1.0, max_value=1e9), min_size=2, max_size=30)


@settings(deadline=None)
@given(values)
def test_the_interval_is_students_t_as_scipy_gives_it_on_logarithms(sample: list[float]) -> None:
    found = estimate(sample)
    assert found is not None
    mean, error = float(np.mean(sample)), float(np.std(sample, ddof=1) / np.sqrt(len(sample)))
    reach = float(stats.t.ppf(0.975, len(sample) - 1)) * error / mean
    assert found.mean == pytest.approx(mean)
    assert found.standard_error == pytest.approx(error, abs=1e-9 * mean)
    if found.low is None or found.high is None:
        assert reach > np.log(RATIO_MAX)
    else:
        assert found.low == pytest.approx(mean * np.exp(-reach), rel=1e-6)
        assert found.high == pytest.approx(mean * np.exp(reach), rel=1e-6)


@settings(deadline=None)
@given(values, st.lists(st.floats(min_value=0.1, max_value=100.0), min_size=30, max_size=30))
def test_no_bound_is_negative_and_none_is_further_off_than_by_a_factor_of_two(
    sample: list[float], lengths: list[float]
) -> None:
    own = [Own(value / 10, 40.0) for value in sample]
    found = estimate(sample, lengths[: len(sample)], own)
    assert found is not None
    if found.low is not None and found.high is not None:
        assert found.mean / RATIO_MAX <= found.low * 1.000001
        assert 0 < found.low <= found.mean <= found.high <= found.mean * RATIO_MAX * 1.000001


def test_an_interval_that_would_establish_nothing_is_not_given() -> None:
    found = estimate([2000.0, 6000.0, 11_000.0])
    assert found is not None
    assert (found.low, found.high, found.half_width) == (None, None, None)
    assert found.standard_error is not None


@pytest.mark.parametrize("degrees", [*range(1, 40), 99, 100, 999])
def test_students_t_is_as_scipy_gives_it(degrees: int) -> None:
    assert student_t(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-9)


def test_a_worked_example_of_three_repeats() -> None:
    found = estimate([99.0, 100.0, 101.0])
    assert found is not None
    assert (found.mean, found.standard_deviation, found.repeats) == (100.0, 1.0, 3)
    assert found.half_width == pytest.approx(2.484, abs=0.001)
    assert found.degrees_of_freedom == 2


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


def test_repeats_weigh_by_their_length_where_only_their_own_unrest_makes_them_differ() -> None:
    # The standard error is 4 / sqrt(length): the variance within repeats is the same per second.
    found = estimate([100.0, 101.0], [3.0, 1.0], [Own(4.0 / np.sqrt(3), 40.0), Own(4.0, 40.0)])
    assert found is not None
    assert found.weights == pytest.approx((0.75, 0.25))
    assert found.mean == pytest.approx(100.25)
    assert (found.level, found.between_share) == (Level.WITHIN, 0.0)


def test_repeats_weigh_alike_where_they_truly_differ_however_long_each_was() -> None:
    found = estimate([80.0, 100.0, 120.0, 90.0], [1.0, 100.0, 1.0, 1.0], [Own(0.01, 40.0)] * 4)
    assert found is not None
    assert found.weights == pytest.approx((0.25,) * 4, rel=0.01)
    assert found.level is Level.REPEATS
    assert found.between_share == pytest.approx(1.0, abs=0.01)


def test_a_repeat_does_not_weigh_less_for_being_restless() -> None:
    # A stall lowers a repeat's throughput and raises its own error. Weights by that error would hide it in the mean.
    own = [Own(0.1, 40.0), Own(0.1, 40.0), Own(30.0, 40.0)]
    found = estimate([100.0, 100.1, 60.0], [1.0, 1.0, 1.0], own)
    assert found is not None
    assert found.weights == pytest.approx((1 / 3,) * 3)


def test_the_weights_of_another_figure_are_kept() -> None:
    found = estimate([100.0, 110.0], weights=[0.75, 0.25])
    assert found is not None
    assert (found.mean, found.weights) == (102.5, (0.75, 0.25))


def test_equal_lengths_change_nothing() -> None:
    found, same = estimate([99.0, 100.0, 104.0], [5.0, 5.0, 5.0]), estimate([99.0, 100.0, 104.0])
    assert found is not None
    assert found == same


def covered(random: np.random.Generator, lengths: list[float], ratio: float) -> float:
    """The coverage of the intervals. Standard deviations: 1 / sqrt(length) within repeats, ``ratio`` between them."""
    held = 0
    for _ in range(3000):
        errors = [1 / np.sqrt(each) for each in lengths]
        sample = [100 + random.normal(0, ratio) + random.normal(0, error) for error in errors]
        own = [Own(error * np.sqrt(random.chisquare(29) / 29), 40.0) for error in errors]
        found = estimate(sample, lengths, own)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 100 <= found.high
    return held / 3000


@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("lengths", [[1.0] * 6, [1.0] * 6 + [3.0] * 3], ids=["equal", "unequal"])
def test_intervals_hold_whatever_share_of_the_spread_lies_between_repeats(lengths: list[float], ratio: float) -> None:
    seed = 30 + round(10 * ratio) + len(lengths)
    found = covered(np.random.default_rng(seed), lengths, ratio)
    assert 0.935 < found < 0.98, (seed, found)


def test_repeats_that_agree_by_chance_get_the_interval_of_the_variation_within_them() -> None:
    found = estimate([100.0, 100.1, 99.9], own=[Own(2.0, 40.0)] * 3)
    assert found is not None
    assert (found.level, found.degrees_of_freedom) == (Level.WITHIN, 3 * 29)
    # The mean of three values with a standard error of 2 each.
    assert found.standard_error == pytest.approx(2 / np.sqrt(3))


def test_repeats_that_differ_more_than_each_by_itself_explains_get_the_interval_of_their_spread() -> None:
    found, plain = estimate([90.0, 100.0, 110.0], own=[Own(0.1, 40.0)] * 3), estimate([90.0, 100.0, 110.0])
    assert found is not None
    assert plain is not None
    assert found.level is Level.REPEATS
    assert found.degrees_of_freedom == pytest.approx(2.0, rel=0.01)
    assert found.half_width == pytest.approx(plain.half_width, rel=0.01)


def test_more_that_is_known_never_takes_an_interval_away() -> None:
    plain, told = estimate([99.0, 100.0, 101.0]), estimate([99.0, 100.0, 101.0], own=[Own(1.0, 3.0)] * 3)
    assert plain is not None
    assert told is not None
    assert plain.half_width is not None
    assert told.half_width is not None


def test_a_repeat_that_says_nothing_of_itself_is_taken_for_as_restless_as_the_others() -> None:
    found = estimate([99.0, 100.0, 101.0], own=[Own(50.0, 40.0), None, Own(50.0, 40.0)])
    assert found is not None
    assert found.level is Level.WITHIN
    assert found.standard_error == pytest.approx(50 / np.sqrt(3))


def test_an_interval_that_was_looked_at_before_is_wider_where_repeats_differ_and_only_there() -> None:
    sample, still, restless = [95.0, 100.0, 104.0, 101.0], [Own(0.1, 40.0)] * 4, [Own(20.0, 40.0)] * 4
    for own, is_wider in ((still, True), (restless, False)):
        first, again = estimate(sample, own=own), estimate(sample, own=own, looked=True)
        assert first is not None
        assert again is not None
        assert first.half_width is not None
        assert again.half_width is not None
        assert (again.half_width > first.half_width) is is_wider
