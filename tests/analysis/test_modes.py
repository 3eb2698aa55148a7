"""Two separate modes of a latency distribution."""

import numpy as np
import pytest

from iosonde.analysis.modes import two_modes
from tests.builders import histogram_of

US = 1_000


def test_two_clusters_are_found_with_their_medians_and_shares() -> None:
    found = two_modes(histogram_of([5 * US] * 300 + [6 * US] * 100 + [80 * US] * 500 + [90 * US] * 100))
    assert found is not None
    assert found.fast_share == pytest.approx(0.4)
    assert found.fast_ns == pytest.approx(5 * US, rel=0.01)
    assert found.slow_ns == pytest.approx(80 * US, rel=0.01)


def test_a_few_operations_between_the_clusters_do_not_hide_them() -> None:
    assert two_modes(histogram_of([5 * US] * 4000 + [20 * US] * 10 + [80 * US] * 6000)) is not None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("spread", [0.05, 0.3, 0.8])
def test_one_wide_cluster_has_one_mode(seed: int, spread: float) -> None:
    drawn = np.random.default_rng(seed).lognormal(np.log(80 * US), spread, 2000)
    assert two_modes(histogram_of([int(each) for each in drawn])) is None


@pytest.mark.parametrize("seed", range(20))
def test_an_exponential_distribution_has_one_mode(seed: int) -> None:
    drawn = np.random.default_rng(seed).exponential(100 * US, 1000)
    assert two_modes(histogram_of([int(each) + 1 for each in drawn])) is None


def test_a_tail_below_five_percent_is_no_mode() -> None:
    assert two_modes(histogram_of([5 * US] * 1920 + [500 * US] * 80)) is None


def test_few_samples_show_nothing() -> None:
    assert two_modes(histogram_of([5 * US] * 450 + [80 * US] * 450)) is None
