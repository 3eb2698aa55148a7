"""Each of the three rules alone, and Kneedle compared with the package kneed."""

from math import log2

import numpy as np
import pytest
from kneed import KneeLocator  # type: ignore[import-untyped]

from iosonde.analysis.knee.rules import by_kneedle, by_power, by_throughput_share, depth_to_use

DEPTHS = tuple(2**step for step in range(9))


@pytest.mark.parametrize("seed", range(60))
def test_kneedle_says_what_another_implementation_says_of_concave_growth(seed: int) -> None:
    random = np.random.default_rng(seed)
    bend = random.uniform(1.5, 60)
    rates = [(1 - 2 ** (-depth / bend)) * random.normal(1, 0.02) for depth in DEPTHS]
    found = by_kneedle(DEPTHS, rates, [])
    across = [log2(depth) for depth in DEPTHS]
    oracle = KneeLocator(across, rates, S=1.0, curve="concave", direction="increasing").knee
    # kneed accepts the first point of the curve as a maximum, the paper does not.
    if oracle == across[0]:
        assert found is None or found > 0
    else:
        assert found == (None if oracle is None else across.index(oracle))


def test_kneedle_finds_no_bend_in_a_straight_or_a_flat_line() -> None:
    assert by_kneedle(DEPTHS, [float(depth) for depth in DEPTHS], []) is None
    assert by_kneedle(DEPTHS, [5.0] * len(DEPTHS), []) is None


def test_power_is_greatest_where_throughput_stops_growing_faster_than_latency() -> None:
    rates, waits = [1.0, 2.0, 4.0, 4.4], [1.0, 1.0, 1.1, 2.0]
    assert by_power((1, 2, 4, 8), rates, waits) == 2


def test_the_share_rule_takes_the_lowest_depth_at_95_percent() -> None:
    assert by_throughput_share((1, 2, 4, 8), [10, 94.9, 95.0, 100], []) == 2


def test_the_depth_to_use_is_the_middle_answer_and_of_two_that_with_more_throughput() -> None:
    rates = [1.0, 2.0, 4.0, 5.0]
    assert depth_to_use([3, 1, 2], rates) == 2
    assert depth_to_use([3, 1, None], rates) == 3
    assert depth_to_use([1, 1, 3], rates) == 1
