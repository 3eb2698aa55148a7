"""Reads the facts of a path."""

import errno
import os
import stat
from pathlib import Path

from iosonde.machine.device import device_identifier, device_size_bytes
from iosonde.machine.host import PathFacts
from iosonde.machine.namespaces import block_of, generic_of
from iosonde.records import Identity
from iosonde.safe_files import path_handle


def path_facts(path: Path) -> PathFacts:
    """The facts of a path, links followed. Raises OSError."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        return PathFacts(
            kind="directory",
            device_number=found.st_dev,
            size_bytes=None,
            may_read=os.access(path, os.R_OK),
            may_create=os.access(path, os.W_OK | os.X_OK),
            is_read_only=bool(os.statvfs(path).f_flag & os.ST_RDONLY),
        )
    block = path if stat.S_ISBLK(found.st_mode) else block_of(path)
    if block is not None:
        return _device_facts(path, block)
    return PathFacts(
        kind="file" if stat.S_ISREG(found.st_mode) else "other",
        device_number=found.st_dev,
        size_bytes=found.st_size,
        may_read=os.access(path, os.R_OK),
    )


def _device_facts(path: Path, block: Path) -> PathFacts:
    try:
        number = block.stat().st_rdev
    except FileNotFoundError as error:
        raise OSError(errno.ENODEV, f"its block device {block} has no device node", str(path)) from error
    generic = generic_of(block) if block == path else path
    return PathFacts(
        kind="device",
        device_number=number,
        size_bytes=device_size_bytes(number),
        may_read=os.access(path, os.R_OK),
        block=str(block),
        generic="" if generic is None else str(generic),
        identifier=device_identifier(number),
    )


def identity_at(path: Path) -> Identity:
    """The identity of a path, links not followed, without its birth time. Raises OSError."""
    with path_handle(path) as seen:
        found = os.fstat(seen)
    return Identity(
        device_major=os.major(found.st_dev),
        device_minor=os.minor(found.st_dev),
        inode=found.st_ino,
        size_bytes=found.st_size,
    )
