"""Opens files that others may have created: only regular files, and links only on request.

A name can lead to a link, a pipe without a writer, or a device. An ``O_PATH`` handle does not open any of these, so the
type is checked on it first; then the same file is opened through the handle.
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
# A file system with compression may store a text in a tenth of its length. A hole needs no space at all.
SPARSE_RATIO: Final = 100
SPARSE_BYTES_MIN: Final = 64 << 20
BLOCK_BYTES: Final = 512
_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a directory",
    stat.S_IFBLK: "a block device",
    stat.S_IFCHR: "a character device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


@contextmanager
def path_handle(path: Path | str, directory: int | None = None, *, follow: bool = False) -> Iterator[int]:
    """An ``O_PATH`` handle on a path of any type. Links are followed only with ``follow``. Raises OSError."""
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW), dir_fd=directory)
    try:
        yield handle
    finally:
        os.close(handle)


def open_regular(path: Path | str, directory: int | None = None, *, follow: bool = False) -> BinaryIO:
    """Opens a regular file for reading. Raises OSError, which names the type of any other file."""
    with path_handle(path, directory, follow=follow) as seen:
        _check_regular(os.fstat(seen))
        return os.fdopen(os.open(_path_of(seen), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def open_own(path: Path | str, directory: int | None = None) -> BinaryIO:
    """Opens a regular file for reading and writing, if this user owns it and it has no other hard link.

    Raises OSError for any other.
    """
    with path_handle(path, directory) as seen:
        _check_own(os.fstat(seen))
        return os.fdopen(os.open(_path_of(seen), os.O_RDWR | os.O_CLOEXEC), "r+b", buffering=0)


def _check_own(found: os.stat_result) -> None:
    """Raises OSError unless it is a regular file, owned by this user, with one hard link."""
    _check_regular(found)
    if found.st_uid != os.geteuid():
        raise OSError(errno.EPERM, f"it belongs to user {found.st_uid}, not to the current user {os.geteuid()}")
    if found.st_nlink != 1:
        raise OSError(errno.EMLINK, f"it has {found.st_nlink} hard links instead of one")


def read_regular(path: Path | str, directory: int | None = None, *, bytes_max: int, follow: bool = False) -> bytes:
    """Reads a regular file in full. Raises OSError, also for one longer than ``bytes_max``."""
    with open_regular(path, directory, follow=follow) as file:
        return read_open(file, bytes_max)


def read_open(file: BinaryIO, bytes_max: int) -> bytes:
    """Reads an open file to its present end. Raises OSError for one longer than ``bytes_max``."""
    found = os.fstat(file.fileno())
    check_length(found, bytes_max)
    # Not up to the limit: read() allocates all the requested memory, which small machines do not have.
    return file.read(found.st_size)


def chunks_of(path: Path | str, directory: int | None = None) -> Iterator[bytes]:
    """Reads a regular file in chunks. Raises OSError."""
    with closing(open_regular(path, directory)) as file:
        while data := file.read(CHUNK_BYTES):
            yield data


def check_length(found: os.stat_result, bytes_max: int) -> None:
    """Raises OSError for a file longer than ``bytes_max``, or most of which was never written."""
    size_bytes = found.st_size
    if size_bytes > bytes_max:
        raise OSError(
            errno.EFBIG, f"its size of {format_size(size_bytes)} exceeds the limit of {format_size(bytes_max)}"
        )
    if size_bytes > SPARSE_BYTES_MIN and found.st_blocks * BLOCK_BYTES * SPARSE_RATIO < size_bytes:
        raise OSError(errno.EFBIG, f"it is a sparse file of {format_size(size_bytes)} that consists mostly of holes")


def file_type(mode: int) -> str:
    """The type of a file, such as ``a pipe``."""
    return _KINDS.get(stat.S_IFMT(mode), "a regular file" if stat.S_ISREG(mode) else "a file of unknown type")


def _check_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, f"it is {file_type(found.st_mode)}, not a regular file")


def _path_of(handle: int) -> str:
    """A path to the file of a handle, even if its name now belongs to another file."""
    return f"/proc/self/fd/{handle}"
