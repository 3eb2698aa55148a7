"""Buckets, merging and percentiles, against brute force and known values."""

import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.analysis.buckets import bucket_bounds
from iosonde.analysis.histogram import (
    PERCENTS,
    bucket_of,
    coarsen,
    deviation_of,
    low_and_width,
    merge_histograms,
    percent_name,
    percentile_supported,
    percentiles,
    rank_of,
    values_at_ranks,
)
from iosonde.records import Histogram, Layout
from tests.builders import histogram_of

U64_MAX = 2**64 - 1
HALF_BUCKET = 0.004
latencies = st.lists(st.integers(min_value=0, max_value=2**50), min_size=1, max_size=200)


def bucket_by_the_rule(value: int, per_octave: int) -> int:
    """The bucket of one value, by the definition in records/histogram.py."""
    bits = per_octave.bit_length() - 1
    if value < per_octave:
        return value
    shift = value.bit_length() - 1 - bits
    return shift * per_octave + (value >> shift)


@given(st.integers(min_value=0, max_value=U64_MAX), st.sampled_from((2, 64, 128)))
def test_a_value_lies_in_its_bucket_by_the_rule(value: int, per_octave: int) -> None:
    assert bucket_of(Layout(buckets_per_octave=per_octave), value) == bucket_by_the_rule(value, per_octave)


@given(st.integers(min_value=0, max_value=U64_MAX), st.sampled_from((2, 64, 128)))
def test_bounds_hold_the_value_that_fell_between_them(value: int, per_octave: int) -> None:
    layout = Layout(buckets_per_octave=per_octave)
    low, high = bucket_bounds(layout, [bucket_by_the_rule(value, per_octave)])
    assert int(low[0]) <= value
    assert value < int(high[0]) or int(high[0]) == U64_MAX


def test_bounds_of_known_buckets() -> None:
    low, high = bucket_bounds(Layout(), [0, 127, 255, 256, 1327])
    assert low.tolist() == [0, 127, 255, 256, 89_600]
    assert high.tolist() == [1, 128, 256, 258, 90_112]


@given(st.integers(min_value=0, max_value=7423))
def test_bounds_are_the_same_for_one_bucket_and_for_a_column_of_them(bucket: int) -> None:
    low, high = bucket_bounds(Layout(), [bucket])
    start, width = low_and_width(Layout(), bucket)
    assert (int(low[0]), int(high[0])) == (start, min(start + width, U64_MAX))


def test_a_bucket_below_an_octave_of_its_own_holds_one_value() -> None:
    assert [low_and_width(Layout(), bucket) for bucket in (0, 5, 255)] == [(0, 1), (5, 1), (255, 1)]


@given(latencies)
def test_the_value_of_every_rank_is_within_half_a_bucket_of_the_sample(values: list[int]) -> None:
    ordered = sorted(values)
    ranks = list(range(1, len(ordered) + 1))
    found = values_at_ranks(histogram_of(values), ranks, smallest_ns=ordered[0], largest_ns=ordered[-1])
    assert all(abs(value - sample) <= HALF_BUCKET * sample for value, sample in zip(found, ordered, strict=True))


def test_percentiles_are_within_0_4_percent_of_numpy_on_a_million_latencies() -> None:
    samples = np.random.default_rng(7).lognormal(11.3, 0.6, 1_000_000).astype(np.uint64)
    found = percentiles(
        histogram_of(samples.tolist()), PERCENTS, smallest_ns=int(samples.min()), largest_ns=int(samples.max())
    )
    expected = np.percentile(samples, PERCENTS, method="inverted_cdf")
    assert found == pytest.approx(expected.tolist(), rel=HALF_BUCKET)


def test_a_percentile_never_leaves_the_exact_minimum_and_maximum() -> None:
    found = percentiles(histogram_of([100_001] * 100), (50.0,), smallest_ns=100_001, largest_ns=100_001)
    assert found == (100_001,)


@pytest.mark.parametrize(
    ("count", "percent", "rank"),
    [(1000, 99.9, 999), (10_000, 99.99, 9999), (7, 50.0, 4), (1, 99.99, 1), (100, 95.0, 95), (3, 90.0, 3)],
)
def test_the_rank_is_rounded_up_in_exact_arithmetic(count: int, percent: float, rank: int) -> None:
    assert rank_of(count, percent) == rank


@pytest.mark.parametrize(
    ("percent", "least"), [(50.0, 20), (90.0, 100), (95.0, 200), (99.0, 1000), (99.9, 10_000), (99.99, 100_000)]
)
def test_a_percentile_is_supported_from_ten_samples_beyond_it(percent: float, least: int) -> None:
    assert percentile_supported(least, percent)
    assert not percentile_supported(least - 1, percent)


def test_an_unsupported_percentile_has_no_value() -> None:
    found = percentiles(histogram_of([1000] * 999), (50.0, 99.0), smallest_ns=1000, largest_ns=1000)
    assert found == (1000, None)


def test_an_empty_histogram_has_no_percentile() -> None:
    assert percentiles(Histogram(bucket=(), count=()), (50.0, 99.9), smallest_ns=0, largest_ns=0) == (None, None)


@given(latencies, latencies)
def test_merging_adds_counts_as_if_all_had_been_recorded_together(first: list[int], second: list[int]) -> None:
    assert merge_histograms([histogram_of(first), histogram_of(second)]) == histogram_of(first + second)


@given(latencies)
def test_coarsening_gives_what_the_coarser_layout_would_have_recorded(values: list[int]) -> None:
    assert coarsen(histogram_of(values, 128), Layout(buckets_per_octave=64)) == histogram_of(values, 64)


def test_a_merge_of_two_layouts_goes_to_the_coarser() -> None:
    fine, coarse = [50_000, 51_000, 90_000], [50_100, 70_000]
    merged = merge_histograms([histogram_of(fine, 128), histogram_of(coarse, 64)])
    assert merged == histogram_of(fine + coarse, 64)


def test_a_histogram_cannot_be_made_finer() -> None:
    with pytest.raises(
        ValueError, match="cannot convert a histogram with 64 buckets per octave to 128 buckets per octave"
    ):
        coarsen(histogram_of([5000], 64), Layout(buckets_per_octave=128))


def test_merging_nothing_gives_an_empty_histogram() -> None:
    assert merge_histograms([]) == Histogram(bucket=(), count=())


def test_percentile_names_have_no_point() -> None:
    assert [percent_name(percent) for percent in PERCENTS] == ["p50", "p90", "p95", "p99", "p99_9", "p99_99"]


def test_many_histograms_are_added_up_as_few_are() -> None:
    random = np.random.default_rng(8)
    many = [
        Histogram(bucket=tuple(map(int, buckets)), count=tuple(map(int, random.integers(1, 2**40, len(buckets)))))
        for buckets in (np.unique(random.integers(0, 3000, 200)) for _ in range(40))
    ]
    expected: dict[int, int] = {}
    for each in many:
        for bucket, count in zip(each.bucket, each.count, strict=True):
            expected[bucket] = expected.get(bucket, 0) + count
    found = merge_histograms(many)
    assert dict(zip(found.bucket, found.count, strict=True)) == expected
    assert list(found.bucket) == sorted(expected)


def test_the_standard_deviation_of_the_counted_values_is_that_of_the_values() -> None:
    draw = random.Random(3)
    values = [round(draw.lognormvariate(11, 0.5)) for _ in range(4000)]
    found = deviation_of(histogram_of(values))
    assert found == pytest.approx(statistics.stdev(values), rel=0.01)
    assert deviation_of(histogram_of([100_000])) is None
    assert deviation_of(histogram_of([100_000] * 50)) == 0
