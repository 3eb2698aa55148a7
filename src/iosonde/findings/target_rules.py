"""Rules about what was measured: caches, spans, and what lies below."""

from collections.abc import Iterator

from iosonde.findings.case import Case, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellPlan, DeviceFacts, RunHeader, Sync
from iosonde.units import format_size

# Below this share of the device, a drive's own caches, its SLC area or a hypervisor's memory may hold all of the span.
SPAN_SHARE_MIN = 0.10


def buffered_io(case: Case) -> Iterator[Finding]:
    """I/O went through the page cache."""
    target = case.run.header.target
    if target.is_storage and not target.direct:
        yield Finding(
            id="buffered-io",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                "I/O went through the page cache (--buffered): reads may never have reached the device, and writes "
                "were done when they were in memory."
            ),
            evidence=(("direct I/O", "no"),),
            advice="Take these figures for the file system with its cache, never for the device.",
            deciding_test="The same run without --buffered, on a file system that offers direct I/O.",
        )


def span_fits_cache(case: Case) -> Iterator[Finding]:
    """The span is small enough to be held by a cache."""
    header = case.run.header
    target = header.target
    if not target.is_storage:
        return
    span = sum(each.span_bytes for each in header.targets)
    # Page cache counts against a container's memory limit.
    memory = min(header.host.memory_bytes, header.host.memory_limit_bytes or header.host.memory_bytes)
    if not target.direct and span <= memory:
        yield Finding(
            id="span-fits-cache",
            severity=Severity.INVALID,
            confidence=Confidence.LIKELY,
            statement=(
                f"The span of {format_size(span)} fits the memory that may be used ({format_size(memory)}), "
                "and the page cache is in use: reads were most likely served from memory."
            ),
            evidence=(("span", format_size(span)), ("memory", format_size(memory))),
            advice="Use a span of at least twice the memory, or direct I/O.",
            deciding_test=f"The same run with --size {format_size(2 * memory).replace(' ', '')}.",
        )
        return
    for used, below in _spans_on_devices(header):
        if target.direct and below and used < SPAN_SHARE_MIN * below:
            yield _small_share(used, below)
            return


def _spans_on_devices(header: RunHeader) -> Iterator[tuple[int, int]]:
    """For each device, or file system where none is known: how much of it all targets together use, and its size."""
    used: dict[str, list[int]] = {}
    for target in header.targets:
        system, device = target.file_system, target.device
        size = (device.size_bytes if device else 0) or (system.size_bytes if system else 0)
        place = device.name if device else (system.mount_point if system else "")
        held = used.setdefault(place, [0, size])
        held[0] += target.span_bytes
    for span, size in used.values():
        yield span, size


def _small_share(span: int, below: int) -> Finding:
    """A span that is a small part of what lies below."""
    share = 100 * span / below
    wider = format_size(int(below * SPAN_SHARE_MIN) // 2**30 * 2**30).replace(" ", "")
    return Finding(
        id="span-fits-cache",
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        statement=(
            f"The span of {format_size(span)} is {share:.2g} % of the {format_size(below)} below: a drive's own "
            "cache, its SLC area or a hypervisor's memory may hold all of it."
        ),
        evidence=(("span", format_size(span)), ("device or file system", format_size(below))),
        advice="Take the figures for a working set of this size, not for the whole drive.",
        deciding_test=f"The same run with --size {wider}: figures that fall were a cache's.",
    )


def content_unknown(case: Case) -> Iterator[Finding]:
    """The file's content came from elsewhere."""
    if case.run.header.target.written == "data":
        yield Finding(
            id="content-unknown",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                "The file was not written by iosonde: the file system reports no holes, but how compressible its "
                "content is, and whether the drive has ever read it back, is unknown."
            ),
            evidence=(("written by", "others"),),
            advice="Let iosonde make the file (name a directory) where figures for incompressible data are wanted.",
            deciding_test="The same cells on a file that iosonde made.",
        )


def virtual_disk(case: Case) -> Iterator[Finding]:
    """The host is a virtual machine."""
    header = case.run.header
    vendor = header.host.virtual_machine
    if vendor and header.target.is_storage:
        yield Finding(
            id="virtual-disk",
            severity=Severity.NOTE,
            confidence=Confidence.LIKELY,
            statement=(
                f"The host is a virtual machine ({vendor}): the figures are those of what the hypervisor hands out, "
                "with its caches, limits and neighbours, not of a drive."
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


TARGET_RULES = (
    buffered_io,
    span_fits_cache,
    content_unknown,
    virtual_disk,
    volatile_write_cache,
    depth_over_tags,
    request_split,
)
