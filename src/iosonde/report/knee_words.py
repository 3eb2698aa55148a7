"""Knees and scaling in words, with their numbers, and the table of the rules."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.knee import DEPTHS_MIN, DepthPoint, Knee, KneeReason, KneeRule, RuleAnswer
from iosonde.analysis.scaling import LawState, Scaling
from iosonde.charts.quantities import depth_label, significant
from iosonde.records import Operation
from iosonde.report.dashes import Dash
from iosonde.report.result_tables import Head, Line, ResultTable
from iosonde.units import format_iops, format_latency

RULE_NAMES: Final = {
    KneeRule.THROUGHPUT_SHARE: "95 % of the best",
    KneeRule.POWER: "power",
    KneeRule.KNEEDLE: "Kneedle",
}


NO_KNEE: Final = "this rule finds no knee"
NO_KNEE_INTERVAL: Final = "one repeat of each depth gives none, and neither do repeats of which many show no knee"


def knee_sentence(direction: Operation, knee: Knee) -> str:
    """Where the knee is and what its depth costs, or why it can't be told."""
    name = f"Random {direction}s"
    if knee.point is not None and knee.best is not None:
        return f"{name}: the knee is at {_depth(knee.point)} ({_rules(knee)}): {_bargain(knee)}."
    return f"{name}: the knee is not identifiable: {_why_not(knee)}."


def knee_short(direction: Operation, knee: Knee) -> str:
    """The same as a part of a sentence about several identified knees."""
    assert knee.point is not None
    doubt = _interval(knee.queue_depth_low, knee.queue_depth_high)
    return f"the knee of random {direction}s is at {_depth(knee.point)} ({doubt}; {_bargain(knee)})"


def scaling_sentences(direction: Operation, scaling: Scaling) -> tuple[str, ...]:
    """What bounds and the Universal Scalability Law say, a sentence each; nothing without a point."""
    bounds, law = scaling.bounds, scaling.law
    if bounds is None:
        return ()
    name = f"random {direction}s"
    least = (
        f"By bounds, {name} need at least {significant(bounds.queue_depth_least, 3)} operations in flight for "
        f"{format_iops(bounds.best.throughput)} IOPS: that rate times the least mean latency, "
        f"{format_latency(bounds.fastest.latency_ns)} at {_depth(bounds.fastest)}."
    )
    if law.state is LawState.TOO_FEW_DEPTHS or law.residual_share is None:
        return (least,)
    off = f"{100 * law.residual_share:+.0f} % at depth {law.residual_queue_depth}"
    if law.contention is None or law.coherency is None:
        return least, f"The Universal Scalability Law does not describe {name}: it misses them by up to {off}."
    peak = (
        f"throughput peaks near depth {significant(law.peak_queue_depth, 2)}"
        if law.peak_queue_depth is not None
        else f"no peak up to depth {scaling.depths[-1]}"
    )
    fitted = (
        f"The Universal Scalability Law fits {name} within {100 * abs(law.residual_share):.0f} %: contention "
        f"{significant(100 * law.contention, 2)} %, coherency {significant(100 * law.coherency, 2)} %, {peak}."
    )
    return least, fitted


def knee_table(knees: Sequence[tuple[Operation, Knee]]) -> ResultTable | None:
    """Each rule's answer for each direction; None where no rule was asked."""
    lines = [
        Line((str(direction), RULE_NAMES[answer.rule], *_cells(answer)))
        for direction, knee in knees
        for answer in knee.answers
    ]
    lines += [
        Line((str(direction), "depth to use", str(knee.point.queue_depth), *_ends(knee)))
        for direction, knee in knees
        if knee.point is not None
    ]
    if not lines:
        return None
    return ResultTable(
        caption="The knee by three rules, as depths asked.",
        heads=(
            Head("Operations", number=False),
            Head("Rule", number=False),
            Head("Knee", "depth asked"),
            Head("From", "95 % interval"),
            Head("To", "95 % interval"),
        ),
        lines=tuple(sorted(lines, key=lambda line: line.texts[0])),
        notes=("Intervals come from repeats drawn anew within each depth.",),
    )


def _cells(answer: RuleAnswer) -> tuple[str, ...]:
    if answer.queue_depth is None:
        return (Dash(NO_KNEE),) * 3
    return (str(answer.queue_depth), *(_end(each) for each in (answer.queue_depth_low, answer.queue_depth_high)))


def _ends(knee: Knee) -> tuple[str, ...]:
    return tuple(_end(each) for each in (knee.queue_depth_low, knee.queue_depth_high))


def _end(value: int | None) -> str:
    return Dash(NO_KNEE_INTERVAL) if value is None else str(value)


def _rules(knee: Knee) -> str:
    named = {answer.queue_depth for answer in knee.answers}
    each = ", ".join(
        f"{RULE_NAMES[answer.rule]} {'none' if answer.queue_depth is None else answer.queue_depth}"
        for answer in knee.answers
    )
    rules = "by all three rules" if len(named) == 1 else each
    return f"{rules}; {_interval(knee.queue_depth_low, knee.queue_depth_high)}"


def _interval(low: int | None, high: int | None) -> str:
    return "no interval from one repeat" if low is None else f"95 % interval {low} to {high}"


def _bargain(knee: Knee) -> str:
    """What the depth gives, and what it costs."""
    assert knee.best is not None
    assert knee.lowest is not None
    assert knee.throughput_share is not None
    assert knee.latency_ratio is not None
    tail = "" if knee.latency_p99_ratio is None else f" and {significant(knee.latency_p99_ratio, 2)} times the p99"
    return (
        f"{100 * knee.throughput_share:.0f} % of the best throughput ({_best(knee.best)}) for "
        f"{significant(knee.latency_ratio, 2)} times the mean latency{tail} of depth {knee.lowest.queue_depth}"
    )


def _why_not(knee: Knee) -> str:
    lowest, best = knee.lowest, knee.best
    if knee.reason is KneeReason.TOO_FEW_DEPTHS or lowest is None or best is None:
        return f"it takes at least {DEPTHS_MIN} depths with figures, and there are {len(knee.depths)}"
    if knee.reason is KneeReason.FLAT:
        assert knee.throughput_share_least is not None
        return (
            f"every depth from {lowest.queue_depth} on gives at least {100 * knee.throughput_share_least:.0f} % of the "
            f"best throughput ({_best(best)}), so that no climb was seen to end"
        )
    if knee.reason is KneeReason.GROWING:
        assert knee.growth_share is not None
        shallow, deep = knee.depths[-2:]
        deeper = [depth for depth in knee.unmeasured if depth > deep]
        gap = f", and there are no figures of {', '.join(map(str, deeper))}" if deeper else ", the deepest measured"
        return f"throughput still grows by {100 * knee.growth_share:.0f} % from depth {shallow} to {deep}{gap}"
    return f"rules or repeats differ by more than half of the sweep ({_rules(knee)})"


def _best(point: DepthPoint) -> str:
    return f"{format_iops(point.throughput)} IOPS at {_depth(point)}"


def _depth(point: DepthPoint) -> str:
    return depth_label(point.queue_depth, point.queue_depth_achieved)
