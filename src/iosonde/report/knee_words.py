"""Sentences and tables on knees and scaling."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.knee import DEPTHS_MIN, DepthPoint, Knee, KneeReason, KneeRule, RuleAnswer, depth_points
from iosonde.analysis.scaling import POINTS_MIN, LawState, Scaling
from iosonde.charts.quantities import depth_label, significant
from iosonde.printing import capital
from iosonde.report.dashes import Dash
from iosonde.report.headline_figures import SweptKnee
from iosonde.report.parentheses import in_parentheses, with_note
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_iops, format_latency

TOLD_IN_FULL_MAX: Final = 2
"""At most this many knees have a full sentence each. More would be too long to read."""

TOLD_IN_BRIEF_MAX: Final = 6

RULE_NAMES: Final = {
    KneeRule.THROUGHPUT_SHARE: "95 % of the best",
    KneeRule.POWER: "power",
    KneeRule.KNEEDLE: "Kneedle",
}


NO_KNEE: Final = "this rule found no knee"
NO_KNEE_INTERVAL: Final = "no confidence interval: not every depth has two repeats, or most resamples have no knee"


def knee_sentence(operations: str, knee: Knee) -> str:
    """The knee of a workload with its throughput and latency, or why it is not identifiable.

    ``operations`` names the workload, for example ``4 KiB random reads``. The knee of a mix is that of all operations.
    """
    name = capital(operations)
    if knee.point is not None and knee.best is not None:
        return f"{name}: the knee is at {with_note(_depth(knee.point), _rules(knee))}. At this depth, {_bargain(knee)}."
    return f"{name}: the knee is not identifiable: {_why_not(knee)}."


def knee_short(operations: str, knee: Knee) -> str:
    """An identified knee in short: the depth, its confidence interval, its throughput and its latency."""
    assert knee.point is not None
    doubt = _interval(knee.queue_depth_low, knee.queue_depth_high)
    return f"The knee of {operations} is at {with_note(_depth(knee.point), doubt)}. At this depth, {_bargain(knee)}."


def swept_sentences(knees: Sequence[SweptKnee]) -> list[str]:
    """The knees of a section. With more than two sweeps, they are in brief."""
    if len(knees) > TOLD_IN_FULL_MAX:
        return [knees_in_brief(knees)]
    return [knee_sentence(each.operations, each.knee) for each in knees]


def swept_scalings(knees: Sequence[SweptKnee]) -> list[str]:
    """Sentences on the bounds and the scaling law of each sweep; empty for more than two sweeps, which have a table."""
    if len(knees) > TOLD_IN_FULL_MAX:
        return []
    return [sentence for each in knees for sentence in scaling_sentences(each.operations, each.sweep.scaling)]


def knees_in_brief(knees: Sequence[SweptKnee]) -> str:
    """The knees of many sweeps in a few sentences: the first ``TOLD_IN_BRIEF_MAX``. The table has all."""
    knees, rest = knees[:TOLD_IN_BRIEF_MAX], len(knees) - TOLD_IN_BRIEF_MAX
    told = [
        f"{each.operations} at "
        f"{with_note(_depth(point), _interval(each.knee.queue_depth_low, each.knee.queue_depth_high))}"
        for each in knees
        if (point := each.knee.point) is not None
    ]
    whys: dict[str, list[str]] = {}
    for each in knees:
        if each.knee.point is None:
            whys.setdefault(_why_not(each.knee), []).append(each.operations)
    parts = [f"Knees: {'; '.join(told)}."] if told else []
    parts += [f"No identifiable knee for {'; '.join(names)}: {why}." for why, names in whys.items()]
    parts += [f"See the table in the report for {rest} more."] if rest > 0 else []
    return " ".join(parts)


def knees_named(knees: Sequence[SweptKnee]) -> str:
    """The depths of the knees, and the workloads without one. The report has intervals and reasons."""
    told = [f"{each.operations} at {_depth(point)}" for each in knees if (point := each.knee.point) is not None]
    none = [each.operations for each in knees if each.knee.point is None]
    parts = [f"Knees: {'; '.join(told)}."] if told else []
    parts += [f"No identifiable knee for {'; '.join(none)}: see the report."] if none else []
    return " ".join(parts)


def scaling_sentences(operations: str, scaling: Scaling) -> tuple[str, ...]:
    """A sentence on the bounds and one on the Universal Scalability Law; nothing if no depth has results."""
    bounds, law = scaling.bounds, scaling.law
    if bounds is None:
        return ()
    lowest = f"{format_latency(bounds.fastest.latency_ns)} at {_depth(bounds.fastest)}"
    least = (
        f"By Little's law, {format_iops(bounds.best.throughput)} IOPS of {operations} require at least "
        f"{significant(bounds.queue_depth_least, 3)} operations in flight "
        f"{in_parentheses(f'the rate times the lowest mean latency, {lowest}')}."
    )
    if law.state is LawState.TOO_FEW_DEPTHS or law.residual_share is None:
        return (least,)
    off = f"{100 * law.residual_share:+.0f} % at depth {law.residual_queue_depth}"
    if law.contention is None or law.coherency is None:
        return least, f"The Universal Scalability Law does not fit {operations}: the largest error is {off}."
    peak = (
        f"throughput peaks near depth {significant(law.peak_queue_depth, 2)}"
        if law.peak_queue_depth is not None
        else f"throughput has no peak up to depth {scaling.depths[-1]}"
    )
    fitted = (
        f"The Universal Scalability Law fits {operations} to within {100 * abs(law.residual_share):.0f} %, with "
        f"contention {significant(100 * law.contention, 2)} % and coherency {significant(100 * law.coherency, 2)} %; "
        f"{peak}."
    )
    return least, fitted


def knee_table(knees: Sequence[SweptKnee]) -> ResultTable | None:
    """The knee by each rule for each sweep; None if no rule was applied."""
    lines = []
    for each in knees:
        knee, priced = each.knee, _Priced(each)
        lines += [
            Line((each.name, RULE_NAMES[answer.rule], *_cells(answer), *priced.texts(answer.queue_depth)))
            for answer in knee.answers
        ]
        if knee.point is not None:
            depth = knee.point.queue_depth
            lines.append(Line((each.name, "recommended depth", str(depth), *_ends(knee), *priced.texts(depth))))
    if not lines:
        return None
    return ResultTable(
        caption="Requested queue depth at the knee, for each of three rules. For a mix, the knee applies to all "
        "operations combined.",
        heads=(
            Head("Operations", number=False),
            Head("Rule", number=False),
            Head("Knee", "QD requested"),
            Head("From", "95 % CI"),
            Head("To", "95 % CI"),
            Head("IOPS", "% of the peak"),
            Head("Mean latency", "% of the peak"),
            Head("Mean latency", "ratio to lowest depth"),
        ),
        lines=tuple(lines),
        notes=(
            "Confidence intervals (CI) are computed by bootstrap resampling of the repeats at each depth.",
            "The peak is the depth with the highest throughput.",
        ),
    )


class _Priced:
    """Throughput and mean latency at the depths of a sweep, relative to the peak and to the lowest depth."""

    def __init__(self, swept: SweptKnee) -> None:
        points = depth_points(swept.sweep.cells, swept.sweep.whole)
        self._points = {point.queue_depth: point for point in points}
        self._best, self._lowest = swept.knee.best, swept.knee.lowest

    def texts(self, queue_depth: int | None) -> tuple[str, str, str]:
        """Throughput and mean latency in percent of the peak, and the ratio of mean latency to the lowest depth."""
        if queue_depth is None or self._best is None or self._lowest is None:
            return (Dash(NO_KNEE), Dash(NO_KNEE), Dash(NO_KNEE))
        point = self._points[queue_depth]
        return (
            _share_text(point.throughput / self._best.throughput),
            _share_text(point.latency_ns / self._best.latency_ns),
            significant(point.latency_ns / self._lowest.latency_ns, 2),
        )


def scaling_table(knees: Sequence[SweptKnee]) -> ResultTable | None:
    """The bounds and the scaling law of each sweep; None if sentences have them."""
    if len(knees) <= TOLD_IN_FULL_MAX:
        return None
    told = [(each.name, each.sweep.scaling) for each in knees if each.sweep.scaling.bounds is not None]
    lines = tuple(
        Line(
            (
                name,
                format_iops(bounds.best.throughput),
                significant(bounds.queue_depth_least, 3),
                *_law_texts(scaling),
            )
        )
        for name, scaling in told
        if (bounds := scaling.bounds) is not None
    )
    if not lines:
        return None
    return ResultTable(
        caption="Bounds and Universal Scalability Law parameters of each sweep.",
        heads=(
            Head("Operations", number=False),
            Head("Best", "IOPS"),
            Head("Minimum depth", "in flight"),
            Head("Contention", "%"),
            Head("Coherency", "%"),
            Head("Largest error", "%"),
            Head("Error at", "QD requested"),
            Head("Peak", "depth"),
        ),
        lines=lines,
        notes=(),
    )


NO_LAW_FITTED: Final = f"the fit needs at least {POINTS_MIN} depths"
NO_LAW: Final = "the fit is off by more than 10 % at some depth"
NO_PEAK: Final = "no peak in the measured range"


def _law_texts(scaling: Scaling) -> tuple[str, ...]:
    law = scaling.law
    if law.residual_share is None:
        return (Dash(NO_LAW_FITTED),) * 5
    off = (f"{100 * law.residual_share:+.0f}", str(law.residual_queue_depth))
    if law.contention is None or law.coherency is None:
        return (Dash(NO_LAW), Dash(NO_LAW), *off, Dash(NO_LAW))
    peak = Dash(NO_PEAK) if law.peak_queue_depth is None else significant(law.peak_queue_depth, 2)
    return (
        significant(law.contention * 100, 2),
        significant(law.coherency * 100, 2),
        *off,
        peak,
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
        f"{RULE_NAMES[answer.rule]}: {'none' if answer.queue_depth is None else answer.queue_depth}"
        for answer in knee.answers
    )
    rules = "by all three rules" if len(named) == 1 else each
    return f"{rules}; {_interval(knee.queue_depth_low, knee.queue_depth_high)}"


def _interval(low: int | None, high: int | None) -> str:
    return "no CI: not every depth has two repeats" if low is None else f"95 % CI {low} to {high}"


def _bargain(knee: Knee) -> str:
    """The throughput and the latency at the knee, relative to the peak and to the lowest depth."""
    assert knee.best is not None
    assert knee.lowest is not None
    assert knee.throughput_share is not None
    assert knee.latency_ratio is not None
    assert knee.latency_share is not None
    tail = "" if knee.latency_p99_ratio is None else f" (p99: {significant(knee.latency_p99_ratio, 2)} times)"
    growth = f"{significant(knee.latency_ratio, 2)} times the value at depth {knee.lowest.queue_depth}{tail}"
    if knee.throughput_share == 1:
        best = f"throughput is the best of the sweep ({format_iops(knee.best.throughput)} IOPS)"
        return f"{best}. Mean latency is {growth}"
    return (
        f"throughput is {100 * knee.throughput_share:.0f} % of the best {in_parentheses(_best(knee.best))}. "
        f"Mean latency is {_share_text(knee.latency_share)} % of the value at depth {knee.best.queue_depth} and "
        f"{growth}"
    )


def _share_text(share: float) -> str:
    return significant(100 * share, 2)


def _why_not(knee: Knee) -> str:
    lowest, best = knee.lowest, knee.best
    if knee.reason is KneeReason.TOO_FEW_DEPTHS or lowest is None or best is None:
        return f"at least {DEPTHS_MIN} depths with results are required, but the sweep has {len(knee.depths)}"
    if knee.reason is KneeReason.FLAT:
        assert knee.throughput_share_least is not None
        return (
            f"throughput is at least {100 * knee.throughput_share_least:.0f} % of the best "
            f"{in_parentheses(_best(best))} at all depths from {lowest.queue_depth} upwards, so the sweep does not "
            "show where throughput stops growing"
        )
    if knee.reason is KneeReason.GROWING:
        assert knee.growth_share is not None
        shallow, deep = knee.depths[-2:]
        deeper = [depth for depth in knee.unmeasured if depth > deep]
        gap = (
            f", and there are no results at {', '.join(map(str, deeper))}"
            if deeper
            else ", the largest depth of this sweep"
        )
        return f"throughput still grows by {100 * knee.growth_share:.0f} % from depth {shallow} to {deep}{gap}"
    return f"the rules or the repeats disagree by more than half the depth range ({_rules(knee)})"


def _best(point: DepthPoint) -> str:
    return f"{format_iops(point.throughput)} IOPS at {_depth(point)}"


def _depth(point: DepthPoint) -> str:
    return depth_label(point.queue_depth, point.queue_depth_achieved, point.queue_depth_device)
