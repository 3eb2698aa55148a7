"""Percentiles of many histograms at once are the same as those of each one alone."""

from dataclasses import replace

import numpy as np
import pytest

from iosonde.analysis.histogram import PERCENTS, coarsen
from iosonde.analysis.latency import percentiles_of
from iosonde.analysis.many_histograms import ManyHistograms
from iosonde.records import Layout, OperationTotals
from tests.builders import totals_of

RANDOM = np.random.default_rng(7)


def some(count: int) -> OperationTotals:
    return totals_of([int(each) for each in RANDOM.lognormal(11, 1, count)])


def listed(many: ManyHistograms, percent: float) -> list[int | None]:
    found: list[int | None] = many.percentile(percent).tolist()
    return found


@pytest.mark.parametrize("percent", PERCENTS)
def test_each_row_has_the_percentile_that_its_histogram_has_by_itself(percent: float) -> None:
    totals = [some(count) for count in (1, 19, 20, 21, 100, 999, 1000, 1001, 5000, 12_345)]
    place = PERCENTS.index(percent)
    assert listed(ManyHistograms.of(totals), percent) == [percentiles_of(each)[place] for each in totals]


def test_rows_in_which_nothing_completed_have_none_and_no_bucket() -> None:
    one, other = some(100), some(200)
    many = ManyHistograms.of([None, one, None, other, None])
    assert [each is None for each in listed(many, 50.0)] == [True, False, True, False, True]
    assert many.lengths.tolist() == [0, len(one.latency.bucket), 0, len(other.latency.bucket), 0]
    assert many.count.sum() == 300


def test_no_rows_at_all_have_empty_columns() -> None:
    many = ManyHistograms.of([])
    assert (listed(many, 50.0), len(many.low_ns), len(many.count)) == ([], 0, 0)


def test_rows_of_different_layouts_stand_side_by_side() -> None:
    fine, other = some(1000), some(1000)
    coarse = replace(other, latency=coarsen(other.latency, Layout(buckets_per_octave=64)))
    assert percentiles_of(coarse) != percentiles_of(other)
    found = listed(ManyHistograms.of([fine, coarse, fine]), 90.0)
    assert found == [percentiles_of(each)[PERCENTS.index(90.0)] for each in (fine, coarse, fine)]
