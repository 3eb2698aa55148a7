"""The extents of a file: how many contiguous stretches of its device it occupies."""

import fcntl
import os
import struct
from array import array
from pathlib import Path
from typing import Final

from iosonde.records import ExtentFacts

# linux/fs.h and linux/fiemap.h
_FS_IOC_FIEMAP: Final = 0xC020660B
_FLAG_SYNC: Final = 0x1
_LAST: Final = 0x1
# Without a place on the device of their own: unknown, delayed allocation, inline, tail-packed.
_WITHOUT_PLACE: Final = 0x2 | 0x4 | 0x200 | 0x400
_HEAD: Final = struct.Struct("=QQLLLL")
_EXTENT: Final = struct.Struct("=QQQ16xL12x")
_PER_CALL: Final = 512
# A file with more extents is fragmented, whatever their exact number.
_EXTENTS_MAX: Final = 1_000_000


def extent_facts(path: Path) -> ExtentFacts | None:
    """The extents of a file; None if its file system does not report them (FIEMAP). Raises OSError.

    Neighbours that follow each other on the device count as one: file systems limit the size of an extent.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return _merged(_extents(handle))
    finally:
        os.close(handle)


def _extents(handle: int) -> list[tuple[int, int, int]] | None:
    """Each extent as its offset, its place on the device and its length, all in bytes."""
    found: list[tuple[int, int, int]] = []
    start = 0
    while len(found) < _EXTENTS_MAX:
        buffer = array("B", bytes(_HEAD.size + _PER_CALL * _EXTENT.size))
        _HEAD.pack_into(buffer, 0, start, (1 << 64) - 1 - start, _FLAG_SYNC if not found else 0, 0, _PER_CALL, 0)
        try:
            fcntl.ioctl(handle, _FS_IOC_FIEMAP, buffer)
        except OSError:
            return None
        mapped = _HEAD.unpack_from(buffer)[3]
        for number in range(mapped):
            offset, place, length, flags = _EXTENT.unpack_from(buffer, _HEAD.size + number * _EXTENT.size)
            if flags & _WITHOUT_PLACE:
                return None
            found.append((offset, place, length))
            if flags & _LAST:
                return found
        if not mapped:
            break
        start = found[-1][0] + found[-1][2]
    return found


def _merged(extents: list[tuple[int, int, int]] | None) -> ExtentFacts | None:
    if not extents:
        return None
    lengths: list[int] = []
    end = None
    for offset, place, length in extents:
        if (offset, place) == end:
            lengths[-1] += length
        else:
            lengths.append(length)
        end = offset + length, place + length
    return ExtentFacts(count=len(lengths), bytes=sum(lengths), bytes_max=max(lengths))
