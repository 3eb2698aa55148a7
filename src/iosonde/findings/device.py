"""Rules about the device: concurrent use, virtual disks, write cache, and request limits."""

from collections.abc import Iterator
from typing import Final

from iosonde.findings.case import Case, HostCase, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import WSL, CellPlan, DeviceFacts, Engine, RunHeader, Sync, WriteCache
from iosonde.units import format_size

WSL_MOUNTS: Final = frozenset({"9p", "drvfs", "virtiofs"})
"""The file systems with which WSL mounts the drives of Windows."""


def device_in_use(case: Case) -> Iterator[Finding]:
    """Others do I/O on the device, or may do so."""
    uses = distinct(str(use) for target in case.run.header.targets for use in target.uses)
    if uses:
        yield Finding(
            id="device-in-use",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"The device is in use: {name_some(uses)}. Other I/O on the device affects the results, and the run "
                "slows down other users of the device."
            ),
            evidence=tuple(("in use", use) for use in uses),
            advice=(
                "Unmount the device and stop all other I/O on it, or run again while it is otherwise idle. Check the "
                "variation between repeats."
            ),
            deciding_test="Run again with the device unmounted and otherwise idle.",
        )


def virtual_disk(case: Case) -> Iterator[Finding]:
    """A host is a virtual machine."""
    for host in case.hosts:
        vendor = host.facts.virtual_machine
        if vendor == WSL and host.has_storage:
            yield _wsl(host)
        elif vendor and host.has_storage:
            yield Finding(
                id="virtual-disk",
                severity=Severity.NOTE,
                confidence=Confidence.LIKELY,
                statement=(
                    f"{host.name_in('The host', 'The host')} is a virtual machine ({vendor}). The results describe the "
                    "storage that the hypervisor provides, not a physical drive. They include the effects of "
                    "hypervisor caching, I/O limits and other tenants."
                ),
                evidence=(("hypervisor", vendor),),
                advice="Compare the results with the provider's published limits. Run again at different times of day.",
                deciding_test="Run again an hour later. If the results change, other tenants are the likely cause.",
            )


def _wsl(host: HostCase) -> Finding:
    """The finding about a Linux that runs in Windows."""
    windows = [target.path for target in host.targets if target.file_system and target.file_system.kind in WSL_MOUNTS]
    where = (
        f" {windows[0]} is on a Windows file system, and each operation passes through a file server in Windows."
        if windows
        else " Files are stored in a virtual disk file on the Windows file system."
    )
    return Finding(
        id="windows-subsystem",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"{host.name_in('The host', 'The host')} is the {WSL}.{where} The results describe this virtual machine, "
            "not the drive."
        ),
        evidence=(("host", WSL), *(("target on Windows", path) for path in windows)),
        advice="Use the results only for programs that run in this Linux. Measure the drive on Linux without Windows.",
        deciding_test="Start a Linux live system on the same machine, and run the same campaign there.",
    )


def volatile_write_cache(case: Case) -> Iterator[Finding]:
    """The device acknowledges writes from a cache that does not survive a power cut."""
    header = case.run.header
    workloads = [cell.workload for cell in case.run.header.plan.cells]
    writes = any(
        workload.writes and workload.sync is Sync.NONE and workload.write_cache is not WriteCache.OFF
        for workload in workloads
    )
    device = next((each for each in _devices(header) if each.write_cache == "write back"), None)
    if device and writes and header.target.direct:
        yield Finding(
            id="volatile-write-cache",
            severity=Severity.NOTE,
            confidence=Confidence.LIKELY,
            statement=(
                "The device has a volatile write cache. Writes without fdatasync or O_DSYNC complete before the data "
                "is protected against power loss."
            ),
            evidence=(("write cache of " + device.name, device.write_cache),),
            advice="For database or log workloads, use the results of cells with fdatasync or O_DSYNC.",
            deciding_test="",
        )


def depth_over_tags(case: Case) -> Iterator[Finding]:
    """A cell keeps more operations in flight than a queue of the device takes."""
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
                    f"In {name_some(deep)}, more operations are in flight than the block layer allows in one queue of "
                    f"{device.name} ({tags}). The excess operations may wait in the host, which increases latency."
                ),
                evidence=(("requests per queue", str(tags)),),
                advice="Attribute the additional latency above this limit to queueing in the host, not in the drive.",
                deciding_test="",
                cells=deep,
            )


def _in_flight_on(device: DeviceFacts, cell: CellPlan, header: RunHeader) -> int:
    """The operations that a closed loop keeps in flight on a device, over all targets on it."""
    there = sum(target.device == device for target in header.targets[: cell.workload.targets])
    # How many operations an open loop will have in flight is not known in advance.
    return 0 if cell.workload.is_open_loop else cell.workload.queue_depth * cell.workload.jobs * there


def _devices(header: RunHeader) -> tuple[DeviceFacts, ...]:
    """Each device with targets, once."""
    return tuple(dict.fromkeys(target.device for target in header.targets if target.device is not None))


def request_split(case: Case) -> Iterator[Finding]:
    """The kernel splits blocks that are larger than the largest request of the device."""
    header = case.run.header
    # A passthrough command that is too large is refused, not split.
    if header.engine is Engine.PASSTHROUGH:
        return
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
                    f"The block size in {name_some(large)} exceeds {format_size(bound)}, the maximum request size of "
                    f"{device.name}. The kernel splits larger operations into several requests."
                ),
                evidence=(("maximum request size", format_size(bound)),),
                advice="The IOPS of these cells are application IOPS, not device IOPS.",
                deciding_test="",
                cells=large,
            )
