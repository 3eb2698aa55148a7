"""Where a series settles."""

import numpy as np
import pytest
from numpy.typing import NDArray

from iosonde.analysis.series import find_warm_up, geweke
from tests.analysis.series.noise import autoregressive


def agrees(series: NDArray[np.float64]) -> bool:
    """Whether Geweke's test finds no drift after the cut, which is true for 99 of 100 settled series."""
    distance = geweke(series[find_warm_up(series) :])
    return distance is None or abs(distance) <= 2.58


@pytest.mark.parametrize("seed", range(5))
def test_a_decaying_start_is_cut_off_and_little_more(seed: int) -> None:
    decay = 30.0 * np.exp(-np.arange(600) / 20)
    series = 100.0 + decay + autoregressive(600, 0.3, seed)
    cut = find_warm_up(series)
    # After three time constants, 5 % of the initial offset is left: 1.5, with noise of standard deviation 1.
    assert 40 <= cut <= 140, cut
    assert agrees(series)


def test_a_settled_series_is_kept_almost_whole() -> None:
    cuts = [find_warm_up(100.0 + autoregressive(600, 0.3, seed)) for seed in range(40)]
    assert np.median(cuts) <= 60


def test_a_series_that_moves_to_its_end_is_cut_in_its_last_half() -> None:
    assert find_warm_up(np.linspace(100.0, 200.0, 600) + autoregressive(600, 0.3, seed=3)) > 300


def test_a_step_is_cut_off_where_it_is() -> None:
    step = np.where(np.arange(600) < 400, 200.0, 100.0)
    assert 400 <= find_warm_up(step + autoregressive(600, 0.3, seed=4)) <= 420


def test_the_second_opinion_sees_a_drift_that_the_cut_leaves() -> None:
    slow = 3.0 * np.exp(-np.arange(2000) / 1500)
    found = [geweke(100.0 + slow + autoregressive(2000, 0.0, seed)) for seed in range(10)]
    assert sum(each is not None and each > 3.29 for each in found) >= 8


@pytest.mark.parametrize("length", [60, 300, 1200])
@pytest.mark.parametrize(("persistence", "most"), [(0.0, 2), (0.3, 4), (0.6, 7)])
def test_the_second_opinion_speaks_of_short_series_and_seldom_cries_wolf(
    length: int, persistence: float, most: int
) -> None:
    found = [geweke(100.0 + autoregressive(length, persistence, seed)) for seed in range(400)]
    known = [each for each in found if each is not None]
    assert len(known) >= 0.9 * len(found)
    assert sum(abs(each) > 3.29 for each in known) <= most


def test_the_second_opinion_seldom_doubts_what_the_cut_leaves_of_a_settled_series() -> None:
    doubted = sum(not agrees(autoregressive(1200, 0.5, seed)) for seed in range(100))
    assert doubted <= 8


def test_a_burst_at_the_start_is_seen_beside_a_restless_rest() -> None:
    rest = 100.0 + autoregressive(58, 0.6, seed=5)
    distance = geweke([300.0, 280.0, *rest])
    assert distance is not None
    assert distance > 3.29


def test_another_start_than_a_constant_rest_is_seen() -> None:
    assert geweke([200.0] * 6 + [100.0] * 54) == 38.0
    assert geweke([100.0] * 60) == 0.0


def test_a_short_series_is_taken_whole() -> None:
    assert find_warm_up([9.0, 1.0, 1.0, 1.0]) == 0
    assert geweke([9.0, 1.0, 1.0, 1.0]) is None
