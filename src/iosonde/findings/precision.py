"""Rules about how well figures are known, against what the user asked for."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.estimate import REPEATS_MIN
from iosonde.analysis.missing import why_no_mean_interval
from iosonde.analysis.precision import Precision, Reason, precision_of
from iosonde.findings.case import Case, count_of, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import Aim
from iosonde.units import format_duration, minutes_flag

EVIDENCE_MAX = 10
# A forecast of longer than so many budgets is a guess about the next day.
BUDGETS_FORECAST_MAX: Final = 20

REASONS: Final = {
    Reason.UNMEASURED: "without figures",
    Reason.TOO_FEW_REPEATS: "with too few repeats to say how they differ",
    Reason.WARMING_UP: "still warming up when measuring began",
    Reason.TAIL_TOO_THIN: "with too few operations for a p99",
    Reason.REPEATS_DIFFER: "with repeats that differ by more than each by itself explains",
    Reason.TOO_SHORT: "measured for too short a time",
}


def precision_missed(case: Case) -> Iterator[Finding]:
    """Cells are known less exactly than was asked, though all of the budget is spent; their intervals hold."""
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
            f"{count_of(len(missed), 'cell')} of {len(asked)} {'is' if len(missed) == 1 else 'are'} known less exactly "
            f"than the {percent} that were asked ({aim.tail_percent:g} % for p99), since the budget of {budget} ended "
            f"({_causes(missed)}). "
            f"{_told(max(missed, key=_widest_share))}"
        ),
        evidence=tuple((each.cell, _widest(each)) for each in missed[:EVIDENCE_MAX]),
        advice="Use these figures with their intervals, which hold; give more time or ask for less to meet the aim.",
        deciding_test=_longer(case, missed, aim),
        cells=tuple(each.cell for each in missed),
    )


def not_established(case: Case) -> Iterator[Finding]:
    """A cell's throughput or mean latency has no interval though it was repeated, or its repeats never settled."""
    if not case.run.finished or case.run.header.plan.repeats < REPEATS_MIN:
        return  # One repeat was asked for, and each figure says that it has no interval.
    found = [(cell.cell, why) for cell in case.estimates.cells if (why := _why_not_established(case, cell))]
    if not found:
        return
    counts = Counter(why for _, why in found)
    causes = "; ".join(f"{number} because {why}" for why, number in counts.most_common())
    yield Finding(
        id="not-established",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=f"The figures of {name_some(tuple(cell for cell, _ in found))} are not established ({causes}).",
        evidence=tuple(found[:EVIDENCE_MAX]),
        advice="Do not rely on the figures of these cells: nothing tells how far off they may be.",
        deciding_test="The same cells for several times as long, with three repeats or more.",
        cells=tuple(cell for cell, _ in found),
    )


def _why_not_established(case: Case, cell: CellEstimate) -> str:
    """Why figures of a cell can't be relied on at all, as far as intervals tell; empty where they can."""
    subject = cell.subject
    if subject is None:
        return ""  # It has no figures, and says so.
    aim = case.run.header.plan.aim
    if aim is not None and precision_of(cell, aim.precision_percent).reason is Reason.WARMING_UP:
        return "its longest warm-up was too short"
    return why_no_mean_interval(subject.iops) or (
        "" if subject.saturated else why_no_mean_interval(subject.latency_ns_mean)
    )


def _has_aim(case: Case, name: str) -> bool:
    plan = next((each for each in case.run.header.plan.cells if each.cell == name), None)
    return plan is not None and plan.timing.amount_bytes is None


def _causes(missed: Sequence[Precision]) -> str:
    counts = Counter(each.reason for each in missed if each.reason is not None)
    return ", ".join(f"{number} {REASONS[reason]}" for reason, number in counts.most_common())


def _told(each: Precision) -> str:
    return f"The widest interval is that of {each.cell}: {_widest(each)}."


def _widest_share(each: Precision) -> float:
    return max(figure.half_width_share or 0.0 for figure in each.known)


def _widest(each: Precision) -> str:
    """The widest interval of a cell, and which of its figures has none."""
    known = [(share, figure.name) for figure in each.known if (share := figure.half_width_share) is not None]
    widest = [f"±{share:.1%} of its {name}" for share, name in sorted(known)[-1:]]
    missing = [figure.name for figure in each.known if figure.half_width_share is None]
    return ", ".join([*widest, *(f"no interval of its {each}" for each in missing)])


def _longer(case: Case, missed: Sequence[Precision], aim: Aim) -> str:
    """What the same would take with more time: intervals narrow with the square root of it."""
    names = {each.cell: each.doubt for each in missed}
    more_ns = sum(
        record.timing.measure_ns * (names[record.cell] ** 2 - 1)
        for record in case.run.cells
        if isfinite(names.get(record.cell, inf))
    )
    if aim.budget_ns + more_ns > BUDGETS_FORECAST_MAX * aim.budget_ns:
        return f"--precision {5 * aim.precision_percent:g}% shows what the same time can tell."
    budget = minutes_flag(aim.budget_ns + more_ns)
    return f"The same run with --budget {budget}, as far as chance alone stands in the way."
