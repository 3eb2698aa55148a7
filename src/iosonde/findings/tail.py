"""Rules about the slowest operations: what they have in common, and those that are in no figure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf
from typing import Final

from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.slowest import Common, Shared, shared_by_slowest
from iosonde.analysis.totals import total_of
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_duration, format_latency, format_size

EVIDENCE_MAX: Final = 10
# At a moment of nobody's choice an operation is seldom older than the slowest of thousands, and hardly ever twice.
TIMES_SLOWEST: Final = 2.0
# What is shorter than the kernel's own turns says nothing about the target.
AGE_NS_MIN: Final = 10_000_000

ADVICE: Final = {
    Common.TIME: "Read the tail as a few moments in which the target stood still, or a queue built up: how often they "
    "come matters, and not the share of operations in them.",
    Common.GROUP: "Read the tail as so many stalls: look for what comes as often, in the target or beside it.",
    Common.OFFSET: "Look at that part of the target: its health, and what lies beside it.",
    Common.OPERATION: "Read the percentiles of that direction by itself.",
    Common.TARGET: "Measure that target by itself.",
}


def slowest_together(case: Case) -> Iterator[Finding]:
    """Most of the slowest operations of a cell have something in common."""
    found = [
        (record, shared)
        for record in case.used
        for shared in shared_by_slowest(record, case.run.header.plan.span_bytes)
    ]
    for common in Common:
        alike = [(record, shared) for record, shared in found if shared.common is common]
        if not alike:
            continue
        alike.sort(key=lambda each: -each[1].count)
        record, shared = alike[0]
        cells = distinct(each.cell for each, _ in alike)
        more = f"; the same holds for {count_of(len(alike) - 1, 'repeat')} more, of {name_some(cells)}"
        yield Finding(
            id=f"slowest-by-{common}",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"Of the {shared.kept} slowest operations of {record.cell}, repeat {record.repeat}, "
                f"{shared.count} {describe_shared(shared)}, where chance would have {shared.expected:.0f}"
                f"{more if len(alike) > 1 else ''}."
            ),
            evidence=tuple(_evidence(each, also) for each, also in alike[:EVIDENCE_MAX]),
            advice=ADVICE[common],
            deciding_test="The same cell for longer: what has a cause comes again.",
            cells=cells,
        )


def describe_shared(shared: Shared) -> str:
    """What they have in common, as the end of a sentence."""
    if shared.common is Common.TIME:
        within = format_duration(max(shared.high - shared.low, 1))
        return f"ended within {within} of each other, {format_duration(shared.low)} after measuring began"
    if shared.common is Common.GROUP:
        groups, near = count_of(shared.groups, "group"), format_duration(shared.high)
        return f"came in {groups}, in which each operation ended within {near} of the next"
    if shared.common is Common.OFFSET:
        return f"lie between {format_size(shared.low)} and {format_size(shared.high)}"
    kind = "are of the class" if shared.common is Common.OPERATION else "went to target"
    return f"{kind} {shared.name}"


def _evidence(record: CellRecord, shared: Shared) -> tuple[str, str]:
    return record.cell, f"repeat {record.repeat}: {shared.count} of {shared.kept} {describe_shared(shared)}"


def slowest_not_counted(case: Case) -> Iterator[Finding]:
    """Operations that were still under way at the end had already taken longer than any that is counted."""
    found = [(record, ages) for record in case.used if (ages := _ages(record)) is not None]
    if not found:
        return
    lost = _lost_shares(case.used, [record for record, _ in found])
    grave = tuple(cell for cell, share in lost.items() if share > LEVEL_SHARE_MIN)
    record, (age_ns, slowest_ns) = max(found, key=lambda each: each[1][0])
    censored = record.censored
    assert censored is not None
    in_the_end = ""
    if censored.latency_ns_max > age_ns:
        in_the_end = f", and took {format_latency(censored.latency_ns_max)} in the end"
    slowest = f"the slowest that is counted took {format_latency(slowest_ns)}" if slowest_ns else "none is counted"
    yield Finding(
        id="slowest-not-counted",
        severity=Severity.INVALID if grave else Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(found), 'measurement')} the target stood still when measuring ended: in {record.cell}, "
            f"repeat {record.repeat}, {count_of(censored.count, 'operation')} had been under way for "
            f"{format_latency(age_ns)}{in_the_end}; {slowest}. What had not come back by the end is in no latency "
            f"figure: {_too_good(max(lost.values()))}."
        ),
        evidence=tuple(
            (
                each.cell,
                f"repeat {each.repeat}: {format_latency(age)} at the end, {format_latency(counted)} at most counted",
            )
            for each, (age, counted) in found[:EVIDENCE_MAX]
        ),
        advice="Take these cells' latencies for a lower bound, and look for what made the target stand still.",
        deciding_test="The same cells with a longer --duration, so that what stands still comes back within it.",
        # Where others are worse, those whose means hardly change are none of them.
        cells=grave or tuple(lost),
    )


def _too_good(share: float) -> str:
    if share > 1:
        return "latencies are too good, the mean by more than itself"
    return f"latencies are too good, the mean by up to {share:.1%}, the tail by more"


def _lost_shares(records: Sequence[CellRecord], silent: Sequence[CellRecord]) -> dict[str, float]:
    """By cell, what the operations that were not counted would add to its mean latency, at most."""
    lost_ns: dict[str, int] = defaultdict(int)
    counted_ns: dict[str, int] = defaultdict(int)
    for record in silent:
        assert record.censored is not None
        lost_ns[record.cell] += record.censored.count * max(record.censored.latency_ns_max, record.censored.age_ns_max)
    for record in records:
        if record.cell in lost_ns and (totals := total_of(record.operations, record.workload.subject)) is not None:
            counted_ns[record.cell] += totals.latency_ns_sum
    return {cell: ns / counted_ns[cell] if counted_ns[cell] else inf for cell, ns in lost_ns.items()}


def _ages(record: CellRecord) -> tuple[int, int] | None:
    """How old the oldest operation under way at the end was, and how long the slowest counted took, if that matters."""
    censored = record.censored
    if censored is None or not censored.count or censored.age_ns_max < AGE_NS_MIN:
        return None
    slowest_ns = max((totals.latency_ns_max for totals in record.operations.values()), default=0)
    return (censored.age_ns_max, slowest_ns) if censored.age_ns_max > TIMES_SLOWEST * slowest_ns else None
