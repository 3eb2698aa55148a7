"""Rules about what the slowest operations have in common."""

from collections.abc import Iterator
from typing import Final

from iosonde.analysis.slowest import Common, Shared, shared_by_slowest
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_duration, format_size

EVIDENCE_MAX: Final = 10
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


SLOWEST_RULES = (slowest_together,)
