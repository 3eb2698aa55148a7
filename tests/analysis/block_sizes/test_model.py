"""Mean latency as a fixed cost plus bytes divided by a rate."""

import random
from collections.abc import Callable, Sequence

import pytest

from iosonde.analysis.block_sizes import LatencyModel, latency_model
from iosonde.analysis.estimate import Estimate, estimate

SIZES = tuple(4096 << step for step in range(9))


def known(*values: float) -> Estimate:
    found = estimate(values)
    assert found is not None
    return found


def fitted(law: Callable[[int], float], sizes: Sequence[int] = SIZES) -> LatencyModel:
    model = latency_model(sizes, [known(0.99 * law(size), law(size), 1.01 * law(size)) for size in sizes])
    assert model is not None
    return model


def line(size: int) -> float:
    """80 µs plus the size at 400 MB/s."""
    return 80_000 + size * 2.5


def test_a_fixed_cost_and_a_rate_are_found_and_fit_exactly() -> None:
    model = fitted(line)
    assert model.fits
    assert model.fixed_ns.value == pytest.approx(80_000)
    assert model.bytes_per_s.value == pytest.approx(400e6)
    assert abs(model.largest_residual[1]) < 1e-9


def test_the_precision_of_the_latencies_bounds_an_exact_fit() -> None:
    model = fitted(line)
    assert model.fixed_ns.low < 79_500
    assert model.fixed_ns.high > 80_500


def test_a_latency_without_a_fixed_cost_has_none_that_is_distinguishable_from_0() -> None:
    draw = random.Random(5)
    values = {size: size * 7.0 * draw.uniform(0.98, 1.02) for size in SIZES}
    model = fitted(lambda size: values[size])
    assert model.fits
    assert not model.fixed_ns.is_positive


def test_a_drive_that_is_limited_either_by_iops_or_by_bandwidth_does_not_follow_a_line() -> None:
    model = fitted(lambda size: max(100_000, size * 1.0))
    assert not model.fits
    assert model.largest_residual[0] in {65_536, 131_072, SIZES[-1]}


def test_a_latency_that_does_not_depend_on_size_has_no_rate() -> None:
    draw = random.Random(5)
    values = {size: 100_000 * draw.uniform(0.98, 1.02) for size in SIZES}
    model = fitted(lambda size: values[size])
    assert not model.ns_per_byte.is_positive
    assert not model.fits


def test_three_sizes_are_too_few_for_a_fit() -> None:
    assert latency_model(SIZES[:3], [known(line(size)) for size in SIZES[:3]]) is None


def test_the_true_fixed_cost_and_rate_lie_in_their_intervals_as_often_as_is_said() -> None:
    seed = 11
    draw = random.Random(seed)
    hits = [0, 0]
    campaigns = 600
    for _ in range(campaigns):
        means = [line(size) * draw.gauss(1, 0.03) for size in SIZES]
        model = latency_model(SIZES, [known(mean) for mean in means])
        assert model is not None
        hits[0] += model.fixed_ns.low <= 80_000 <= model.fixed_ns.high
        hits[1] += model.ns_per_byte.low <= 2.5 <= model.ns_per_byte.high
    assert min(hits) / campaigns > 0.92, (seed, hits)
