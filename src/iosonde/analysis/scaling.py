"""Throughput as a function of queue depth: asymptotic bounds, and the Universal Scalability Law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Final

from iosonde.analysis.knee import DepthPoint
from iosonde.units import SECOND_NS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POINTS_MIN: Final = 5
"""Three parameters fit any three points. Two more show whether the law applies."""

RESIDUAL_SHARE_MAX: Final = 0.10
"""If a point deviates from the law by more than a tenth, the law does not apply."""


_ROUNDED: Final = 1e-24
"""A sum of squares that is smaller by less than this is no better: it is that of numbers that were rounded."""


class LawState(StrEnum):
    """Whether the law was fitted, and if not, why."""

    FITTED = "fitted"
    TOO_FEW_DEPTHS = "too_few_depths"
    LARGE_RESIDUALS = "large_residuals"


@dataclass(frozen=True)
class Bounds:
    """Asymptotic bounds of a closed loop: throughput is at most N / R_min and at most X_max.

    ``fastest`` is the point with the least mean latency R_min, ``best`` that with the best throughput X_max.
    ``queue_depth_least`` is N* = X_max R_min, where both bounds meet: fewer operations in flight cannot reach that
    throughput. E. D. Lazowska and others, Quantitative System Performance (1984), chapter 5.
    """

    fastest: DepthPoint
    best: DepthPoint
    queue_depth_least: float


@dataclass(frozen=True)
class ScalabilityLaw:
    """The Universal Scalability Law, X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), over depths.

    N. J. Gunther, Guerrilla Capacity Planning (2007), chapter 4; N is the achieved queue depth. ``rate_per_s`` is the
    throughput with one operation in flight. ``residual_share`` is the largest deviation of a point, measured over
    fitted less 1, and ``residual_queue_depth`` the requested depth of that point. ``peak_queue_depth`` is the depth
    with the highest throughput, None if it is outside the measured range. Without a fit all are None. If the residuals
    are too large, only the residual is present.
    """

    state: LawState
    rate_per_s: float | None = None
    contention: float | None = None
    coherency: float | None = None
    residual_share: float | None = None
    residual_queue_depth: int | None = None
    peak_queue_depth: float | None = None


@dataclass(frozen=True)
class Scaling:
    """Bounds and law of one sweep. Without a point there are no bounds. ``depths`` are those with results."""

    bounds: Bounds | None
    law: ScalabilityLaw
    depths: tuple[int, ...]


def scaling_of(points: Sequence[DepthPoint]) -> Scaling:
    """The bounds and the law, from points in any order."""
    ordered = sorted(points, key=lambda point: point.queue_depth)
    depths = tuple(point.queue_depth for point in ordered)
    if not ordered:
        return Scaling(None, ScalabilityLaw(LawState.TOO_FEW_DEPTHS), depths)
    fastest = min(ordered, key=lambda point: point.latency_ns)
    best = max(ordered, key=lambda point: point.throughput)
    return Scaling(Bounds(fastest, best, best.throughput * fastest.latency_ns / SECOND_NS), _fitted(ordered), depths)


def _fitted(points: Sequence[DepthPoint]) -> ScalabilityLaw:
    if len(points) < POINTS_MIN:
        return ScalabilityLaw(LawState.TOO_FEW_DEPTHS)
    # Not at the top: it takes 50 ms, which only those should wait for who look at a sweep.
    import numpy as np

    depth = np.array([point.queue_depth_kept or point.queue_depth for point in points], dtype=np.float64)
    rate = np.array([point.throughput for point in points])
    # Measured over fitted is linear in 1/rate, contention/rate and coherency/rate, none of which is negative: the
    # least squares of relative residuals have one solution, and need no first guess.
    terms = np.stack([np.ones_like(depth), depth - 1, depth * (depth - 1)], axis=1) * (rate / depth)[:, None]
    inverse, contended, incoherent = solution = _non_negative(terms)
    residuals = terms @ solution - 1
    worst = int(np.argmax(np.abs(residuals)))
    residual, at = float(residuals[worst]), points[worst].queue_depth
    if abs(residual) > RESIDUAL_SHARE_MAX or inverse <= 0:
        return ScalabilityLaw(LawState.LARGE_RESIDUALS, residual_share=residual, residual_queue_depth=at)
    contention, coherency = float(contended / inverse), float(incoherent / inverse)
    peak = sqrt(max(1 - contention, 0.0) / coherency) if coherency > 0 else None
    return ScalabilityLaw(
        state=LawState.FITTED,
        rate_per_s=float(1 / inverse),
        contention=contention,
        coherency=coherency,
        residual_share=residual,
        residual_queue_depth=at,
        peak_queue_depth=peak if peak is not None and depth.min() <= peak <= depth.max() else None,
    )


def _non_negative(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The factors, none of them negative, whose sum of terms comes next to 1 in each row, by least squares.

    The best factors are, of those terms that have one above 0, the best without a bound: with three terms, all seven
    choices are tried.
    """
    import numpy as np

    scales = np.sqrt((terms**2).sum(axis=0))
    best, least = np.zeros(terms.shape[1]), float(len(terms))
    for size in range(1, terms.shape[1] + 1):
        for chosen in map(list, combinations(range(terms.shape[1]), size)):
            scaled = terms[:, chosen] / scales[chosen]
            factors = np.linalg.lstsq(scaled, np.ones(len(terms)))[0]
            error = float(((scaled @ factors - 1) ** 2).sum())
            if error + _ROUNDED < least and (factors >= 0).all():
                best, least = np.zeros_like(best), error
                best[chosen] = factors / scales[chosen]
    return best
