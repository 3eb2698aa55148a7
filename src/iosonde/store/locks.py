"""The locks of a journal's writer, which the kernel releases when the process ends.

There are two, because versions before schema 2 know only ``flock``. Testing a ``flock`` requires taking it, which can
block a writer. An open file description lock can be tested without taking it, on every file system with locks.
"""

import fcntl
import os
import struct
from pathlib import Path
from typing import BinaryIO, Final

LOCKS: Final = Path("/proc/locks")
# struct flock: type, whence, start, length, process.
_LOCK: Final = struct.Struct("hhqqi4x")
# A byte far beyond the end of every journal, so that a mandatory lock does not block readers.
_AT_BYTE: Final = 1 << 60
_FLOCK_WRITER: Final = ("FLOCK", "ADVISORY", "WRITE")


def take(file: BinaryIO) -> bool:
    """Takes both locks of a file that is open for writing. Returns False if another process has one.

    Some network file systems do not support locks. A run there is written without them.
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
    """Whether a process is writing an open file; False if this is unknown. Never blocks a writer."""
    asked = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, _AT_BYTE, 1, 0)
    try:
        kind = _LOCK.unpack(fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0]
    except OSError:
        kind = fcntl.F_UNLCK
    return kind != fcntl.F_UNLCK or _has_flock(file)


def _has_flock(file: int) -> bool:
    """Whether an older version is writing the file, according to the kernel's table of locks."""
    about = os.fstat(file)
    place = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    try:
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(place in fields and tuple(fields[1:4]) == _FLOCK_WRITER for fields in map(str.split, lines))
