"""Whether targets that fio measures are still the ones that the engine opened."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from iosonde.records import Failure, Identity
from iosonde.vocabulary import FailureKind

DEVICES: Final = Path("/sys/dev/block")
"""The directory with an entry for each block device that the kernel knows."""


def change_of(opened: Iterable[tuple[Path, Identity]], devices: Path = DEVICES) -> Failure | None:
    """How the targets with these paths and identities have changed; None if none has."""
    opened = tuple(opened)
    gone = [str(path) for path, identity in opened if _is_gone(identity, devices)]
    if gone:
        return Failure(kind=FailureKind.GONE, message=_gone_words(gone))
    for path, identity in opened:
        changed = _changed(path, identity)
        if changed is not None:
            return Failure(kind=FailureKind.CHANGED, message=changed)
    return None


def _is_gone(identity: Identity, devices: Path) -> bool:
    """Whether it is a block device that the kernel has removed. Only a device has the inode 0."""
    entry = devices / f"{identity.device_major}:{identity.device_minor}"
    return not identity.inode and devices.is_dir() and not entry.exists()


def _gone_words(paths: list[str]) -> str:
    if len(paths) == 1:
        return f"{paths[0]} is gone: it was removed from the computer, or no longer responds"
    named = f"{', '.join(paths[:-1])} and {paths[-1]}"
    return f"{named} are gone: they were removed from the computer, or no longer respond"


def _changed(path: Path, identity: Identity) -> str | None:
    try:
        found = path.stat()
    except OSError as error:
        return f"{path} can no longer be accessed: {error.strerror}"
    if stat.S_ISBLK(found.st_mode):
        # stat does not return the size of a device. If it shrinks, reads beyond its end fail.
        return None if (found.st_rdev, 0) == numbers(identity) else f"{path} was replaced by another device"
    if (found.st_dev, found.st_ino) != numbers(identity):
        return f"{path} was replaced by another file"
    if found.st_size != identity.size_bytes:
        return f"the size of {path} changed from {identity.size_bytes} to {found.st_size} bytes"
    return None


def numbers(identity: Identity) -> tuple[int, int]:
    """Device and inode from stat; for a block device, its own number and 0."""
    return os.makedev(identity.device_major, identity.device_minor), identity.inode
