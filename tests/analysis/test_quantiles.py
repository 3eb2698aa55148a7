"""Confidence intervals of percentiles."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import expon

from iosonde.analysis.estimate import Own
from iosonde.analysis.histogram import bucket_of, coarsen, low_and_width, percentiles
from iosonde.analysis.quantiles import percentile_intervals
from iosonde.analysis.totals import merge_totals
from iosonde.records import Layout, OperationTotals
from tests.builders import totals_of

MEAN_NS = 100_000
TRUE_P99 = MEAN_NS * expon.ppf(0.99)


def drawn(random: np.random.Generator, size: int, factor: float = 1.0) -> OperationTotals:
    latencies: NDArray[np.int64] = (random.exponential(MEAN_NS, size) * factor).astype(np.int64)
    return totals_of(latencies.tolist())


def interval_of(repeats: list[OperationTotals], percent: float = 99.0) -> tuple[int, int] | None:
    merged = merge_totals(repeats)
    assert merged is not None
    found = percentile_intervals(merged, repeats, {percent: ()})[0]
    return None if found is None else (found.low_ns, found.high_ns)


def edges_of(layout: Layout, bucket: int) -> tuple[int, int]:
    low, width = low_and_width(layout, bucket)
    return low, low + width


def coarse(totals: OperationTotals, layout: Layout) -> OperationTotals:
    return replace(totals, latency=coarsen(totals.latency, layout))


def test_the_interval_covers_the_true_percentile_in_95_of_100_experiments() -> None:
    random = np.random.default_rng(5)
    found = [interval_of([drawn(random, 2000) for _ in range(5)]) for _ in range(300)]
    covered = sum(each[0] <= TRUE_P99 <= each[1] for each in found if each is not None)
    # The interval is the wider one of two, so its coverage is higher than that of each.
    assert all(each is not None for each in found)
    assert covered >= 0.93 * 300, covered


def test_repeats_that_differ_widen_the_interval() -> None:
    random = np.random.default_rng(6)
    alike = interval_of([drawn(random, 4000) for _ in range(4)])
    unlike = interval_of([drawn(random, 4000, factor) for factor in (0.7, 0.9, 1.1, 1.3)])
    assert alike is not None
    assert unlike is not None
    assert unlike[1] - unlike[0] > 2 * (alike[1] - alike[0])


def test_restless_repeats_widen_the_interval() -> None:
    random = np.random.default_rng(7)
    repeats = [drawn(random, 4000) for _ in range(4)]
    merged = merge_totals(repeats)
    assert merged is not None
    [calm] = percentile_intervals(merged, repeats, {99.0: [Own(0.0001, 40.0)] * 4})
    [restless] = percentile_intervals(merged, repeats, {99.0: [Own(0.005, 40.0)] * 4})
    assert calm is not None
    assert restless is not None
    assert restless.high_ns - restless.low_ns > calm.high_ns - calm.low_ns


def test_operations_that_all_take_the_same_time_have_an_interval_of_that_time() -> None:
    assert interval_of([totals_of([MEAN_NS] * 2000)] * 3) == (MEAN_NS, MEAN_NS)


def test_one_repeat_has_no_interval() -> None:
    assert interval_of([totals_of([MEAN_NS] * 5000)]) is None


def test_fewer_than_ten_samples_beyond_have_no_interval() -> None:
    assert interval_of([totals_of([MEAN_NS] * 300)] * 3) is None


def test_an_interval_that_would_reach_beyond_the_largest_value_is_not_given() -> None:
    random = np.random.default_rng(8)
    assert interval_of([drawn(random, 5000, factor) for factor in (0.5, 1.5)], 99.9) is None


@pytest.mark.parametrize("percent", [50.0, 90.0, 99.0])
def test_the_interval_lies_around_the_percentile(percent: float) -> None:
    random = np.random.default_rng(9)
    found = interval_of([drawn(random, 3000) for _ in range(4)], percent)
    assert found is not None
    assert found[0] < MEAN_NS * expon.ppf(percent / 100) < found[1]


def test_repeats_whose_tails_have_nothing_in_common_leave_a_percentile_unknown() -> None:
    # One much slower repeat is enough: the upper bound then exceeds the range of a float.
    repeats = [totals_of([MEAN_NS] * 100_000), totals_of([100 * MEAN_NS] * 100_000)]
    assert interval_of(repeats, 99.99) is None


def test_ends_lie_within_buckets_that_are_filled_evenly() -> None:
    random = np.random.default_rng(10)
    repeats = [drawn(random, 40_000) for _ in range(4)]
    merged = merge_totals(repeats)
    found = interval_of(repeats)
    assert merged is not None
    assert found is not None
    edges = {edge for each in merged.latency.bucket for edge in edges_of(merged.latency.layout, each)}
    assert edges.isdisjoint(found)
    assert found[0] < TRUE_P99 < found[1]


def test_an_interval_holds_as_often_with_wide_buckets_as_with_narrow_ones() -> None:
    random = np.random.default_rng(11)
    wide = Layout(buckets_per_octave=16)
    found = [interval_of([coarse(drawn(random, 2000), wide) for _ in range(5)]) for _ in range(100)]
    covered = sum(each[0] <= TRUE_P99 <= each[1] for each in found if each is not None)
    assert covered >= 0.92 * 100, covered


@pytest.mark.parametrize("offset_ns", [1, 1023])
def test_a_value_that_many_operations_share_is_not_cut_off_within_its_bucket(offset_ns: int) -> None:
    # A bucket of 1,024 ns begins at 200,704 ns. The percentile is close to the lowest of the operations that share this
    # value, so many intervals end in this bucket and begin in a lower one.
    spike_ns, percent = 200_704 + offset_ns, 39.5
    random = np.random.default_rng(12)
    covered = 0
    for _ in range(100):
        around = random.integers(190_000, 215_000, (3, 2000))
        found = interval_of([totals_of([*each.tolist(), *[spike_ns] * 180]) for each in around], percent)
        assert found is not None
        covered += found[0] <= spike_ns <= found[1]
    assert covered >= 0.92 * 100, covered


@pytest.mark.parametrize("bottom", [190_000, 190_300, 190_600])
def test_an_interval_takes_in_the_value_that_is_given(bottom: int) -> None:
    latencies = list(range(bottom, 215_000)) * 4
    repeats = [totals_of(latencies)] * 3
    merged = merge_totals(repeats)
    found = interval_of(repeats, 50.0)
    assert merged is not None
    assert found is not None
    [value] = percentiles(merged.latency, [50.0], smallest_ns=0, largest_ns=10**9)
    assert value is not None
    assert found[0] <= value <= found[1]


def test_where_values_share_a_bucket_unevenly_the_interval_takes_in_the_whole_of_it() -> None:
    spike_ns = 200_800
    repeats = [totals_of([*range(190_000, 215_000, 10), *[spike_ns] * 10_000])] * 3
    found = interval_of(repeats, 50.0)
    merged = merge_totals(repeats)
    assert merged is not None
    assert found is not None
    low, high = edges_of(merged.latency.layout, bucket_of(merged.latency.layout, spike_ns))
    assert found[0] <= low
    assert high <= found[1]
