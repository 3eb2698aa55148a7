"""The block device below a target, found by device number and described by sysfs."""

import os
from pathlib import Path

from iosonde.machine.mounts import mount_source
from iosonde.machine.numa import numa_node
from iosonde.machine.sysfs import read_int, read_text
from iosonde.records import DeviceFacts

SECTOR_BYTES = 512


def device_facts(path: Path, root: Path = Path("/")) -> DeviceFacts | None:
    """The whole device that ``path`` lies on; None where there is none (tmpfs, network file systems).

    File systems that span devices have a number of their own; then it is the device that was named at the mount.
    """
    number = path.stat().st_dev
    folder = _folder(number, root)
    if folder is None:
        source = mount_source(number, path, root)
        try:
            folder = _folder(Path(source).stat().st_rdev, root) if source.startswith("/dev/") else None
        except OSError:
            folder = None
    return _describe(folder) if folder is not None else None


def _folder(number: int, root: Path) -> Path | None:
    """The sysfs folder of the whole device; a partition's lies within it."""
    link = root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    if os.major(number) == 0 or not link.exists():
        return None
    folder = link.resolve()
    return folder.parent if (folder / "partition").exists() else folder


def _describe(folder: Path) -> DeviceFacts:
    queue = folder / "queue"
    rotational = read_int(queue / "rotational")
    scheduler = read_text(queue / "scheduler")
    chosen = scheduler[scheduler.find("[") + 1 : scheduler.find("]")] if "[" in scheduler else scheduler
    request_kib_max = read_int(queue / "max_sectors_kb")
    return DeviceFacts(
        name=folder.name,
        model=read_text(folder / "device/model"),
        serial=read_text(folder / "device/serial") or read_text(folder / "serial"),
        firmware=read_text(folder / "device/firmware_rev") or read_text(folder / "device/rev"),
        size_bytes=(read_int(folder / "size") or 0) * SECTOR_BYTES,
        rotational=None if rotational is None else rotational == 1,
        scheduler=chosen,
        queue_tags=read_int(queue / "nr_requests"),
        write_cache=read_text(queue / "write_cache"),
        logical_block_size_bytes=read_int(queue / "logical_block_size"),
        physical_block_size_bytes=read_int(queue / "physical_block_size"),
        request_size_bytes_max=None if request_kib_max is None else request_kib_max * 1024,
        numa_node=numa_node(folder),
    )
