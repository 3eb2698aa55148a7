"""Rules about the end of a cell: what was still under way then is in no figure."""

from collections.abc import Iterator
from typing import Final

from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord, Outcome
from iosonde.units import format_latency

# At a moment of nobody's choice an operation is seldom older than the slowest of thousands, and hardly ever twice.
TIMES_SLOWEST: Final = 2.0
# What is shorter than the kernel's own turns says nothing about the target.
AGE_NS_MIN: Final = 10_000_000


def slowest_not_counted(case: Case) -> Iterator[Finding]:
    """Operations that were still under way at the end had already taken longer than any that is counted."""
    found = [(record, ages) for record in case.run.cells if (ages := _ages(record)) is not None]
    if not found:
        return
    record, (age_ns, slowest_ns) = max(found, key=lambda each: each[1][0])
    censored = record.censored
    assert censored is not None
    in_the_end = ""
    if censored.latency_ns_max > age_ns:
        in_the_end = f", and took {format_latency(censored.latency_ns_max)} in the end"
    slowest = f"the slowest that is counted took {format_latency(slowest_ns)}" if slowest_ns else "none is counted"
    cells = distinct(each.cell for each, _ in found)
    yield Finding(
        id="slowest-not-counted",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(found), 'measurement')} the target stood still when measuring ended: in {record.cell}, "
            f"repeat {record.repeat}, {count_of(censored.count, 'operation')} had been under way for "
            f"{format_latency(age_ns)}{in_the_end}; {slowest}. What had not come back by the end is in no latency "
            "figure, so these cells' latencies are too good."
        ),
        evidence=tuple(
            (
                each.cell,
                f"repeat {each.repeat}: {format_latency(age)} at the end, {format_latency(counted)} at most counted",
            )
            for each, (age, counted) in found[:10]
        ),
        advice="Take these cells' latencies for a lower bound, and look for what made the target stand still.",
        deciding_test="The same cells with a longer --duration, so that what stands still comes back within it.",
        cells=cells,
    )


def _ages(record: CellRecord) -> tuple[int, int] | None:
    """How old the oldest operation under way at the end was, and how long the slowest counted took, if that matters."""
    censored = record.censored
    if (
        record.outcome is not Outcome.FINISHED
        or censored is None
        or not censored.count
        or censored.age_ns_max < AGE_NS_MIN
    ):
        return None
    slowest_ns = max((totals.latency_ns_max for totals in record.operations.values()), default=0)
    return (censored.age_ns_max, slowest_ns) if censored.age_ns_max > TIMES_SLOWEST * slowest_ns else None


END_RULES = (slowest_not_counted,)
