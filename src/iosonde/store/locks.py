"""Who writes a journal holds a lock on it, which the kernel takes back when the process ends, however it ends.

There are two, since versions before schema 2 know only the first. ``flock`` can't be looked at without being taken, and
whoever takes it to look is in the way of somebody who wants to write. A lock of an open file description can be asked
after without being taken, on every file system that has locks.
"""

import fcntl
import os
import struct
from pathlib import Path
from typing import BinaryIO, Final

LOCKS: Final = Path("/proc/locks")
# struct flock: type, whence, start, length, process.
_LOCK: Final = struct.Struct("hhqqi4x")
# A byte far behind every journal: where locks keep others from reading, this one keeps nobody from reading anything.
_AT_BYTE: Final = 1 << 60
_FLOCK_WRITER: Final = ("FLOCK", "ADVISORY", "WRITE")


def take(file: BinaryIO) -> bool:
    """Takes both locks of a file that is open for writing; False where another process has one.

    Some network file systems know no locks; a run there is no worse off than without.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, _AT_BYTE, 1, 0))
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def is_taken(file: int) -> bool:
    """Whether anybody writes an open file, without being in anybody's way; False where that can't be known."""
    asked = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, _AT_BYTE, 1, 0)
    try:
        kind = _LOCK.unpack(fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0]
    except OSError:
        kind = fcntl.F_UNLCK
    return kind != fcntl.F_UNLCK or _has_flock(file)


def _has_flock(file: int) -> bool:
    """Whether an older version writes it, by the kernel's table of locks."""
    about = os.fstat(file)
    place = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    try:
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(place in fields and tuple(fields[1:4]) == _FLOCK_WRITER for fields in map(str.split, lines))
