"""The knee of a queue-depth sweep: where more depth stops buying throughput and only buys latency."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.records import Operation

THROUGHPUT_SHARE_MIN: Final = 0.95
"""The lowest depth with this share of the best throughput is the knee: reviewers' rule, and stable with few points."""

DEPTHS_MIN: Final = 3
"""Two points are a line: they have no bend."""


class KneeState(StrEnum):
    """Whether the sweep shows the knee, or on which side of what was tested it lies."""

    FOUND = "found"
    OUTSIDE_ABOVE = "outside_above"
    OUTSIDE_BELOW = "outside_below"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class DepthPoint:
    """Throughput (any unit of work a second) and mean latency (nanoseconds) at one asked depth.

    ``throughput_low`` and ``throughput_high`` are its 95 % interval, None where there is none.
    """

    queue_depth: int
    throughput: float
    latency_ns: float
    throughput_low: float | None = None
    throughput_high: float | None = None


@dataclass(frozen=True)
class Knee:
    """The knee of one sweep. Shares are of the best throughput and of the highest mean latency in the sweep.

    ``point`` is the lowest depth with at least 95 % of the best throughput, also when the state says that the true
    knee lies outside of what was tested. With the state ``unknown``, point, best and shares are None.
    ``depth_low`` is the lowest depth that can't be told from the knee: its interval reaches 95 % of where the best
    one's begins. ``unmeasured`` are asked depths without figures.
    """

    state: KneeState
    point: DepthPoint | None
    best: DepthPoint | None
    throughput_share: float | None
    latency_share: float | None
    depths: tuple[int, ...]
    depth_low: int | None = None
    unmeasured: tuple[int, ...] = ()


def find_knee(points: Iterable[DepthPoint]) -> Knee:
    """The knee by the 95 % rule, from points in any order."""
    ordered = sorted(points, key=lambda point: point.queue_depth)
    depths = tuple(point.queue_depth for point in ordered)
    if len(ordered) < DEPTHS_MIN:
        return Knee(KneeState.UNKNOWN, None, None, None, None, depths)
    best = max(ordered, key=lambda point: point.throughput)
    knee = next(point for point in ordered if point.throughput >= THROUGHPUT_SHARE_MIN * best.throughput)
    return Knee(
        state=_state(knee.queue_depth, depths),
        point=knee,
        best=best,
        throughput_share=knee.throughput / best.throughput,
        latency_share=knee.latency_ns / max(point.latency_ns for point in ordered),
        depths=depths,
        depth_low=_depth_low(ordered, best, knee),
    )


def _depth_low(ordered: Sequence[DepthPoint], best: DepthPoint, knee: DepthPoint) -> int:
    least = THROUGHPUT_SHARE_MIN * (best.throughput if best.throughput_low is None else best.throughput_low)
    reaching = (
        point.queue_depth
        for point in ordered
        if (point.throughput if point.throughput_high is None else point.throughput_high) >= least
    )
    return min(next(reaching), knee.queue_depth)


def knee_of(cells: Sequence[CellEstimate], operation: Operation) -> Knee:
    """The knee of a sweep over one class of operations; cells without figures of it are passed over.

    A knee that seems to lie above the sweep is unknown while deeper cells were asked for that have no figures.
    """
    unmeasured = tuple(sorted(cell.queue_depth_asked for cell in cells if cell.of(operation) is None))
    knee = find_knee(
        DepthPoint(
            cell.queue_depth_asked,
            figures.iops.mean,
            figures.latency_ns_mean.mean,
            figures.iops.low,
            figures.iops.high,
        )
        for cell in cells
        if (figures := cell.of(operation)) is not None
    )
    deeper = tuple(depth for depth in unmeasured if depth > max(knee.depths, default=0))
    if knee.state is KneeState.OUTSIDE_ABOVE and deeper:
        return Knee(KneeState.UNKNOWN, None, None, None, None, knee.depths, unmeasured=deeper)
    return replace(knee, unmeasured=unmeasured)


def _state(depth: int, depths: Sequence[int]) -> KneeState:
    if depth == depths[-1]:
        return KneeState.OUTSIDE_ABOVE
    if depth == depths[0] and depth > 1:
        return KneeState.OUTSIDE_BELOW
    return KneeState.FOUND
