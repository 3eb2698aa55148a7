"""Rules about the precision achieved, compared with the precision requested."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.estimate import REPEATS_MIN
from iosonde.analysis.missing_reasons import why_no_mean_interval
from iosonde.analysis.precision import Precision, Reason, precision_of
from iosonde.findings.case import Case, count_of, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import Aim
from iosonde.units import format_duration, format_percent, minutes_flag

EVIDENCE_MAX = 10
# A forecast of more than this many budgets is not reliable.
BUDGETS_FORECAST_MAX: Final = 20

REASONS: Final = {
    Reason.UNMEASURED: "without results",
    Reason.TOO_FEW_REPEATS: "with too few repeats to estimate the variation",
    Reason.WARMING_UP: "still warming up when the measurement began",
    Reason.TAIL_TOO_THIN: "with too few operations to estimate p99",
    Reason.REPEATS_DIFFER: "with more variation between repeats than the within-repeat variation explains",
    Reason.TOO_SHORT: "with too little measurement time",
}


def precision_missed(case: Case) -> Iterator[Finding]:
    """The budget ended before cells reached the requested precision. Their intervals are valid."""
    aim = case.run.header.plan.aim
    if aim is None or not case.run.finished:
        return
    asked = [cell for cell in case.estimates.cells if _has_aim(case, cell.cell)]
    found = [precision_of(cell, aim.precision_percent) for cell in asked if not _why_not_established(case, cell)]
    missed = sorted((each for each in found if not each.met), key=lambda each: -each.doubt)
    if not missed:
        return
    percent, budget = f"{aim.precision_percent:g} %", format_duration(aim.budget_ns)
    yield Finding(
        id="precision-missed",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"{len(missed)} of {count_of(len(asked), 'cell')} did not reach the requested precision of {percent} "
            f"({aim.tail_percent:g} % for p99) within the budget of {budget} ({_causes(missed)}). "
            f"{_told(max(missed, key=_widest_share))}"
        ),
        evidence=tuple((each.cell, _widest(each)) for each in missed[:EVIDENCE_MAX]),
        advice=(
            "The confidence intervals are valid; report them with the results. Increase the budget, or relax the "
            "requested precision."
        ),
        deciding_test=_longer(case, missed, aim),
        cells=tuple(each.cell for each in missed),
    )


def not_established(case: Case) -> Iterator[Finding]:
    """Throughput or mean latency of a repeated cell has no interval, or its warm-up was too short."""
    if not case.run.finished or case.run.header.plan.repeats < REPEATS_MIN:
        return  # The plan has one repeat per cell, and each result says that it has no interval.
    # A sustained cell has one trial: its plateaus have intervals of their own.
    cells = case.estimates.without_sustained.cells
    found = [(cell.cell, why) for cell in cells if (why := _why_not_established(case, cell))]
    if not found:
        return
    counts = Counter(why for _, why in found)
    causes = "; ".join(f"{count_of(number, 'cell')}: {why}" for why, number in counts.most_common())
    yield Finding(
        id="not-established",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The results of {name_some(tuple(cell for cell, _ in found))} are unreliable, because the uncertainty of "
            f"throughput or mean latency is unknown ({causes})."
        ),
        evidence=tuple(found[:EVIDENCE_MAX]),
        advice="Do not rely on the results of these cells. Use a longer measurement time and more repeats.",
        deciding_test="Run these cells again with a much longer measurement time and at least three repeats.",
        cells=tuple(cell for cell, _ in found),
    )


def _why_not_established(case: Case, cell: CellEstimate) -> str:
    """Why the results of a cell are not established; empty if they are."""
    subject = cell.subject
    if subject is None:
        return ""  # It has no results, which other findings report.
    aim = case.run.header.plan.aim
    if aim is not None and precision_of(cell, aim.precision_percent).reason is Reason.WARMING_UP:
        return "not settled by the end of the maximum warm-up"
    for quantity, found in (("throughput", subject.iops), ("mean latency", subject.latency_ns_mean)):
        # In a saturated open loop, mean latency depends on the measurement time alone.
        if (why := why_no_mean_interval(found)) and not (subject.saturated and found is subject.latency_ns_mean):
            return f"no interval for {quantity}: {why}"
    return ""


def _has_aim(case: Case, name: str) -> bool:
    plan = next((each for each in case.run.header.plan.cells if each.cell == name), None)
    return plan is not None and plan.timing.amount_bytes is None


def _causes(missed: Sequence[Precision]) -> str:
    counts = Counter(each.reason for each in missed if each.reason is not None)
    return ", ".join(f"{number} {REASONS[reason]}" for reason, number in counts.most_common())


def _told(each: Precision) -> str:
    return f"The least precise cell is {each.cell}, with {_widest(each)}."


def _widest_share(each: Precision) -> float:
    return max(figure.half_width_share or 0.0 for figure in each.known)


def _widest(each: Precision) -> str:
    """The widest interval of a cell, and the quantities that have none."""
    known = [(share, figure.name) for figure in each.known if (share := figure.half_width_share) is not None]
    widest = [f"±{format_percent(share, 1)} (95 % CI) for {name}" for share, name in sorted(known)[-1:]]
    missing = [figure.name for figure in each.known if figure.half_width_share is None]
    return ", ".join([*widest, *(f"no confidence interval for {each}" for each in missing)])


def _longer(case: Case, missed: Sequence[Precision], aim: Aim) -> str:
    """The run that would decide. Interval width falls with the square root of the measurement time."""
    names = {each.cell: each.doubt for each in missed}
    more_ns = sum(
        record.timing.measure_ns * (names[record.cell] ** 2 - 1)
        for record in case.run.cells
        if isfinite(names.get(record.cell, inf))
    )
    if aim.budget_ns + more_ns > BUDGETS_FORECAST_MAX * aim.budget_ns:
        return f"Run again with --precision {5 * aim.precision_percent:g}% to see what precision this budget allows."
    budget = minutes_flag(aim.budget_ns + more_ns)
    return f"Run again with --budget {budget}. This budget is sufficient if only random variation widens the intervals."
