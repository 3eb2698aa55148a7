"""Where a series settles."""

import numpy as np
import pytest

from iosonde.analysis.series import find_warm_up
from tests.analysis.series.noise import autoregressive


@pytest.mark.parametrize("seed", range(5))
def test_a_decaying_start_is_cut_off_and_little_more(seed: int) -> None:
    decay = 30.0 * np.exp(-np.arange(600) / 20)
    found = find_warm_up(100.0 + decay + autoregressive(600, 0.3, seed))
    # After three time constants a twentieth of the start is left: 1.5 of a noise of 1.
    assert 40 <= found.cut <= 140, found
    assert found.settled
    assert found.agrees


def test_a_settled_series_is_kept_almost_whole() -> None:
    cuts = [find_warm_up(100.0 + autoregressive(600, 0.3, seed)).cut for seed in range(40)]
    assert np.median(cuts) <= 60


def test_a_series_that_moves_to_its_end_has_not_settled() -> None:
    assert not find_warm_up(np.linspace(100.0, 200.0, 600) + autoregressive(600, 0.3, seed=3)).settled


def test_a_step_behind_the_middle_means_that_it_has_not_settled() -> None:
    step = np.where(np.arange(600) < 400, 200.0, 100.0)
    assert not find_warm_up(step + autoregressive(600, 0.3, seed=4)).settled


def test_the_second_opinion_sees_a_drift_that_the_cut_leaves() -> None:
    slow = 3.0 * np.exp(-np.arange(2000) / 1500)
    opinions = [find_warm_up(100.0 + slow + autoregressive(2000, 0.0, seed)) for seed in range(10)]
    assert sum(not each.settled or not each.agrees for each in opinions) >= 8


def test_the_second_opinion_seldom_doubts_a_settled_series() -> None:
    doubted = sum(not find_warm_up(autoregressive(1200, 0.5, seed)).agrees for seed in range(100))
    assert doubted <= 8


def test_a_short_series_is_taken_whole() -> None:
    found = find_warm_up([9.0, 1.0, 1.0, 1.0])
    assert (found.cut, found.settled, found.geweke) == (0, True, None)
