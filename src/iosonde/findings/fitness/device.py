"""A device: what of it would spoil a measurement."""

from collections.abc import Iterator
from typing import Final

from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.records import DeviceFacts, DeviceState, DeviceUse, LinkFacts
from iosonde.units import MEGABYTE, exact_size, format_size

GROUP: Final = "Device"
LINK: Final = "Link"
ALIGNED_BYTES: Final = 1 << 20
USB_FAST_MBIT: Final = 5000
"""The signalling rate of USB 3."""

DEEP_MIN: Final = 256
"""The deepest queue of the lab profile."""

LAYERS: Final = {
    "crypt": "it encrypts each block on the CPU",
    "mpath": "requests are spread over several paths",
    "raid0": "large requests are split over several drives",
    "raid1": "each write goes to several drives",
    "raid10": "requests are split over several drives, and each write goes to two of them",
    "raid4": "small writes read and write parity",
    "raid5": "small writes read and write parity",
    "raid6": "small writes read and write parity",
    "loop": "the file system of its file adds its own work",
}
"""What the layers of a device add to a request, by the kinds that the kernel reports."""


def device_lines(facts: DeviceFacts, state: DeviceState, uses: tuple[DeviceUse, ...]) -> Iterator[FitnessLine]:
    """A line for each fact of a device."""
    yield _line("name", " on ".join(state.stack))
    yield from _layers(state.stack)
    for name, value in (("model", facts.model), ("serial", facts.serial), ("firmware", facts.firmware)):
        yield _line(name, value or "unknown", State.OK if value else State.UNKNOWN)
    yield _line("capacity", f"{format_size(facts.size_bytes)} ({facts.size_bytes:,} bytes)")
    yield _line(
        "block sizes",
        f"{_bytes(facts.logical_block_size_bytes)} logical, {_bytes(facts.physical_block_size_bytes)} physical",
    )
    yield from _queue(facts, state)
    yield from _alignment(state)
    yield from _uses(uses)
    yield from _traffic(state)
    yield from _link(state.link)


def _layers(stack: tuple[str, ...]) -> Iterator[FitnessLine]:
    """A line for each layer that adds work: encryption, redundancy, files below loop devices."""
    for layer in stack:
        name, _, kind = layer.partition(" (")
        reason = LAYERS.get(kind.split()[0].rstrip(")")) if kind else None
        if reason is not None:
            yield _line("layer", f"{name}, {kind.removesuffix(')')}", State.NOTE, reason)


def _line(subject: str, value: str, state: State = State.OK, reason: str = "", command: str = "") -> FitnessLine:
    return FitnessLine(GROUP, subject, value, state, reason, command)


def _of_link(subject: str, value: str, state: State = State.OK, reason: str = "", command: str = "") -> FitnessLine:
    return FitnessLine(LINK, subject, value, state, reason, command)


def _bytes(value: int | None) -> str:
    return "unknown" if value is None else exact_size(value)


def _queue(facts: DeviceFacts, state: DeviceState) -> Iterator[FitnessLine]:
    queue, whole = state.queue, facts.name
    if facts.rotational is not None:
        yield _line("medium", "rotating" if facts.rotational else "not rotating")
    cache = facts.write_cache
    if cache == "write back":
        yield _line(
            "write cache", cache, State.NOTE, "writes are complete before they are durable, unless they are flushed"
        )
    elif cache:
        yield _line("write cache", cache)
    if queue.scheduler and queue.scheduler != "none" and not facts.rotational:
        yield _line(
            "scheduler",
            queue.scheduler,
            State.NOTE,
            "it may reorder and delay requests",
            f"echo none > /sys/block/{whole}/queue/scheduler",
        )
    elif queue.scheduler:
        yield _line("scheduler", queue.scheduler)
    if queue.nr_requests is not None:
        few = queue.nr_requests < DEEP_MIN
        yield _line(
            "request tags",
            str(queue.nr_requests),
            State.NOTE if few else State.OK,
            f"deeper queues than {queue.nr_requests} wait in the kernel" if few else "",
        )
    if queue.max_sectors_kb is not None:
        split = queue.max_sectors_kb < 1024  # noqa: PLR2004 - 1 MiB
        more = queue.max_hw_sectors_kb or 0
        command = (
            f"echo {min(more, 1024)} > /sys/block/{whole}/queue/max_sectors_kb" if more > queue.max_sectors_kb else ""
        )
        yield _line(
            "largest request",
            f"{queue.max_sectors_kb} KiB",
            State.NOTE if split else State.OK,
            "larger blocks are split" if split else "",
            command if split else "",
        )
    if facts.numa_node is not None and facts.numa_node >= 0:
        yield _line("NUMA node", str(facts.numa_node))
    if queue.discard_max_bytes == 0:
        yield _line("discards", "not supported")


def _alignment(state: DeviceState) -> Iterator[FitnessLine]:
    if state.start_bytes % ALIGNED_BYTES:
        yield _line(
            "partition start",
            f"byte {state.start_bytes:,}",
            State.WARNING,
            "not aligned to 1 MiB: blocks may straddle pages of the flash",
            "create the partition at a multiple of 1 MiB",
        )
    elif state.start_bytes:
        yield _line("partition start", f"byte {state.start_bytes:,}, aligned to 1 MiB")


def _uses(uses: tuple[DeviceUse, ...]) -> Iterator[FitnessLine]:
    for use in uses:
        yield _line("in use", str(use), State.NOTE, "its I/O would be part of the measurement")


def _traffic(state: DeviceState) -> Iterator[FitnessLine]:
    traffic = state.traffic
    if traffic is None:
        yield _line("I/O now", "unknown", State.UNKNOWN, "the kernel counts none (queue/iostats)")
        return
    rate = traffic.reads_per_s + traffic.writes_per_s
    if rate < 1 and not traffic.in_flight:
        yield _line("I/O now", "none")
        return
    rates = f"{traffic.reads_per_s:,.0f} reads/s, {traffic.writes_per_s:,.0f} writes/s"
    text = f"{rates}, {traffic.bytes_per_s / MEGABYTE:,.1f} MB/s"
    yield _line("I/O now", text, State.WARNING, "others use the device", "iotop, or fatrace")


def _link(link: LinkFacts) -> Iterator[FitnessLine]:
    width = "" if link.width is None else f" x{link.width}"
    text = f"{link.speed}{width}".strip()
    if link.kind == "pcie":
        slow = bool(link.speed_max) and link.speed != link.speed_max
        narrow = link.width is not None and link.width_max is not None and link.width < link.width_max
        most = f"{link.speed_max} x{link.width_max}"
        if slow or narrow:
            yield _of_link(
                "PCIe",
                text,
                State.WARNING,
                f"the drive can do {most}",
                "use another slot, or check ASPM and the BIOS",
            )
        else:
            yield _of_link("PCIe", text or "unknown", State.OK if text else State.UNKNOWN)
    elif link.kind == "usb":
        speed = int(link.speed.split()[0]) if link.speed[:1].isdecimal() else 0
        if 0 < speed < USB_FAST_MBIT:
            yield _of_link("USB", text, State.WARNING, "slower than USB 3", "use another port or cable")
        else:
            yield _of_link("USB", text or "unknown", State.OK if text else State.UNKNOWN)
        if link.driver == "usb-storage":
            yield _of_link(
                "USB driver",
                link.driver,
                State.WARNING,
                "one command at a time",
                "use a port and an enclosure with UAS",
            )
        elif link.driver:
            yield _of_link("USB driver", link.driver)
    elif link.kind == "sata":
        slow = bool(link.speed_max) and link.speed != link.speed_max
        yield _of_link(
            "SATA",
            text or "unknown",
            State.WARNING if slow else State.OK,
            f"the port can do {link.speed_max}" if slow else "",
        )
    else:
        yield _of_link("link", link.kind, State.UNKNOWN if link.kind == "unknown" else State.OK)
