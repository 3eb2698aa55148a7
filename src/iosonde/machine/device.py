"""The block device below a target, or the target itself, found by device number and described by sysfs."""

import os
import stat
from pathlib import Path

from iosonde.machine.mounts import mount_source
from iosonde.machine.numa import numa_node
from iosonde.machine.sysfs import chosen, read_int, read_text
from iosonde.records import DeviceFacts

SECTOR_BYTES = 512


def device_facts(path: Path, root: Path = Path("/")) -> DeviceFacts | None:
    """The whole device that ``path`` is on, or is; None if there is none (tmpfs, network file systems).

    File systems on several devices have a device number of their own. For these it is the device named at the mount.
    """
    facts = path.stat()
    is_device = stat.S_ISBLK(facts.st_mode)
    number = facts.st_rdev if is_device else facts.st_dev
    folder = _folder(number, root)
    if folder is None and not is_device:
        source = mount_source(number, path, root)
        try:
            folder = _folder(Path(source).stat().st_rdev, root) if source.startswith("/dev/") else None
        except OSError:
            folder = None
    return _describe(folder) if folder is not None else None


def device_size_bytes(number: int, root: Path = Path("/")) -> int | None:
    """The size of a device or partition in bytes, without opening it; None if sysfs does not have it."""
    folder = own_folder(number, root)
    sectors = None if folder is None else read_int(folder / "size")
    return None if sectors is None else sectors * SECTOR_BYTES


def device_identifier(number: int, root: Path = Path("/")) -> str:
    """An identifier of a device or partition that does not depend on slot, port or device number; empty if none.

    It is the world-wide name, else the serial number, else the UUID of device mapper or md, else a loop device's file.
    A partition has the identifier of its disk, with the partition's number and start.
    """
    folder = own_folder(number, root)
    whole = None if folder is None else whole_folder(folder)
    name = "" if whole is None else _identifier_of(whole)
    if not name or folder is None or folder == whole:
        return name
    start = read_int(folder / "start") or 0
    return f"{name}, partition {read_text(folder / 'partition')} from byte {start * SECTOR_BYTES}"


def _identifier_of(whole: Path) -> str:
    candidates = (
        ("wwid", read_text(whole / "wwid") or read_text(whole / "device/wwid")),
        ("serial", read_text(whole / "device/serial") or read_text(whole / "serial")),
        ("dm", read_text(whole / "dm/uuid")),
        ("md", read_text(whole / "md/uuid")),
        ("file", read_text(whole / "loop/backing_file")),
    )
    return next((f"{kind} {' '.join(text.split())}" for kind, text in candidates if text), "")


def own_folder(number: int, root: Path) -> Path | None:
    """The sysfs directory of a device or partition; None if there is none."""
    link = root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    return None if os.major(number) == 0 or not link.exists() else link.resolve()


def whole_folder(folder: Path) -> Path:
    """The sysfs directory of the whole device, which contains those of its partitions."""
    return folder.parent if (folder / "partition").exists() else folder


def _folder(number: int, root: Path) -> Path | None:
    folder = own_folder(number, root)
    return None if folder is None else whole_folder(folder)


def _describe(folder: Path) -> DeviceFacts:
    queue = folder / "queue"
    rotational = read_int(queue / "rotational")
    request_kib_max = read_int(queue / "max_sectors_kb")
    return DeviceFacts(
        name=folder.name,
        model=read_text(folder / "device/model"),
        serial=read_text(folder / "device/serial") or read_text(folder / "serial"),
        firmware=read_text(folder / "device/firmware_rev") or read_text(folder / "device/rev"),
        size_bytes=(read_int(folder / "size") or 0) * SECTOR_BYTES,
        rotational=None if rotational is None else rotational == 1,
        scheduler=chosen(read_text(queue / "scheduler")),
        queue_tags=read_int(queue / "nr_requests"),
        write_cache=read_text(queue / "write_cache"),
        logical_block_size_bytes=read_int(queue / "logical_block_size"),
        physical_block_size_bytes=read_int(queue / "physical_block_size"),
        request_size_bytes_max=None if request_kib_max is None else request_kib_max * 1024,
        numa_node=numa_node(folder),
    )
