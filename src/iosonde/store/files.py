"""The files of a run, in a run directory or in an archive.

Both are untrusted input and are read in the same way: regular files only, each within the length limit of its kind.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from iosonde.errors import RecordError
from iosonde.safe_files import check_length, chunks_of, open_regular, read_regular
from iosonde.store.archive import is_archive, open_archive
from iosonde.store.names import bytes_max_of
from iosonde.store.open_file import OpenFile


class RunFiles(Protocol):
    """The files of a run, by name. ``kind`` describes what contains them."""

    kind: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names, sorted."""

    def size_bytes(self, name: str) -> int:
        """The length of a file in bytes."""

    def read(self, name: str) -> bytes:
        """A whole file. Raises FileNotFoundError or another OSError, or RecordError for a damaged archive."""

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in chunks. Raises the same errors as ``read``."""

    def opened(self, name: str, beginning: bytes) -> AbstractContextManager[OpenFile]:
        """Opens a file for reading in chunks. Opening and reading raise the same errors as ``read``.

        The length limit applies only to a file that begins with ``beginning``. The caller checks the first bytes.
        """


class DirectoryFiles:
    """The files in a run directory. Subdirectories, links and temporary files are not part of a run."""

    kind = "a run directory"

    def __init__(self, directory: int) -> None:
        self._directory = directory

    @property
    def names(self) -> tuple[str, ...]:
        """The names, sorted."""
        with os.scandir(self._directory) as entries:
            found = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        return tuple(sorted(name for name in found if not name.startswith(".")))

    def size_bytes(self, name: str) -> int:
        """The length of a file in bytes."""
        return os.stat(name, dir_fd=self._directory, follow_symlinks=False).st_size

    def read(self, name: str) -> bytes:
        """A whole file. Raises OSError."""
        return read_regular(name, self._directory, bytes_max=bytes_max_of(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in chunks. Raises OSError."""
        return chunks_of(name, self._directory)

    @contextmanager
    def opened(self, name: str, beginning: bytes) -> Iterator[OpenFile]:
        """Opens a file for reading in chunks. Raises OSError."""
        with open_regular(name, self._directory) as file:
            found = os.fstat(file.fileno())
            if os.pread(file.fileno(), len(beginning), 0) == beginning:
                check_length(found, bytes_max_of(name))
            yield OpenFile(file, (found.st_dev, found.st_ino), found.st_size, grows=True)


@contextmanager
def open_files(path: Path) -> Iterator[RunFiles]:
    """The files of a run, in a directory or an archive. Raises RecordError."""
    if "\0" in str(path):
        raise RecordError(f"{str(path)!r} is not a path", "specify a directory created by `iosonde run`")
    try:
        is_directory = path.is_dir()
    except OSError as error:
        raise RecordError(
            f"{path} cannot be accessed: {error.strerror}", "make sure that you have read permission"
        ) from error
    if is_directory:
        with _held_open(path) as directory:
            yield DirectoryFiles(directory)
    elif is_archive(path):
        with open_archive(path) as files:
            yield files
    elif path.is_file() and not os.access(path, os.R_OK):
        raise RecordError(
            f"{path} cannot be read: Permission denied", "make sure that you have read permission, or use a copy"
        )
    else:
        raise RecordError(f"{path} is not a run directory", "specify a directory created by `iosonde run`")


@contextmanager
def _held_open(path: Path) -> Iterator[int]:
    """A handle on a directory, so that all files are read from the same one. Raises RecordError."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RecordError(
            f"{path} cannot be read: {error.strerror}", "make sure that you have read permission"
        ) from error
    try:
        yield handle
    finally:
        os.close(handle)
