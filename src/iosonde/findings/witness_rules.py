"""Rules about what the kernel counted at the devices, beside what the engine counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.device_counts import WITNESSED, Witnessed, apart_ns, witnessed
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine, Operation, Outcome, Sync
from iosonde.units import format_bandwidth, format_latency

COUNTS_SHARE_MAX: Final = 0.02
"""What both count may differ by so much; the two also look at the clock at slightly other moments."""

LOOKS_APART_NS: Final = 4_000_000
"""So much later than the window begins or ends the kernel's counts may be read, on a host with other things to do."""

TIME_SHARE_MAX: Final = 0.05
"""Mean latency may differ by so much, beside what the host adds to it."""

_MOVES_DATA: Final = (Operation.READ, Operation.WRITE)


@dataclass(frozen=True)
class _Doubt:
    """One class of operations of a measurement whose two counts do not fit, and by what share of ours."""

    record: CellRecord
    witness: Witnessed
    share: float


def device_counts_differ(case: Case) -> Iterator[Finding]:
    """The devices moved other amounts of data than the engine counted."""
    doubts = [doubt for record in case.run.cells for doubt in _count_doubts(case, record)]
    if doubts:
        worst = max(doubts, key=lambda doubt: abs(doubt.share))
        witness = worst.witness
        is_less = witness.device_bytes_per_s < witness.bytes_per_s
        yield Finding(
            id="device-counts-differ",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN if is_less else Confidence.LIKELY,
            statement=(
                f"In {count_of(len(doubts), 'measurement')} the kernel counted other amounts of data at the device "
                f"than the engine: in {worst.record.cell}, repeat {worst.record.repeat}, {_amounts(witness)} "
                f"({worst.share:+.1%})."
            ),
            evidence=tuple((each.record.cell, _amounts(each.witness)) for each in doubts[:10]),
            advice=(
                "What did not reach the device came from elsewhere: the page cache, blocks that were never written, or "
                "a file system that compresses. Take these figures for those of the file system, not the device."
                if is_less
                else "Something else used the device meanwhile, or the file system writes data more than once: look "
                "for it, and measure again without it."
            ),
            deciding_test="The same cell on the whole device, with nothing mounted on it and `iostat -x 1` beside it.",
            cells=distinct(each.record.cell for each in doubts),
        )


def device_times_differ(case: Case) -> Iterator[Finding]:
    """The kernel's own mean time of a request does not fit the mean latency."""
    doubts = [doubt for record in case.run.cells for doubt in _time_doubts(case, record)]
    if doubts:
        worst = max(doubts, key=lambda doubt: abs(doubt.share))
        is_below = worst.share < 0
        yield Finding(
            id="device-times-differ",
            severity=Severity.INVALID if is_below else Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"In {count_of(len(doubts), 'measurement')} mean latency does not fit the kernel's own time of a "
                f"request: in {worst.record.cell}, repeat {worst.record.repeat}, {_times(worst.witness)}."
            ),
            evidence=tuple((each.record.cell, _times(each.witness)) for each in doubts[:10]),
            advice=(
                "A latency below the device's own is none: believe neither, and report it."
                if is_below
                else "Part of these latencies is the host's: look for a busy CPU, and compare at a lower depth."
            ),
            deciding_test="The same cell with --engine fio, or traced with blktrace.",
            cells=distinct(each.record.cell for each in doubts),
        )


def _is_alone(case: Case) -> bool:
    """Whether only the engine used the devices: they are targets themselves, and nobody else is known to use them."""
    targets = case.run.header.targets
    return all(target.kind == "device" and not target.uses for target in targets)


def _witnesses(case: Case, record: CellRecord) -> Iterator[Witnessed]:
    workload = record.workload
    is_direct = all(target.direct for target in case.run.header.targets)
    # The block layer does not count commands of passthrough, and an fdatasync writes what nobody counts.
    is_counted = record.own_engine is not None and record.own_engine.engine is not Engine.PASSTHROUGH
    if record.outcome is Outcome.FINISHED and is_direct and is_counted and workload.sync is not Sync.FDATASYNC:
        for operation in WITNESSED:
            known = witnessed(record, operation)
            if known is not None:
                yield known


def _count_doubts(case: Case, record: CellRecord) -> Iterator[_Doubt]:
    for witness in _witnesses(case, record):
        if witness.operation not in _MOVES_DATA:
            continue
        share = witness.device_bytes_per_s / witness.bytes_per_s - 1
        edges = 2 * record.workload.operations_in_flight / witness.count
        allowed = COUNTS_SHARE_MAX + edges + (LOOKS_APART_NS + apart_ns(record)) / record.measured_ns
        # More on a device that others may use says nothing.
        if share < -allowed or (share > allowed and _is_alone(case)):
            yield _Doubt(record, witness, share)


def _time_doubts(case: Case, record: CellRecord) -> Iterator[_Doubt]:
    for witness in _witnesses(case, record) if _is_alone(case) else ():
        device_ns = witness.device_ns_mean
        if device_ns is None or witness.operation not in _MOVES_DATA:
            continue
        over_ns = witness.latency_ns_mean - device_ns
        allowed_ns = TIME_SHARE_MAX * device_ns + _resolution_ns(witness, record)
        if over_ns < -allowed_ns or over_ns > allowed_ns + _host_ns(record):
            yield _Doubt(record, witness, over_ns / witness.latency_ns_mean)


def _resolution_ns(witness: Witnessed, record: CellRecord) -> float:
    """The kernel tells sums in whole milliseconds, and the two windows differ by what is in flight at their edges."""
    at_edges = 2 * record.workload.operations_in_flight
    return (2_000_000 + at_edges * witness.latency_ns_mean) / witness.count


def _host_ns(record: CellRecord) -> float:
    """What this host adds to an operation at most: its CPU time, its wait in the backlog and until the next look."""
    operations = sum(totals.count for totals in record.operations.values())
    cpu_ns = (record.cpu_workers_ns or 0) / operations
    backlog_ns = (record.backlog_ns or 0) / operations
    gaps = record.reap_granularity
    gap_ns = 0.0 if gaps is None else gaps.ns_sum / max(sum(gaps.histogram.count), 1)
    return cpu_ns * _together(record) + backlog_ns + gap_ns


def _together(record: CellRecord) -> int:
    """Operations that one may have to wait for on its way through the host."""
    own = record.own_engine
    if own is None:
        return 1
    # Each has a thread of its own, and all of them may be run before it.
    if own.engine is Engine.PSYNC:
        return own.workers
    # The others of its batch are handed over and taken with it.
    return min(record.workload.queue_depth, own.batch_max)


def _amounts(witness: Witnessed) -> str:
    ours, device = format_bandwidth(witness.bytes_per_s), format_bandwidth(witness.device_bytes_per_s)
    return f"{ours} of {witness.operation}s, and {device} at the device"


def _times(witness: Witnessed) -> str:
    return f"{format_latency(witness.latency_ns_mean)}, and {format_latency(witness.device_ns_mean or 0)} at the device"


WITNESS_RULES = (device_counts_differ, device_times_differ)
