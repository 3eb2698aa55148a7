"""A short version of the coverage of intervals if repeats differ."""

import pytest
from scipy.stats import binom

from iosonde.analysis.precision import FIGURES
from verify.differing import differing
from verify.repeats import campaign_of

CAMPAIGNS = 60


@pytest.mark.parametrize("ratio", [0.0, 1.0, 2.0])
def test_intervals_hold_behind_the_stopping_rule_whatever_the_spread_between_repeats(ratio: float) -> None:
    told = [campaign_of(ratio, 2.0, seed) for seed in range(CAMPAIGNS)]
    for place, figure in enumerate(FIGURES):
        held = sum(each.held[place] for each in told)
        assert binom.cdf(held, CAMPAIGNS, 0.94) > 0.001, (ratio, figure, held)


def test_repeats_that_differ_cost_more_repeats() -> None:
    alike, unlike = ([campaign_of(ratio, 2.0, seed).repeats for seed in range(10)] for ratio in (0.0, 2.0))
    assert sum(unlike) > sum(alike)


def test_they_hold_through_the_engine() -> None:
    for each in differing(10, (2.0,)):
        assert each.intervals == 10
        assert binom.cdf(each.held, 10, 0.94) > 0.001, (each.figure, each.held)
