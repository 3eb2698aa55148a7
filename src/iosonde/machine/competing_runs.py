"""Finds other runs of iosonde on the same device in the kernel's table of locks: every engine locks its target."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from iosonde.machine.open_files import open_links
from iosonde.machine.sysfs import read_text
from iosonde.records import Neighbour

ENGINE_NAME = "iosonde-engine"
# Enough for stacks of loop, device mapper and md devices.
LEVELS_MAX = 8


def neighbours_of(devices: set[int], own_process: int, root: Path = Path("/")) -> tuple[Neighbour, ...]:
    """Other engines that use a disk of ``devices`` (device numbers), or a file on it.

    Devices are followed to the disks below (partitions, device mapper, md, loop), so that two logical volumes of one
    disk are neighbours. ``own_process`` is the run's own engine. ``root`` is the directory with ``proc`` and ``sys``.
    """
    own_disks = set().union(*(disks_below(device, root) for device in devices))
    found = {}
    for process, number in _locked(root):
        if process == own_process or process in found or read_text(root / f"proc/{process}/comm") != ENGINE_NAME:
            continue
        held = {number, *_open_devices(process, root)}
        shared = own_disks & set().union(*(disks_below(each, root) for each in held))
        if shared:
            found[process] = Neighbour(process=process, device=min(shared))
    return tuple(found[process] for process in sorted(found))


def disks_below(device: int, root: Path = Path("/")) -> frozenset[str]:
    """The names of the disks below a device; the device number itself if sysfs has none (tmpfs, network)."""
    name = f"{os.major(device)}:{os.minor(device)}"
    link = root / f"sys/dev/block/{name}"
    if os.major(device) == 0 or not link.exists():
        return frozenset({name})
    return frozenset(_bottom(link.resolve(), root, LEVELS_MAX))


def _bottom(folder: Path, root: Path, levels: int) -> Iterator[str]:
    whole = folder.parent if (folder / "partition").exists() else folder
    below = [path.resolve() for path in (whole / "slaves").glob("*")]
    backing = read_text(whole / "loop/backing_file")
    if levels and below:
        for each in below:
            yield from _bottom(each, root, levels - 1)
    elif levels and backing:
        yield from _below_file(Path(backing), whole.name, root)
    else:
        yield whole.name


def _below_file(path: Path, otherwise: str, root: Path) -> frozenset[str]:
    try:
        return disks_below(path.stat().st_dev, root)
    except OSError:
        return frozenset({otherwise})


def _open_devices(process: int, root: Path) -> Iterator[int]:
    """The block devices that a process has open. The table of locks has the file system of the node instead."""
    for link in open_links(root / f"proc/{process}"):
        # The process may have closed the file, or ended.
        with suppress(OSError):
            # Only paths in /dev are accessed: the file system of any other file may not respond.
            if not str(link.readlink()).startswith(f"{root / 'dev'}/"):
                continue
            facts = link.stat()
            if stat.S_ISBLK(facts.st_mode):
                yield facts.st_rdev


def _locked(root: Path) -> Iterator[tuple[int, int]]:
    """Process and device number of every flock: ``1: FLOCK  ADVISORY  WRITE 1234 fe:00:131 0 EOF``."""
    for line in read_text(root / "proc/locks").splitlines():
        fields = line.split()
        if len(fields) >= 6 and fields[1] == "FLOCK":  # noqa: PLR2004 - the place is the sixth field
            major, minor, _ = fields[5].split(":")
            yield int(fields[4]), os.makedev(int(major, 16), int(minor, 16))
