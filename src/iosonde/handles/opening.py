"""Opening what others may have made: what a name leads to is looked at on a handle, before any of it is read.

Whoever hands in a run can put anything under the name of a file: a link, a pipe that nobody writes to, a device. A
handle that only refers to a file (``O_PATH``) reaches all of them without touching any, and the file that is opened
afterwards is the very one that was looked at.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from iosonde.units import format_size

CHUNK_BYTES: Final = 1 << 20
_KINDS: Final = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a directory",
    stat.S_IFBLK: "a block device",
    stat.S_IFCHR: "a character device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


@contextmanager
def looking(path: Path | str, directory: int | None = None, *, follow: bool = False) -> Iterator[int]:
    """A handle on whatever lies at a path, that touches nothing; links are followed only where that is asked for."""
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW), dir_fd=directory)
    try:
        yield handle
    finally:
        os.close(handle)


def open_plain(path: Path | str, directory: int | None = None, *, follow: bool = False) -> BinaryIO:
    """Opens a regular file for reading; the error for anything else says what it is. Raises OSError."""
    with looking(path, directory, follow=follow) as seen:
        _check_regular(os.fstat(seen))
        return os.fdopen(os.open(_very(seen), os.O_RDONLY | os.O_CLOEXEC), "rb")


def open_own(path: Path | str, directory: int | None = None) -> BinaryIO:
    """Opens a regular file of this user's for writing as well, unless it has other names. Raises OSError.

    What another name leads to may be somebody else's; and a file of another user is not ours to add to.
    """
    with looking(path, directory) as seen:
        check_own(os.fstat(seen))
        return os.fdopen(os.open(_very(seen), os.O_RDWR | os.O_CLOEXEC), "r+b", buffering=0)


def check_own(found: os.stat_result) -> None:
    """Raises OSError for what is no regular file of this user's under one name."""
    _check_regular(found)
    if found.st_uid != os.geteuid():
        raise OSError(errno.EPERM, f"it belongs to user {found.st_uid}, and this is user {os.geteuid()}")
    if found.st_nlink != 1:
        raise OSError(errno.EMLINK, f"it has {found.st_nlink} names (hard links), and a file of a run has one")


def read_plain(
    path: Path | str, directory: int | None = None, *, bytes_max: int, beginning: bytes = b"", follow: bool = False
) -> bytes:
    """A regular file in full; one that is longer than ``bytes_max`` is refused. Raises OSError.

    Of a file that does not begin with ``beginning`` no more is read than that.
    """
    with open_plain(path, directory, follow=follow) as file:
        check_length(os.fstat(file.fileno()).st_size, bytes_max)
        if beginning and os.pread(file.fileno(), len(beginning), 0) != beginning:
            return os.pread(file.fileno(), len(beginning), 0)
        # One that grows while it is read ends where it may.
        return file.read(bytes_max)


def chunks_of(path: Path | str, directory: int | None = None) -> Iterator[bytes]:
    """A regular file in pieces. Raises OSError."""
    with closing(open_plain(path, directory)) as file:
        while data := file.read(CHUNK_BYTES):
            yield data


def check_length(size_bytes: int, bytes_max: int) -> None:
    """Raises OSError for a file that is longer than one of its kind can be."""
    if size_bytes > bytes_max:
        raise OSError(
            errno.EFBIG, f"it has {format_size(size_bytes)}, more than the {format_size(bytes_max)} it may have"
        )


def kind_of(mode: int) -> str:
    """What a thing is, in words."""
    return _KINDS.get(stat.S_IFMT(mode), "a plain file" if stat.S_ISREG(mode) else "no plain file")


def _check_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"it is {kind_of(found.st_mode)}, and no plain file")


def _very(handle: int) -> str:
    """The name by which the very thing is opened that a handle refers to, whatever its path leads to by now."""
    return f"/proc/self/fd/{handle}"
