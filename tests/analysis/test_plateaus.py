"""The plateaus of a transfer over the bytes transferred."""

from collections.abc import Sequence

import numpy as np
import pytest

from iosonde.analysis.plateaus import Transfer, transfer_of
from tests.transfer_builder import MB, fill_plan, transfer_record

GB = 10**9


def transfer(rates: Sequence[float], **others: int) -> Transfer:
    return transfer_of(transfer_record(fill_plan(), rates, **others))


def noisy(*parts: tuple[float, int], spread: float = 0.02, seed: int = 1) -> list[float]:
    """Levels with their number of intervals, with noise."""
    level = np.concatenate([np.full(count, rate) for rate, count in parts])
    return list(level * np.exp(np.random.default_rng(seed).normal(0, spread, len(level))))


def test_a_cache_that_ends_gives_two_plateaus_with_intervals_that_hold_the_truth() -> None:
    first, second = transfer(noisy((2400, 30), (1060, 60))).plateaus
    assert first.low is not None
    assert first.high is not None
    assert first.low <= 2400 * MB * 1.005
    assert first.high >= 2400 * MB * 0.995
    assert second.bytes_per_s == pytest.approx(1060 * MB, rel=0.01)
    assert first.end_bytes == pytest.approx(7.2 * GB, rel=0.02)
    assert first.end_bytes_low <= 7.2 * GB <= first.end_bytes_high


def test_a_change_within_an_interval_is_interpolated() -> None:
    # The cache ends after three tenths of the 21st interval.
    rates = [2000.0] * 20 + [0.3 * 2000 + 0.7 * 500] + [500.0] * 40
    first, _ = transfer(rates).plateaus
    assert first.end_bytes == pytest.approx((20 + 0.3) * 0.2 * GB, rel=0.01)


def test_a_level_transfer_has_one_plateau() -> None:
    found = transfer(noisy((500, 200)))
    assert len(found.plateaus) == 1
    assert found.plateaus[0].is_flat
    assert found.mean_bytes_per_s == pytest.approx(500 * MB, rel=0.01)


def test_a_transfer_of_few_intervals_has_no_plateaus() -> None:
    found = transfer([2000.0] * 4 + [500.0] * 4)
    assert found.plateaus == ()
    assert found.bytes > 0


def test_outliers_and_a_short_stall_are_no_plateaus() -> None:
    rates = noisy((1000, 120))
    rates[10], rates[50], rates[90] = 3000.0, 20.0, 2500.0
    rates[60:67] = [30.0] * 7
    assert len(transfer(rates).plateaus) == 1


def test_levels_that_differ_by_less_than_a_tenth_are_one() -> None:
    assert len(transfer(noisy((1000, 60), (950, 60), spread=0.005)).plateaus) == 1


def test_a_restless_end_does_not_hide_the_end_of_a_cache() -> None:
    throttled = [(600.0, 10), (1500.0, 12)] * 12
    first, second, third = transfer(noisy((5200, 12), (1500, 60), *throttled)).plateaus
    assert (round(first.bytes_per_s / MB, -2), round(second.bytes_per_s / MB, -2)) == (5200, 1500)
    assert third.alternates == pytest.approx((600 * MB, 1500 * MB), rel=0.02)
    assert third.bytes_per_s == pytest.approx(MB * (600 * 10 + 1500 * 12) / 22, rel=0.05)


def test_a_first_interval_in_which_a_buffer_fills_is_not_part_of_the_mean() -> None:
    first, _ = transfer([3000.0] + [2000.0] * 20 + [500.0] * 40).plateaus
    assert first.bytes_per_s == pytest.approx(2000 * MB, rel=0.005)
    assert first.end_bytes == pytest.approx(4.3 * GB, rel=0.01)


def test_intervals_with_few_operations_are_joined() -> None:
    # Blocks of 1 MiB at 8 MB/s complete less than once in 100 ms.
    found = transfer([8.0] * 2000)
    assert all(point.operations >= 20 for point in found.points)
    assert len(found.plateaus) == 1


@pytest.mark.parametrize(("correlation", "most"), [(0.0, 3), (0.6, 8)])
def test_series_without_a_change_rarely_have_two_plateaus(correlation: float, most: int) -> None:
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(100):
        noise = random.normal(size=200)
        for index in range(1, 200):
            noise[index] = correlation * noise[index - 1] + (1 - correlation**2) ** 0.5 * noise[index]
        wrong += len(transfer(list(800 * np.exp(0.2 * noise))).plateaus) > 1
    assert wrong <= most


@pytest.mark.parametrize("seed", range(20))
def test_a_drop_by_a_third_in_noise_is_found_where_it_is(seed: int) -> None:
    found = transfer(noisy((900, 80), (600, 120), spread=0.1, seed=seed))
    assert len(found.plateaus) == 2
    assert found.plateaus[0].end_bytes == pytest.approx(7.2 * GB, rel=0.06)
