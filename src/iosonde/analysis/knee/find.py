"""Finds the knee of a sweep, or the reason why it has none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.estimate import fitting, mean_of
from iosonde.analysis.histogram import TAIL_PERCENT
from iosonde.analysis.knee.resampling import interval, resamples
from iosonde.analysis.knee.result import DepthPoint, Knee, KneeReason, KneeState, RuleAnswer
from iosonde.analysis.knee.rules import RULES, THROUGHPUT_SHARE_MIN, depth_to_use, elasticity
from iosonde.analysis.totals import total_of
from iosonde.records import Operation
from iosonde.units import SECOND_NS

DEPTHS_MIN: Final = 5
"""With fewer depths, a single point determines the knee."""

FLAT_SHARE: Final = 0.80
"""If all depths reach more than this share of the best throughput, the sweep has no rise that could end."""

ELASTICITY_MAX: Final = 0.5
"""Above half the growth rate of depth, even throughput over latency still grows (by Little's law it is X^2 / N)."""

SCATTER_SHARE_MAX: Final = 0.5
"""A share of the sweep, on the logarithm of depth. Above it, the result depends on the choice of the rule."""


def find_knee(points: Iterable[DepthPoint]) -> Knee:
    """The knee by three rules, from points in any order."""
    ordered = sorted(points, key=lambda point: point.queue_depth)
    seen = _seen(ordered)
    if len(ordered) < DEPTHS_MIN:
        return replace(seen, reason=KneeReason.TOO_FEW_DEPTHS)
    assert seen.throughput_share_least is not None
    depths, rates = seen.depths, [point.throughput for point in ordered]
    answered = _ask(ordered)
    known = replace(seen, answers=answered.rules)
    if seen.throughput_share_least > FLAT_SHARE:
        return replace(known, reason=KneeReason.FLAT)
    if elasticity(depths, rates) > ELASTICITY_MAX:
        return replace(known, reason=KneeReason.GROWING)
    known = replace(known, queue_depth_low=answered.low, queue_depth_high=answered.high)
    if _is_scattered(known):
        return replace(known, reason=KneeReason.SCATTERED)
    if _ends_at_knee(rates, answered.index):
        return replace(known, reason=KneeReason.GROWING)
    return _identified(known, ordered[answered.index])


def _ends_at_knee(rates: Sequence[float], index: int) -> bool:
    """Whether the knee would be the largest depth, although throughput still grows there: no depth is above it."""
    return index == len(rates) - 1 and rates[-2] < THROUGHPUT_SHARE_MIN * rates[-1]


def knee_of(cells: Sequence[CellEstimate], operation: Operation) -> Knee:
    """The knee of a sweep for one operation. Cells without results for it are skipped."""
    unmeasured = tuple(sorted(cell.queue_depth_asked for cell in cells if cell.of(operation) is None))
    return replace(find_knee(depth_points(cells, operation)), unmeasured=unmeasured)


def depth_points(cells: Sequence[CellEstimate], operation: Operation) -> list[DepthPoint]:
    """The points of a sweep for one operation, in order of queue depth."""
    points = [point for cell in cells if (point := _point(cell, operation)) is not None]
    return sorted(points, key=lambda point: point.queue_depth)


def _point(cell: CellEstimate, operation: Operation) -> DepthPoint | None:
    figures = cell.of(operation)
    if figures is None:
        return None
    known = fitting(figures.iops.weights, len(cell.repeats.used))
    weights = (1.0,) * len(cell.repeats.used) if known is None else known
    used = [
        (record, totals, weight)
        for record, weight in zip(cell.repeats.used, weights, strict=True)
        if (totals := total_of(record.operations, operation)) is not None and totals.count
    ]
    return DepthPoint(
        queue_depth=cell.queue_depth_asked,
        throughput=figures.iops.mean,
        latency_ns=figures.latency_ns_mean.mean,
        latency_ns_p99=figures.percentile(TAIL_PERCENT).value_ns,
        queue_depth_achieved=mean_of(cell.queue_depth_achieved),
        queue_depth_device=mean_of(cell.queue_depth_device),
        repeats=tuple(
            (totals.count * SECOND_NS / record.measured_ns, totals.latency_ns_sum / totals.count)
            for record, totals, _ in used
        ),
        weights=tuple(weight for _, _, weight in used),
    )


@dataclass(frozen=True)
class _Answered:
    """Each rule's answer, the index of the depth to use, and the interval of that."""

    rules: tuple[RuleAnswer, ...]
    index: int
    low: int | None
    high: int | None


def _ask(points: Sequence[DepthPoint]) -> _Answered:
    depths = [point.queue_depth for point in points]

    def asked(rates: Sequence[float], waits: Sequence[float]) -> tuple[int | None, ...]:
        return tuple(rule(depths, rates, waits) for rule in RULES.values())

    rates = [point.throughput for point in points]
    answers = asked(rates, [point.latency_ns for point in points])
    drawn: list[tuple[tuple[int | None, ...], int]] = []
    for drawn_rates, drawn_waits in resamples(points):
        each = asked(drawn_rates, drawn_waits)
        drawn.append((each, depth_to_use(each, drawn_rates)))
    rules = []
    for place, (rule, answer) in enumerate(zip(RULES, answers, strict=True)):
        ends = interval([each[place] for each, _ in drawn])
        low, high = (None, None) if ends is None or answer is None else (depths[ends[0]], depths[ends[1]])
        rules.append(RuleAnswer(rule, None if answer is None else depths[answer], low, high))
    ends = interval([use for _, use in drawn])
    low, high = (None, None) if ends is None else (depths[ends[0]], depths[ends[1]])
    return _Answered(tuple(rules), depth_to_use(answers, rates), low, high)


def _seen(ordered: Sequence[DepthPoint]) -> Knee:
    """The properties of a sweep that do not depend on a knee."""
    best = max(ordered, key=lambda point: point.throughput, default=None)
    growth = ordered[-1].throughput / ordered[-2].throughput - 1 if len(ordered) > 1 else None
    return Knee(
        state=KneeState.NOT_IDENTIFIABLE,
        reason=None,
        answers=(),
        point=None,
        lowest=ordered[0] if ordered else None,
        best=best,
        queue_depth_low=None,
        queue_depth_high=None,
        throughput_share=None,
        throughput_share_least=min(point.throughput for point in ordered) / best.throughput if best else None,
        latency_ratio=None,
        latency_p99_ratio=None,
        growth_share=growth,
        depths=tuple(point.queue_depth for point in ordered),
    )


def _is_scattered(knee: Knee) -> bool:
    named = [answer.queue_depth for answer in knee.answers if answer.queue_depth is not None]
    ends = (
        [named]
        if knee.queue_depth_low is None or knee.queue_depth_high is None
        else [named, [knee.queue_depth_low, knee.queue_depth_high]]
    )
    whole = log2(knee.depths[-1] / knee.depths[0])
    return any(log2(max(each) / min(each)) > SCATTER_SHARE_MAX * whole for each in ends)


def _identified(known: Knee, point: DepthPoint) -> Knee:
    lowest, best = known.lowest, known.best
    assert lowest is not None
    assert best is not None
    tails = (point.latency_ns_p99, lowest.latency_ns_p99)
    return replace(
        known,
        state=KneeState.IDENTIFIED,
        point=point,
        throughput_share=point.throughput / best.throughput,
        latency_ratio=point.latency_ns / lowest.latency_ns,
        latency_p99_ratio=None if tails[0] is None or not tails[1] else tails[0] / tails[1],
    )
