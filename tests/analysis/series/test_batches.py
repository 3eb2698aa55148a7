"""The confidence interval of the mean of a correlated series."""

import numpy as np
import pytest
from scipy.stats import binom

from iosonde.analysis.series import batch_means
from tests.analysis.series.noise import autoregressive

SERIES = 400


@pytest.mark.parametrize("persistence", [0.0, 0.5, 0.8, 0.95])
def test_the_interval_covers_the_mean_of_a_dependent_series_as_often_as_it_says(persistence: float) -> None:
    found = [batch_means(10.0 + autoregressive(3600, persistence, seed)) for seed in range(SERIES)]
    given = [each for each in found if each is not None and each.half_width is not None]
    covered = sum(abs(each.mean - 10.0) <= (each.half_width or 0.0) for each in given)
    assert len(given) >= 0.95 * SERIES, "the others are worth too little by their own account"
    # The promised coverage is 92 to 98 %. Over 400 series, the observed one has a standard deviation of 1.1 %.
    assert binom.cdf(covered, len(given), 0.92) > 0.001, covered
    assert binom.sf(covered - 1, len(given), 0.98) > 0.001, covered


def test_independent_values_count_in_full() -> None:
    found = batch_means(autoregressive(3000, 0.0, seed=1))
    assert found is not None
    assert found.effective > 1500


def test_dependent_values_count_for_as_many_as_they_are_worth() -> None:
    # The mean of n values of an AR(1) series is as precise as that of n (1 - phi) / (1 + phi) independent values.
    worth = [found.effective for seed in range(40) if (found := batch_means(autoregressive(3600, 0.9, seed)))]
    assert np.median(worth) == pytest.approx(3600 / 19, rel=0.25)


def test_a_series_worth_fewer_than_thirty_values_gets_no_interval() -> None:
    found = batch_means(autoregressive(300, 0.95, seed=2))
    assert found is not None
    assert found.half_width is None
    assert found.effective < 30


def test_fewer_values_than_batches_get_a_mean_and_no_interval() -> None:
    found = batch_means([1.0, 2.0, 3.0])
    assert found is not None
    assert (found.mean, found.half_width) == (2.0, None)


def test_a_constant_series_is_known_exactly() -> None:
    found = batch_means([5.0] * 90)
    assert found is not None
    assert (found.mean, found.half_width) == (5.0, 0.0)


def test_an_empty_series_has_no_mean() -> None:
    assert batch_means([]) is None


def test_what_differs_in_the_arithmetic_alone_is_known_for_certain() -> None:
    values = [1.0 + 1e-13 * (place // 40 % 2) for place in range(600)]
    found = batch_means(values)
    assert found is not None
    assert (found.error, found.effective) == (0.0, 600.0)


def test_differences_are_judged_by_how_large_the_numbers_were_that_they_are_of() -> None:
    differences = [1e-8 * (-1) ** (place // 40) for place in range(600)]
    found, of_large = batch_means(differences), batch_means(differences, scale=100_000.0)
    assert found is not None
    assert of_large is not None
    assert found.error
    assert of_large.error == 0.0
