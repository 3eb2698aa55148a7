"""Rules about the device below: its users, cache and limits, and what the kernel counted there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.device_counts import WITNESSED, Witnessed, apart_ns, witnessed
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellPlan, CellRecord, DeviceFacts, Engine, Operation, Outcome, RunHeader, Sync
from iosonde.units import format_bandwidth, format_latency, format_size

COUNTS_SHARE_MAX: Final = 0.02
"""What both count may differ by so much; the two also look at the clock at slightly other moments."""

LOOKS_APART_NS: Final = 4_000_000
"""So much later than the window begins or ends the kernel's counts may be read, on a host with other things to do."""

TIME_SHARE_MAX: Final = 0.05
"""Mean latency may differ by so much, beside what the host adds to it."""

_MOVES_DATA: Final = (Operation.READ, Operation.WRITE)


def device_in_use(case: Case) -> Iterator[Finding]:
    """Somebody else does I/O on the device, or may."""
    uses = distinct(str(use) for target in case.run.header.targets for use in target.uses)
    if uses:
        yield Finding(
            id="device-in-use",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"The device is in use: {name_some(uses)}. What others did on it meanwhile is in the figures, and what "
                "was measured was in their way."
            ),
            evidence=tuple(("in use", use) for use in uses),
            advice="Unmount and stop what uses it, or measure while it is idle, and look at the spread of the repeats.",
            deciding_test="The same run with nothing mounted on it.",
        )


def virtual_disk(case: Case) -> Iterator[Finding]:
    """A host is a virtual machine."""
    for host in case.hosts:
        vendor = host.facts.virtual_machine
        if vendor and host.has_storage:
            yield Finding(
                id="virtual-disk",
                severity=Severity.NOTE,
                confidence=Confidence.LIKELY,
                statement=(
                    f"{host.name_in('The host', 'The host')} is a virtual machine ({vendor}): the figures are those of "
                    "what the hypervisor hands out, with its caches, limits and neighbours, not of a drive."
                ),
                evidence=(("hypervisor", vendor),),
                advice="Compare with the provider's limits, and run at other times of day before deciding.",
                deciding_test="The same run an hour later: figures that move are the neighbours'.",
            )


def volatile_write_cache(case: Case) -> Iterator[Finding]:
    """Writes are acknowledged from a cache that a power cut empties."""
    header = case.run.header
    workloads = [cell.workload for cell in case.run.header.plan.cells]
    writes = any(workload.writes and workload.sync is Sync.NONE for workload in workloads)
    device = next((each for each in _devices(header) if each.write_cache == "write back"), None)
    if device and writes and header.target.direct:
        yield Finding(
            id="volatile-write-cache",
            severity=Severity.NOTE,
            confidence=Confidence.LIKELY,
            statement=(
                "The device has a volatile write cache: plain writes count as done before they are safe from a power "
                "cut."
            ),
            evidence=(("write cache of " + device.name, device.write_cache),),
            advice="For a database or a log, go by the write + fdatasync and O_DSYNC figures.",
            deciding_test="",
        )


def depth_over_tags(case: Case) -> Iterator[Finding]:
    """More was kept in flight than a device's queue takes."""
    header = case.run.header
    for device in _devices(header):
        tags = device.queue_tags
        if tags is None:
            continue
        deep = distinct(cell.cell for cell in header.plan.cells if _in_flight_on(device, cell, header) > tags)
        if deep:
            yield Finding(
                id="depth-over-tags",
                severity=Severity.NOTE,
                confidence=Confidence.LIKELY,
                statement=(
                    f"{name_some(deep)} asked for more than the {tags} requests that a queue of {device.name} takes: "
                    "the rest may wait in the host, and that wait counts as latency."
                ),
                evidence=(("requests a queue", str(tags)),),
                advice="Read latency beyond that depth as the queue's, not the drive's.",
                deciding_test="",
                cells=deep,
            )


def _in_flight_on(device: DeviceFacts, cell: CellPlan, header: RunHeader) -> int:
    """What a closed loop keeps in flight on a device, over all of its targets that lie there."""
    there = sum(target.device == device for target in header.targets[: cell.workload.targets])
    # How many of those that an open loop may have in flight it will have, nobody knows beforehand.
    return 0 if cell.workload.is_open_loop else cell.workload.queue_depth * cell.workload.jobs * there


def _devices(header: RunHeader) -> tuple[DeviceFacts, ...]:
    """Each device that a target lies on, once."""
    return tuple(dict.fromkeys(target.device for target in header.targets if target.device is not None))


def request_split(case: Case) -> Iterator[Finding]:
    """Blocks larger than a device takes at once are split by the kernel."""
    header = case.run.header
    for device in _devices(header):
        bound = device.request_size_bytes_max
        if bound is None:
            continue
        large = distinct(cell.cell for cell in header.plan.cells if cell.workload.block_size_bytes > bound)
        if large:
            yield Finding(
                id="request-split",
                severity=Severity.NOTE,
                confidence=Confidence.CERTAIN,
                statement=(
                    f"{name_some(large)} used blocks beyond {format_size(bound)}, the largest request that "
                    f"{device.name} takes: the kernel split them, and the device saw more and smaller ones."
                ),
                evidence=(("largest request", format_size(bound)),),
                advice="Read IOPS at these sizes as the application's, not the device's.",
                deciding_test="",
                cells=large,
            )


@dataclass(frozen=True)
class _Mismatch:
    """One class of operations of a measurement whose two counts do not fit, and by what share of ours."""

    record: CellRecord
    witness: Witnessed
    share: float


def device_counts_differ(case: Case) -> Iterator[Finding]:
    """The devices moved other amounts of data than the engine counted."""
    mismatches = [mismatch for record in case.run.cells for mismatch in _count_mismatches(case, record)]
    if mismatches:
        worst = max(mismatches, key=lambda mismatch: abs(mismatch.share))
        witness = worst.witness
        is_less = witness.device_bytes_per_s < witness.bytes_per_s
        yield Finding(
            id="device-counts-differ",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN if is_less else Confidence.LIKELY,
            statement=(
                f"In {count_of(len(mismatches), 'measurement')} the kernel counted other amounts of data at the device "
                f"than the engine: in {worst.record.cell}, repeat {worst.record.repeat}, {_amounts(witness)} "
                f"({worst.share:+.1%})."
            ),
            evidence=tuple((each.record.cell, _amounts(each.witness)) for each in mismatches[:10]),
            advice=(
                "What did not reach the device came from elsewhere: the page cache, blocks that were never written, or "
                "a file system that compresses. Take these figures for those of the file system, not the device."
                if is_less
                else "Something else used the device meanwhile, or the file system writes data more than once: look "
                "for it, and measure again without it."
            ),
            deciding_test="The same cell on the whole device, with nothing mounted on it and `iostat -x 1` beside it.",
            cells=distinct(each.record.cell for each in mismatches),
        )


def device_times_differ(case: Case) -> Iterator[Finding]:
    """The kernel's own mean time of a request does not fit the mean latency."""
    mismatches = [mismatch for record in case.run.cells for mismatch in _time_mismatches(case, record)]
    if mismatches:
        worst = max(mismatches, key=lambda mismatch: abs(mismatch.share))
        is_below = worst.share < 0
        yield Finding(
            id="device-times-differ",
            severity=Severity.INVALID if is_below else Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"In {count_of(len(mismatches), 'measurement')} mean latency does not fit the kernel's own time of a "
                f"request: in {worst.record.cell}, repeat {worst.record.repeat}, {_times(worst.witness)}."
            ),
            evidence=tuple((each.record.cell, _times(each.witness)) for each in mismatches[:10]),
            advice=(
                "A latency below the device's own is none: believe neither, and report it."
                if is_below
                else "Part of these latencies is the host's: look for a busy CPU, and compare at a lower depth."
            ),
            deciding_test="The same cell with --engine fio, or traced with blktrace.",
            cells=distinct(each.record.cell for each in mismatches),
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


def _count_mismatches(case: Case, record: CellRecord) -> Iterator[_Mismatch]:
    for witness in _witnesses(case, record):
        if witness.operation not in _MOVES_DATA:
            continue
        share = witness.device_bytes_per_s / witness.bytes_per_s - 1
        edges = 2 * record.workload.operations_in_flight / witness.count
        allowed = COUNTS_SHARE_MAX + edges + (LOOKS_APART_NS + apart_ns(record)) / record.measured_ns
        # More on a device that others may use says nothing.
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
