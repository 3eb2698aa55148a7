"""The files of a run, wherever they lie: in a directory, or in an archive of one.

Both may come from anybody, and are read alike: plain files only, each below the length that one of its kind can have.
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
    """The files of a run, by name. ``kind`` says in words what holds them."""

    kind: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names, sorted."""

    def size_bytes(self, name: str) -> int:
        """How long a file is."""

    def read(self, name: str) -> bytes:
        """A file in full. Raises FileNotFoundError or another OSError, or RecordError for a damaged archive."""

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in pieces. Raises as ``read`` does."""

    def opened(self, name: str, beginning: bytes) -> AbstractContextManager[OpenFile]:
        """A file that is read piece by piece. Raises as ``read`` does, while it is read as well.

        One that does not begin with ``beginning`` may be longer than its kind can be: whoever opens it looks first.
        """


class DirectoryFiles:
    """The files in a run directory. What lies deeper, links, and files that are being written are none of a run."""

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
        """How long a file is."""
        return os.stat(name, dir_fd=self._directory, follow_symlinks=False).st_size

    def read(self, name: str) -> bytes:
        """A file in full. Raises OSError."""
        return read_regular(name, self._directory, bytes_max=bytes_max_of(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in pieces. Raises OSError."""
        return chunks_of(name, self._directory)

    @contextmanager
    def opened(self, name: str, beginning: bytes) -> Iterator[OpenFile]:
        """A file that is read piece by piece. Raises OSError."""
        with open_regular(name, self._directory) as file:
            found = os.fstat(file.fileno())
            if os.pread(file.fileno(), len(beginning), 0) == beginning:
                check_length(found, bytes_max_of(name))
            yield OpenFile(file, (found.st_dev, found.st_ino), found.st_size, grows=True)


@contextmanager
def open_files(path: Path) -> Iterator[RunFiles]:
    """The files of a run, in a directory or in an archive: who reads them need not know. Raises RecordError."""
    if "\0" in str(path):
        raise RecordError(f"{str(path)!r} is not a path", "name the directory that `iosonde run` wrote")
    try:
        is_directory = path.is_dir()
    except OSError as error:
        raise RecordError(f"{path} can't be inspected: {error.strerror}", "ask for permission to read it") from error
    if is_directory:
        with _held_open(path) as directory:
            yield DirectoryFiles(directory)
    elif is_archive(path):
        with open_archive(path) as files:
            yield files
    elif path.is_file() and not os.access(path, os.R_OK):
        raise RecordError(f"{path} can't be read: Permission denied", "ask for permission to read it, or use a copy")
    else:
        raise RecordError(f"{path} is not a run directory", "name the directory that `iosonde run` wrote")


@contextmanager
def _held_open(path: Path) -> Iterator[int]:
    """A directory, so that all of a run is read from the same one. Raises RecordError."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise RecordError(f"{path} can't be read: {error.strerror}", "ask for permission to read it") from error
    try:
        yield handle
    finally:
        os.close(handle)
