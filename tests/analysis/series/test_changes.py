"""Where a series changes its level."""

import numpy as np
import pytest

from iosonde.analysis.series import find_changes
from iosonde.analysis.series.changes import STANDSTILL, find_jump
from tests.analysis.series.noise import autoregressive


@pytest.mark.parametrize(("length", "persistence"), [(20, 0.0), (60, 0.3), (120, 0.5), (600, 0.6), (3600, 0.6)])
def test_a_stationary_series_seldom_seems_to_change(length: int, persistence: float) -> None:
    series = (1000 * np.exp(0.1 * autoregressive(length, persistence, seed)) for seed in range(200))
    # The threshold allows false changes in 1 % of series. Seven or more of 200 occur in one of 200 such tests.
    assert sum(bool(find_changes(values)) for values in series) <= 7


@pytest.mark.parametrize("factor", [0.25, 0.7, 2.0])
@pytest.mark.parametrize("at", [10, 30, 85])
def test_a_step_is_found_where_it_is(at: int, factor: float) -> None:
    level = np.where(np.arange(100) < at, 1000.0, 1000.0 * factor)
    [change] = find_changes(level * np.exp(0.05 * autoregressive(100, 0.3, seed=5)))
    assert abs(change - at) <= 1


def test_two_steps_are_found_in_their_order() -> None:
    level = np.repeat([3000.0, 800.0, 500.0], [60, 120, 120])
    first, second = find_changes(level * np.exp(0.05 * autoregressive(300, 0.3, seed=6)))
    assert abs(first - 60) <= 1
    assert abs(second - 180) <= 2


@pytest.mark.parametrize("at", [5, 12, 20])
def test_a_sharp_fall_is_found_behind_which_the_level_still_moves(at: int) -> None:
    # A drive that starts garbage collection: its throughput slowly settles to a new level and oscillates around it.
    time = np.arange(60 - at)
    balance = 33_000 - 12_000 * np.exp(-time / 12) * np.cos(time / 5)
    level = np.concatenate([np.full(at, 98_000.0), balance])
    assert find_changes(level * np.exp(0.01 * autoregressive(60, 0.3, seed=7)))[0] == at


@pytest.mark.parametrize("seed", range(5))
def test_a_gradual_start_is_no_jump(seed: int) -> None:
    decay = 1000.0 + 2000.0 * np.exp(-np.arange(60) / 8)
    assert find_jump(np.log(decay * np.exp(0.01 * autoregressive(60, 0.3, seed)))) is None


def test_a_series_that_depends_on_itself_seldom_seems_to_jump() -> None:
    series = (1000 * np.exp(0.1 * autoregressive(60, 0.9, seed)) for seed in range(500))
    assert sum(find_jump(np.log(values)) is not None for values in series) <= 3


@pytest.mark.parametrize("operations", [0.5, 1.0, 6.0])
def test_a_few_operations_an_interval_are_seldom_taken_for_a_jump(operations: float) -> None:
    random = np.random.default_rng(8)
    counts = random.poisson(operations, (300, 60)).astype(np.float64)
    found = [find_jump(np.log(np.maximum(each, each.mean() * STANDSTILL))) for each in counts if each.any()]
    assert sum(each is not None for each in found) <= 3


def test_a_step_without_noise_is_found() -> None:
    assert find_changes([100.0] * 10 + [50.0] * 10) == (10,)


def test_a_step_of_less_than_a_twentieth_is_none() -> None:
    assert find_changes([100.0] * 50 + [103.0] * 50) == ()


def test_an_excursion_of_a_few_values_is_none() -> None:
    assert find_changes([100.0] * 40 + [60.0] * 2 + [100.0] * 40) == ()


def test_a_standstill_is_a_change_and_its_end_another() -> None:
    assert find_changes([100.0] * 30 + [0.0] * 10 + [50.0] * 30) == (30, 40)


@pytest.mark.parametrize("values", [[], [0.0] * 30, [5.0], [1.0, 2.0] * 3])
def test_nothing_and_too_little_have_no_changes(values: list[float]) -> None:
    assert find_changes(values) == ()
