"""The state of a block device that affects a measurement: its queue, its link, what it is built on. It is only read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iosonde.machine.device import SECTOR_BYTES, own_folder, whole_folder
from iosonde.machine.numa import LEVELS_MAX
from iosonde.machine.sysfs import chosen, read_int, read_text
from iosonde.records import DeviceState, LinkFacts, QueueSettings, Traffic
from iosonde.units import SECOND_NS

_PCI: Final = re.compile(r"^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")
_USB: Final = re.compile(r"^\d+-[\d.]+$")
UNKNOWN_LANES: Final = 255
_SECTOR_COUNTS: Final = (2, 6)
"""The places of sectors read and written among the counters of a device."""


def device_counters(number: int, root: Path = Path("/")) -> tuple[int, ...]:
    """The counters of a whole device since boot, as in /sys/block/NAME/stat; empty if there are none."""
    folder = own_folder(number, root)
    fields = () if folder is None else read_text(whole_folder(folder) / "stat").split()
    return tuple(int(each) for each in fields if each.isdecimal())


def device_state(number: int, before: tuple[int, ...], elapsed_ns: int, root: Path = Path("/")) -> DeviceState | None:
    """The state of a device; None if sysfs does not have it. ``before`` are its counters ``elapsed_ns`` ago."""
    folder = own_folder(number, root)
    if folder is None:
        return None
    whole = whole_folder(folder)
    return DeviceState(
        name=folder.name,
        queue=_queue(whole / "queue"),
        link=_link(whole),
        stack=tuple(dict.fromkeys(_stack(whole, LEVELS_MAX))),
        start_bytes=0 if folder == whole else (read_int(folder / "start") or 0) * SECTOR_BYTES,
        traffic=_traffic(before, device_counters(number, root), elapsed_ns),
    )


def _queue(folder: Path) -> QueueSettings:
    numbers = {
        name: read_int(folder / name)
        for name in (
            *("nr_requests", "rq_affinity", "nomerges", "add_random", "wbt_lat_usec", "max_sectors_kb"),
            *("max_hw_sectors_kb", "read_ahead_kb", "io_poll", "discard_max_bytes"),
        )
    }
    return QueueSettings(
        scheduler=chosen(read_text(folder / "scheduler")),
        write_cache=read_text(folder / "write_cache"),
        zoned=read_text(folder / "zoned"),
        **numbers,
    )


def _link(whole: Path) -> LinkFacts:
    """The link of a disk, found by what its directory in sysfs is below."""
    folder = whole.resolve()
    parents = (folder, *folder.parents)
    usb = next((each for each in parents if _USB.match(each.name)), None)
    if usb is not None:
        drivers = (read_link(path) for path in usb.glob("*:*/driver"))
        driver = next((each for each in drivers if each in {"uas", "usb-storage"}), "")
        return LinkFacts(kind="usb", speed=_with_unit(read_text(usb / "speed"), "Mb/s"), driver=driver)
    ata = next((each for each in parents if re.match(r"^ata\d+$", each.name)), None)
    if ata is not None:
        speeds = (read_text(path / "sata_spd") for path in ata.glob("link*/ata_link/link*"))
        most = (read_text(path / "hw_sata_spd_limit") for path in ata.glob("link*/ata_link/link*"))
        return LinkFacts(kind="sata", speed=next(speeds, ""), speed_max=next(most, ""))
    if any(each.name.startswith("mmc") for each in parents[1:]):
        return LinkFacts(kind="mmc")
    pci = next((each for each in parents if _PCI.match(each.name)), None)
    if folder.name.startswith("nvme") and pci is not None:
        return LinkFacts(
            kind="pcie",
            speed=_known_speed(read_text(pci / "current_link_speed")),
            speed_max=_known_speed(read_text(pci / "max_link_speed")),
            width=_known_width(read_int(pci / "current_link_width")),
            width_max=_known_width(read_int(pci / "max_link_width")),
        )
    is_virtual = "virtual" in {each.name for each in parents} or any(each.name.startswith("virtio") for each in parents)
    return LinkFacts(kind="virtual" if is_virtual else "unknown")


def _known_speed(text: str) -> str:
    """A speed of PCIe; empty for an emulated device, for which the kernel reports "Unknown"."""
    return "" if text.startswith("Unknown") else text


def _known_width(lanes: int | None) -> int | None:
    """A number of lanes; None for what the kernel reports if there is no link."""
    return None if lanes in {0, UNKNOWN_LANES} else lanes


def read_link(path: Path) -> str:
    """The name that a link leads to; empty if there is none."""
    try:
        return path.resolve(strict=True).name
    except OSError:
        return ""


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if text else ""


def _stack(whole: Path, levels: int) -> Iterator[str]:
    kind = read_text(whole / "dm/uuid").partition("-")[0].lower() or read_text(whole / "md/level")
    if not kind and (whole / "loop/backing_file").exists():
        kind = f"loop device over {read_text(whole / 'loop/backing_file')}"
    yield f"{whole.name} ({kind})" if kind else whole.name
    for slave in sorted((whole / "slaves").glob("*")):
        if levels:
            yield from _stack(whole_folder(slave.resolve()), levels - 1)


def _traffic(before: tuple[int, ...], after: tuple[int, ...], elapsed_ns: int) -> Traffic | None:
    if len(before) != len(after) or len(after) < 9 or elapsed_ns <= 0:  # noqa: PLR2004 - the ninth is used below
        return None
    change = [(now - then) * SECOND_NS / elapsed_ns for now, then in zip(after, before, strict=True)]
    sectors = sum(change[place] for place in _SECTOR_COUNTS)
    return Traffic(
        reads_per_s=change[0], writes_per_s=change[4], bytes_per_s=sectors * SECTOR_BYTES, in_flight=after[8]
    )
