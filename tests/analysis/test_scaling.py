"""Asymptotic bounds, and the Universal Scalability Law where it holds and where it does not."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from iosonde.analysis.knee import DepthPoint
from iosonde.analysis.scaling import LawState, _non_negative, scaling_of

DEPTHS = tuple(2**step for step in range(9))


def points(rate: Callable[[int], float]) -> list[DepthPoint]:
    """Points of a closed loop: throughput per second, and latency in ns by Little's law."""
    return [DepthPoint(depth, rate(depth), depth / rate(depth) * 1e9) for depth in DEPTHS]


def law(depth: int, contention: float, coherency: float) -> float:
    return 1000 * depth / (1 + contention * (depth - 1) + coherency * depth * (depth - 1))


@pytest.mark.parametrize(("contention", "coherency"), [(0.0, 0.0), (0.05, 0.0), (0.02, 0.0004), (0.0, 0.001)])
def test_a_sweep_by_the_law_gives_back_its_parameters(contention: float, coherency: float) -> None:
    fitted = scaling_of(points(lambda depth: law(depth, contention, coherency))).law
    assert fitted.state is LawState.FITTED
    assert fitted.rate_per_s == pytest.approx(1000)
    assert fitted.contention == pytest.approx(contention, abs=1e-9)
    assert fitted.coherency == pytest.approx(coherency, abs=1e-9)
    assert fitted.residual_share == pytest.approx(0.0, abs=1e-9)


def test_noise_of_two_percent_moves_parameters_a_little_and_shows_as_residual() -> None:
    random = np.random.default_rng(1)
    fitted = scaling_of(points(lambda depth: law(depth, 0.05, 0.0001) * random.normal(1, 0.02))).law
    assert fitted.contention == pytest.approx(0.05, rel=0.3)
    assert fitted.residual_share is not None
    assert 0.01 < abs(fitted.residual_share) < 0.1


def test_a_queue_with_servers_does_not_follow_the_law_and_its_residual_says_by_how_much() -> None:
    refused = scaling_of(points(lambda depth: 1000.0 * min(depth, 16))).law
    assert refused.state is LawState.LARGE_RESIDUALS
    assert refused.residual_share is not None
    assert abs(refused.residual_share) > 0.10
    assert refused.contention is None
    assert refused.peak_queue_depth is None


def test_four_points_are_too_few_for_three_parameters() -> None:
    found = scaling_of(points(lambda depth: law(depth, 0.05, 0.0))[:4])
    assert found.law.state is LawState.TOO_FEW_DEPTHS
    assert found.bounds is not None


def test_a_peak_is_named_only_within_what_was_measured() -> None:
    inside = scaling_of(points(lambda depth: law(depth, 0.02, 0.0004))).law
    assert inside.peak_queue_depth == pytest.approx((0.98 / 0.0004) ** 0.5)
    beyond = scaling_of(points(lambda depth: law(depth, 0.02, 0.000001))).law
    assert (beyond.state, beyond.peak_queue_depth) == (LawState.FITTED, None)


def test_bounds_meet_at_the_servers_of_a_queue() -> None:
    bounds = scaling_of(points(lambda depth: 1000.0 * min(depth, 16))).bounds
    assert bounds is not None
    assert bounds.queue_depth_least == pytest.approx(16)
    assert (bounds.fastest.queue_depth, bounds.best.queue_depth) == (1, 16)


def test_the_law_is_about_operations_that_were_in_flight_and_not_about_those_asked() -> None:
    short = [
        DepthPoint(each.queue_depth * 2, each.throughput, each.latency_ns, None, float(each.queue_depth))
        for each in points(lambda depth: law(depth, 0.05, 0.0))
    ]
    assert scaling_of(short).law.contention == pytest.approx(0.05)


def test_without_a_point_there_is_nothing_to_say() -> None:
    assert scaling_of([]).bounds is None


@given(st.integers(0, 2**32), st.integers(5, 17), st.floats(0.0, 0.2), st.floats(0.0, 0.01))
def test_the_least_squares_without_negative_factors_are_those_of_scipy(
    seed: int, count: int, contention: float, coherency: float
) -> None:
    depth = 2.0 ** np.arange(count)
    noise = np.random.default_rng(seed).normal(1, 0.2, count)
    rate = noise * 1e5 * depth / (1 + contention * (depth - 1) + coherency * depth * (depth - 1))
    terms = np.stack([np.ones(count), depth - 1, depth * (depth - 1)], axis=1) * (rate / depth)[:, None]
    found, (expected, _) = _non_negative(terms), nnls(terms, np.ones(count))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9 * max(expected))
    assert (found >= 0).all()
