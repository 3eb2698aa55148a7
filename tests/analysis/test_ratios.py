"""The ratio of two estimates. They differ if its interval excludes 1."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from iosonde.analysis.estimate import Estimate, estimate
from iosonde.analysis.ratios import Known, extreme_of, known_of, ratio_of, spread_of

CAMPAIGNS = 4000
NO_LESS = 0.945
"""With a true coverage of 95 %, 4,000 campaigns fall below this in about one of ten tests. With 94 %, most do."""

NO_MORE = 0.997


def known(values: Sequence[float]) -> Known:
    found = estimate(values)
    assert found is not None
    told = known_of(found)
    assert told is not None
    return told


def mean_of(*values: float) -> Estimate:
    found = estimate(values)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("repeats", "spreads"),
    [*product([(2, 2), (2, 10), (3, 3), (3, 10), (5, 5), (10, 3)], [(0.02, 0.02), (0.01, 0.08), (0.08, 0.01)])],
    ids=str,
)
def test_the_true_ratio_lies_in_the_interval_as_often_as_is_said(
    repeats: tuple[int, int], spreads: tuple[float, float]
) -> None:
    random = np.random.default_rng(7)
    holds = 0
    for _ in range(CAMPAIGNS):
        one, other = (
            known([mean * (1 + spread * each) for each in random.standard_normal(count)])
            for mean, count, spread in zip((20_000, 16_000), repeats, spreads, strict=True)
        )
        found = ratio_of(one, other)
        holds += found.low <= 20_000 / 16_000 <= found.high
    assert NO_LESS <= holds / CAMPAIGNS <= NO_MORE


def test_of_many_equal_ones_the_highest_measured_is_told_apart_from_another_once_in_twenty_times_at_most() -> None:
    random = np.random.default_rng(11)
    wrong = 0
    for _ in range(1000):
        cells = [mean_of(*(1000 * (1 + 0.03 * random.standard_normal(3)))) for _ in range(8)]
        wrong += len(extreme_of(cells).rivals) < len(cells) - 1
    assert wrong <= 50


def test_two_means_whose_intervals_overlap_may_differ() -> None:
    slow, quick = mean_of(995, 1000, 1005, 1000), mean_of(1006, 1011, 1016, 1011)
    assert slow.high is not None
    assert quick.low is not None
    assert slow.high > quick.low
    (one, other) = (known_of(quick), known_of(slow))
    assert one is not None
    assert other is not None
    found = ratio_of(one, other)
    assert found.differs
    assert found.value == pytest.approx(1.011)
    assert 1.0 < found.low < 1.011 < found.high < 1.022


def test_an_interval_of_many_comparisons_is_wider_than_that_of_one() -> None:
    one, other = Known(1000, 0.01, 4), Known(990, 0.01, 4)
    alone, among = ratio_of(one, other), ratio_of(one, other, comparisons=10)
    assert among.low < alone.low < alone.high < among.high


def test_a_ratio_is_never_negative_however_little_is_known() -> None:
    found = ratio_of(known([1.0, 100.0]), known([50.0, 2.0]))
    assert 0 < found.low < found.value < found.high


def test_the_highest_names_those_that_may_be_as_high_the_nearest_first() -> None:
    cells = [mean_of(500, 505, 495), mean_of(1000, 1010, 990), mean_of(1002, 1012, 992), mean_of(998, 1008, 988)]
    found = extreme_of(cells)
    assert found.place == 2
    assert [place for place, _ in found.rivals] == [1, 3]
    assert [place for place, _ in found.others] == [1, 3, 0]
    assert {ratio.comparisons for _, ratio in found.others if ratio is not None} == {3}


def test_the_lowest_is_found_by_the_same_rule() -> None:
    found = extreme_of([mean_of(90, 91, 89), mean_of(80, 81, 79), mean_of(80.5, 81.5, 79.5)], lowest=True)
    assert (found.place, [place for place, _ in found.rivals]) == (1, [2])


def test_what_has_no_interval_is_a_rival_of_which_nothing_is_known() -> None:
    found = extreme_of([mean_of(1000, 1001, 999), mean_of(10)])
    assert (found.place, found.rivals) == (0, ((1, None),))


@pytest.mark.parametrize("values", [(0.0, 0.0), (1000.0,)], ids=["nothing at all", "one repeat"])
def test_of_what_has_no_share_nothing_can_be_compared(values: tuple[float, ...]) -> None:
    assert known_of(mean_of(*values)) is None


def test_the_spread_of_several_is_corrected_for_every_pair_of_them() -> None:
    found = spread_of([mean_of(500, 505, 495), mean_of(1000, 1010, 990), mean_of(800, 805, 795)])
    assert found is not None
    assert (found.value, found.comparisons) == (2.0, 3)
    assert spread_of([mean_of(500, 505, 495)]) is None
    assert spread_of([mean_of(500), mean_of(600, 601)]) is None
