"""The log of dm-log-writes: all writes to a drive in the order in which they became stable, with marks.

The format is that of Linux (Documentation/admin-guide/device-mapper/log-writes.rst, drivers/md/dm-log-writes.c): a
superblock of one sector, then for each entry one sector that describes it, followed by its data. Numbers are
little-endian. QEMU's blklogwrites driver uses the same format.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from typing import BinaryIO, Final

MAGIC: Final = 0x6A736677736872
VERSION: Final = 1
SUPERBLOCK: Final = struct.Struct("<QQQI")
ENTRY: Final = struct.Struct("<QQQQ")


class Flag(IntFlag):
    """The flags of an entry."""

    FLUSH = 1
    FUA = 2
    DISCARD = 4
    MARK = 8
    METADATA = 16


class LogError(ValueError):
    """A file that is not a complete log."""


@dataclass(frozen=True)
class Entry:
    """A write, flush, discard or mark. ``first`` and ``count`` are in sectors of ``WriteLog.sector_bytes``.

    The data of a write is at ``data_at`` in the log. A discard and a flush have none.
    """

    flags: Flag
    first: int
    count: int
    data_at: int
    mark: str = ""

    @property
    def has_data(self) -> bool:
        """Whether sectors were written."""
        return bool(self.count) and not self.flags & (Flag.DISCARD | Flag.MARK)


@dataclass(frozen=True)
class WriteLog:
    """All entries of a log."""

    path: Path
    sector_bytes: int
    entries: tuple[Entry, ...]

    def at_mark(self, mark: str) -> int:
        """The index of a mark. Raises LogError if there is none."""
        for index, entry in enumerate(self.entries):
            if entry.mark == mark:
                return index
        message = f"{self.path} has no mark {mark!r}"
        raise LogError(message)

    def marks_before(self, index: int) -> tuple[str, ...]:
        """The marks among the first ``index`` entries."""
        return tuple(entry.mark for entry in self.entries[:index] if entry.flags & Flag.MARK)


def read_log(path: Path) -> WriteLog:
    """Reads all entries. Raises LogError."""
    with path.open("rb") as file:
        magic, version, count, sector_bytes = SUPERBLOCK.unpack(_exactly(file, SUPERBLOCK.size))
        if (magic, version) != (MAGIC, VERSION):
            message = f"{path} is not a log of writes: magic {magic:#x}, version {version}"
            raise LogError(message)
        return WriteLog(path, sector_bytes, tuple(_entries(file, count, sector_bytes)))


def _entries(file: BinaryIO, count: int, sector_bytes: int) -> Iterator[Entry]:
    at = sector_bytes
    for _ in range(count):
        file.seek(at)
        head = _exactly(file, sector_bytes)
        first, sectors, flags, data_bytes = ENTRY.unpack_from(head)
        mark = head[ENTRY.size : ENTRY.size + data_bytes].rstrip(b"\0").decode() if flags & Flag.MARK else ""
        entry = Entry(Flag(flags), first, sectors, at + sector_bytes, mark)
        yield entry
        at = entry.data_at + (sectors * sector_bytes if entry.has_data else 0)


def _exactly(file: BinaryIO, count: int) -> bytes:
    found = file.read(count)
    if len(found) != count:
        message = f"the log ends after {len(found)} of {count} bytes"
        raise LogError(message)
    return found
