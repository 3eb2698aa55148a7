"""Rules that compare the engine's measurements with what the kernel counted at the devices."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.device_counts import WITNESSED, Witnessed, apart_ns, witnessed
from iosonde.findings.case import Case, distinct, of_trial, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine, Operation, Outcome, Sync
from iosonde.units import format_bandwidth, format_latency, format_percent

COUNTS_SHARE_MAX: Final = 0.02
"""The allowed difference between the two counts. They read the clock at slightly different times."""

LOOKS_APART_NS: Final = 4_000_000
"""On a busy host, the kernel's counts may be read up to this long after the measurement begins or ends."""

TIME_SHARE_MAX: Final = 0.05
"""The allowed difference of mean latency, in addition to what the host adds to it."""

_MOVES_DATA: Final = (Operation.READ, Operation.WRITE)


@dataclass(frozen=True)
class _Mismatch:
    """An operation of a repeat whose two counts differ, and the difference as a share of the engine's count."""

    record: CellRecord
    witness: Witnessed
    share: float


def device_counts_differ(case: Case) -> Iterator[Finding]:
    """The kernel counted a different amount of data at the device than the engine."""
    mismatches = [mismatch for record in case.run.cells for mismatch in _count_mismatches(case, record)]
    if mismatches:
        mismatches.sort(key=lambda mismatch: -abs(mismatch.share))
        worst = mismatches[0]
        witness = worst.witness
        is_less = witness.device_bytes_per_s < witness.bytes_per_s
        on_devices = all(target.kind == "device" for target in case.run.header.targets)
        yield Finding(
            id="device-counts-differ",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN if is_less and not on_devices else Confidence.LIKELY,
            statement=(
                f"In {case.trials(len(mismatches))}, the kernel and the engine counted different amounts of "
                f"I/O. The largest difference is in {worst.record.cell}, {trial_name(worst.record)}: "
                f"{_amounts(witness)} ({format_percent(worst.share, 1, signed=True)})."
            ),
            evidence=tuple(of_trial(each.record, _amounts(each.witness)) for each in mismatches[:10]),
            advice=(
                "The kernel's counts can be read too early or too late on a busy host, which matters in short trials. "
                "Measure longer, on a host that does nothing else."
                if is_less and on_devices
                else "Some of the I/O did not reach the device. Possible causes are the page cache, reads of unwritten "
                "blocks, and file-system compression. The results describe the file system, not the device."
                if is_less
                else "Other I/O reached the device during the run. Stop it and run again."
            ),
            deciding_test=(
                "Run the cell again and monitor the device with `iostat -x 1`."
                if on_devices
                else "Run the cell again and monitor the device with `iostat -x 1`. If the cell only reads, unmount "
                "the device first and specify it as the target."
            ),
            cells=distinct(each.record.cell for each in mismatches),
        )


def device_times_differ(case: Case) -> Iterator[Finding]:
    """Mean latency does not match the mean request time that the kernel measured."""
    mismatches = [mismatch for record in case.run.cells for mismatch in _time_mismatches(case, record)]
    if mismatches:
        mismatches.sort(key=lambda mismatch: -abs(mismatch.share))
        worst = mismatches[0]
        is_below = worst.share < 0
        yield Finding(
            id="device-times-differ",
            severity=Severity.INVALID if is_below else Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"In {case.trials(len(mismatches))}, mean latency does not match the mean request time measured "
                f"by the kernel. The largest difference is in {worst.record.cell}, {trial_name(worst.record)}: "
                f"{_times(worst.witness)}."
            ),
            evidence=tuple(of_trial(each.record, _times(each.witness)) for each in mismatches[:10]),
            advice=(
                "Latency cannot be lower than the kernel's request time. Do not use either value. Report this as a bug."
                if is_below
                else "Part of this latency is host overhead. Check the CPU load, and run again at a lower queue depth."
            ),
            deciding_test="Trace the device with blktrace, or measure the cell in a file with --engine fio.",
            cells=distinct(each.record.cell for each in mismatches),
        )


def _is_alone(case: Case) -> bool:
    """Whether all targets are devices without a known other user, so that only the engine used them."""
    targets = case.run.header.targets
    return all(target.kind == "device" and not target.uses for target in targets)


def _witnesses(case: Case, record: CellRecord) -> Iterator[Witnessed]:
    workload = record.workload
    is_direct = all(target.direct for target in case.run.header.targets)
    # The block layer does not count passthrough commands, and an fdatasync writes more than the engine counts.
    is_counted = record.own_engine is not None and record.own_engine.engine is not Engine.PASSTHROUGH
    if record.outcome is Outcome.FINISHED and is_direct and is_counted and workload.sync is not Sync.FDATASYNC:
        for operation in WITNESSED:
            known = witnessed(record, operation)
            if known is not None:
                yield known


def _count_mismatches(case: Case, record: CellRecord) -> Iterator[_Mismatch]:
    for witness in _witnesses(case, record):
        if witness.operation not in _MOVES_DATA:
            continue
        share = witness.device_bytes_per_s / witness.bytes_per_s - 1
        edges = 2 * record.workload.operations_in_flight / witness.count
        allowed = COUNTS_SHARE_MAX + edges + (LOOKS_APART_NS + apart_ns(record)) / record.measured_ns
        # If others may use the device, a higher count of the kernel is expected.
        if share < -allowed or (share > allowed and _is_alone(case)):
            yield _Mismatch(record, witness, share)


def _time_mismatches(case: Case, record: CellRecord) -> Iterator[_Mismatch]:
    for witness in _witnesses(case, record) if _is_alone(case) else ():
        device_ns = witness.device_ns_mean
        if device_ns is None or witness.operation not in _MOVES_DATA:
            continue
        over_ns = witness.latency_ns_mean - device_ns
        allowed_ns = TIME_SHARE_MAX * device_ns + _resolution_ns(witness, record)
        if over_ns < -allowed_ns or over_ns > allowed_ns + _host_ns(record):
            yield _Mismatch(record, witness, over_ns / witness.latency_ns_mean)


def _resolution_ns(witness: Witnessed, record: CellRecord) -> float:
    """The resolution of the comparison, in ns per operation.

    The kernel reports sums in whole milliseconds, and operations in flight at the edges are in one count only.
    """
    at_edges = 2 * record.workload.operations_in_flight
    return (2_000_000 + at_edges * witness.latency_ns_mean) / witness.count


def _host_ns(record: CellRecord) -> float:
    """The largest time that this host adds to an operation: CPU time, backlog, and the wait for the next poll."""
    operations = sum(totals.count for totals in record.operations.values())
    cpu_ns = (record.cpu_workers_ns or 0) / operations
    backlog_ns = (record.backlog_ns or 0) / operations
    gaps = record.reap_granularity
    gap_ns = 0.0 if gaps is None else gaps.ns_sum / max(sum(gaps.histogram.count), 1)
    return cpu_ns * _together(record) + backlog_ns + gap_ns


def _together(record: CellRecord) -> int:
    """The number of operations whose CPU time an operation may have to wait for in the host."""
    own = record.own_engine
    if own is None:
        return 1
    # Each operation has its own thread, and all other threads may run first.
    if own.engine is Engine.PSYNC:
        return own.workers
    # The operations of a batch are submitted and reaped together.
    return min(record.workload.queue_depth, own.batch_max)


def _amounts(witness: Witnessed) -> str:
    ours, device = format_bandwidth(witness.bytes_per_s), format_bandwidth(witness.device_bytes_per_s)
    return f"{witness.operation} bandwidth {ours} measured by the engine, {device} by the kernel"


def _times(witness: Witnessed) -> str:
    ours, device = format_latency(witness.latency_ns_mean), format_latency(witness.device_ns_mean or 0)
    return f"{ours} measured by the engine, {device} by the kernel"
