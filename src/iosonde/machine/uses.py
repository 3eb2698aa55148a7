"""The other uses of a device (mounts, swap, layers above), whose I/O would be part of the measurement."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iosonde.machine.device import own_folder, whole_folder
from iosonde.machine.mounts import mount_points
from iosonde.machine.numa import LEVELS_MAX
from iosonde.machine.sysfs import read_text
from iosonde.records import DeviceUse

_SWAP_ON_DEVICE: Final = "partition"


def uses_of(number: int, root: Path = Path("/")) -> tuple[DeviceUse, ...]:
    """The uses of the whole disk of a device number and of all its partitions, which share the drive.

    Mounts are those of this mount namespace. ``root`` is the directory with ``proc`` and ``sys``.
    """
    folder = own_folder(number, root)
    if folder is None:
        return ()
    uses = _uses(whole_folder(folder), _by_number(root), _swaps(root), LEVELS_MAX)
    return tuple(dict.fromkeys(uses))


def _uses(whole: Path, mounts: dict[str, str], swaps: frozenset[str], levels: int) -> Iterator[DeviceUse]:
    parts = [whole, *sorted(path.parent for path in whole.glob("*/partition"))]
    for part in parts:
        mount_point = mounts.get(read_text(part / "dev"))
        if mount_point is not None:
            yield DeviceUse(device=part.name, use="mounted", by=mount_point)
        if part.name in swaps:
            yield DeviceUse(device=part.name, use="swap")
        for holder in sorted((part / "holders").glob("*")):
            yield DeviceUse(device=part.name, use="held", by=holder.name)
            if levels:
                yield from _uses(holder.resolve(), mounts, swaps, levels - 1)


def _by_number(root: Path) -> dict[str, str]:
    """Mount points by device number in the notation of sysfs."""
    return {f"{os.major(number)}:{os.minor(number)}": point for number, point in mount_points(root).items()}


def _swaps(root: Path) -> frozenset[str]:
    """The kernel's names of swap devices: ``/dev/dm-1  partition  8388604  0  -2``."""
    lines = [line.split() for line in read_text(root / "proc/swaps").splitlines()]
    return frozenset(Path(fields[0]).name for fields in lines if fields[1:2] == [_SWAP_ON_DEVICE])
