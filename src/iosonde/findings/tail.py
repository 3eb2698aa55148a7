"""Rules about the slowest operations: what they have in common, and those that no result includes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf
from typing import Final

from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.queue_rounds import queue_rounds
from iosonde.analysis.slowest import KEPT_MIN, Common, Shared, shared_by_slowest
from iosonde.analysis.tail_causes import SHARE_MIN, Cause, causes_of
from iosonde.analysis.totals import total_of
from iosonde.findings.case import Case, count_of, distinct, of_trial, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.findings.load import COLD_SHARE_INVALID
from iosonde.records import CellRecord, Operation
from iosonde.units import format_duration, format_latency, format_percent, format_size

EVIDENCE_MAX: Final = 10
# At a random time, an operation in flight is seldom older than the slowest of thousands, and hardly ever twice as old.
TIMES_SLOWEST: Final = 2.0
# A shorter wait can be the kernel's scheduling and says nothing about the target.
AGE_NS_MIN: Final = 10_000_000

ADVICE: Final = {
    Common.TIME: "Treat tail latency as the result of a few events, such as stalls or queue build-up. Consider how "
    "often these events occur, not what percentage of operations they affect.",
    Common.GROUP: "Treat tail latency as the result of a series of stalls. Look for recurring activity that coincides "
    "with these stalls.",
    Common.OFFSET: "This region of the target may be slower, or the I/O scheduler may be dispatching requests in LBA "
    "order. On a virtual disk, the hypervisor may have cached other regions. If the pattern persists on a physical "
    "drive with the `none` scheduler, check the region for media errors.",
    Common.OPERATION: "Evaluate the percentiles of each class of operations separately: the table has a row for each.",
    Common.TARGET: "Measure this target separately.",
}
HOST_ADVICE: Final = {
    Common.TIME: " Operations that completed at the same time were reaped together, so the host may have stalled "
    "instead of the target.",
    Common.GROUP: " It can be in the target or on the host.",
}
"""What to add where a host takes part, which it does not in a simulation."""


def slowest_together(case: Case) -> Iterator[Finding]:
    """Most of the slowest operations of a cell have something in common."""
    found = [
        (record, shared)
        for record in case.used
        # In a queue that was still filling, the slowest operations are those of its beginning.
        if not _is_cold(record)
        for shared in shared_by_slowest(record, case.run.header.plan.span_bytes)
    ]
    for common in Common:
        alike = [(record, shared) for record, shared in found if shared.common is common]
        if not alike:
            continue
        alike.sort(key=lambda each: -each[1].count)
        record, shared = alike[0]
        cells = distinct(each.cell for each, _ in alike)
        where = case.trials_of([each for each, _ in alike[1:]], "more")
        more = f" The same pattern occurred in {where}."
        if common is Common.OPERATION:
            more = f" In {where}, the slowest operations are also of a single class, which the evidence names."
        yield Finding(
            id=f"slowest-by-{common}",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{shared.count} of the {shared.kept} slowest operations in {record.cell}, {trial_name(record)}, "
                f"{describe_shared(shared)}. About {shared.expected:.0f} would be expected by chance."
                f"{more if len(alike) > 1 else ''}"
            ),
            evidence=tuple(_evidence(each, also) for each, also in alike[:EVIDENCE_MAX]),
            advice=ADVICE[common] + ("" if case.is_simulated else HOST_ADVICE.get(common, "")),
            deciding_test="Run the cell again for longer. If the pattern recurs, it is not a coincidence.",
            cells=cells,
        )


def slowest_by_host(case: Case) -> Iterator[Finding]:
    """The host delayed most of the slowest operations of a repeat."""
    found = []
    for record in case.used:
        causes = causes_of(record)
        host = causes.count(Cause.HOST)
        if len(causes) >= KEPT_MIN and host >= SHARE_MIN * len(causes):
            found.append((record, host, len(causes)))
    if not found:
        return
    found.sort(key=lambda each: -each[1] / each[2])
    record, host, kept = found[0]
    cells = distinct(each.cell for each, _, _ in found)
    more = f" The same applies to {case.trials_of([each for each, _, _ in found[1:]], 'more')}."
    yield Finding(
        id="slowest-by-host",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The host delayed {host} of the {kept} slowest operations in {record.cell}, {trial_name(record)}: its "
            "part is at least half of their delay over the median latency."
            f"{more if len(found) > 1 else ''}"
        ),
        evidence=tuple(of_trial(each, _host_evidence(each, number)) for each, number, _ in found[:EVIDENCE_MAX]),
        advice="Treat the highest percentiles of these cells as properties of the host and not of the target. Stop "
        "other programs on the worker's CPUs, or reserve CPUs for iosonde (`isolcpus`, a cpuset cgroup).",
        deciding_test="Run the cells again on an idle host. If the highest percentiles fall, the host was the cause.",
        cells=cells,
    )


def _host_evidence(record: CellRecord, host: int) -> str:
    delays_ns = [each.host.run_delay_ns for each in record.slowest if each.host is not None]
    longest = f", longest wait for a CPU {format_latency(max(delays_ns))}" if any(delays_ns) else ""
    return f"{host} of {len(record.slowest)}{longest}"


def _is_cold(record: CellRecord) -> bool:
    rounds = queue_rounds(record)
    return rounds is not None and rounds.bias_share > COLD_SHARE_INVALID


def describe_shared(shared: Shared) -> str:
    """What the operations have in common, as the predicate of a sentence."""
    if shared.common is Common.TIME:
        within = format_latency(max(shared.high - shared.low, 1))
        return f"completed within {within} of each other, {format_duration(shared.low)} into the measurement"
    if shared.common is Common.GROUP:
        groups, near = count_of(shared.groups, "group"), format_latency(shared.high)
        return f"completed in {groups}, with at most {near} between consecutive completions in a group"
    if shared.common is Common.OFFSET:
        return f"have offsets between {format_size(shared.low)} and {format_size(shared.high)}"
    if shared.common is Common.OPERATION:
        return f"are {shared.name}{'es' if shared.name == Operation.FLUSH else 's'}"
    return f"went to target {shared.name}"


def _evidence(record: CellRecord, shared: Shared) -> tuple[str, str]:
    return record.cell, f"{trial_name(record)}: {shared.count} of {shared.kept} {describe_shared(shared)}"


def slowest_not_counted(case: Case) -> Iterator[Finding]:
    """Operations in flight at the end of the measurement were already older than any that completed."""
    found = [(record, ages) for record in case.used if (ages := _ages(record)) is not None]
    if not found:
        return
    lost = _lost_shares(case.used, [record for record, _ in found])
    grave = tuple(cell for cell, share in lost.items() if share > LEVEL_SHARE_MIN)
    found.sort(key=lambda each: -each[1][0])
    record, (age_ns, slowest_ns) = found[0]
    censored = record.censored
    assert censored is not None
    in_the_end = ""
    if censored.latency_ns_max > age_ns:
        subject = "it" if censored.count == 1 else "the slowest of them"
        in_the_end = f", and {subject} took {format_latency(censored.latency_ns_max)} in total"
    slowest = (
        f"The slowest operation in the results took {format_latency(slowest_ns)}"
        if slowest_ns
        else "The results include no completed operations"
    )
    yield Finding(
        id="slowest-not-counted",
        severity=Severity.INVALID if grave else Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {case.trials(len(found))}, the target stalled at the end of the measurement. In {record.cell}, "
            f"{trial_name(record)}, {_in_flight(censored.count, age_ns)}{in_the_end}. {slowest}. Latency results "
            f"exclude operations in flight at the end and are therefore too low. {_too_low(max(lost.values()))}."
        ),
        evidence=tuple(
            of_trial(each, f"oldest in flight {format_latency(age)}, slowest completed {format_latency(most)}")
            for each, (age, most) in found[:EVIDENCE_MAX]
        ),
        advice="Treat the latencies of these cells as lower bounds. Investigate why the target stalled.",
        deciding_test=f"{case.longer} Stalled operations can then complete.",
        # If any cell is invalid, do not name those whose mean hardly changes.
        cells=grave or tuple(lost),
    )


def _in_flight(count: int, age_ns: int) -> str:
    """``1 operation had been in flight for 4 s``, ``8 operations had been in flight for up to 4 s``."""
    age = format_latency(age_ns)
    if count == 1:
        return f"1 operation had been in flight for {age}"
    return f"{count} operations had been in flight for up to {age}"


def _too_low(share: float) -> str:
    if share > 1:
        return "The true mean may be more than double the reported mean"
    return f"The true mean may be up to {format_percent(share, 1)} higher, and the effect on the tail is larger"


def _lost_shares(records: Sequence[CellRecord], silent: Sequence[CellRecord]) -> dict[str, float]:
    """By cell, the largest share that operations in flight at the end could add to its mean latency."""
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
    """The age of the oldest operation in flight at the end, and the largest latency in the results, if relevant."""
    censored = record.censored
    if censored is None or not censored.count or censored.age_ns_max < AGE_NS_MIN:
        return None
    slowest_ns = max((totals.latency_ns_max for totals in record.operations.values()), default=0)
    return (censored.age_ns_max, slowest_ns) if censored.age_ns_max > TIMES_SLOWEST * slowest_ns else None
