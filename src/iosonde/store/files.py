"""The files of a run, wherever they lie: in a directory, or in an archive of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from iosonde.errors import RecordError
from iosonde.store.archive import CHUNK_BYTES, is_archive, open_archive


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


class DirectoryFiles:
    """The files in a run directory. What lies deeper, links, and files that are being written are none of a run."""

    kind = "a run directory"

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def names(self) -> tuple[str, ...]:
        """The names, sorted."""
        with os.scandir(self._path) as entries:
            found = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        return tuple(sorted(name for name in found if not name.startswith(".")))

    def size_bytes(self, name: str) -> int:
        """How long a file is."""
        return (self._path / name).stat().st_size

    def read(self, name: str) -> bytes:
        """A file in full. Raises OSError."""
        return (self._path / name).read_bytes()

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in pieces. Raises OSError."""
        with (self._path / name).open("rb") as file:
            while data := file.read(CHUNK_BYTES):
                yield data


@contextmanager
def open_files(path: Path) -> Iterator[RunFiles]:
    """The files of a run, in a directory or in an archive: who reads them need not know. Raises RecordError."""
    try:
        is_directory = path.is_dir()
    except OSError as error:
        raise RecordError(f"{path} can't be looked at: {error.strerror}", "ask for the rights to read it") from error
    if is_directory:
        yield DirectoryFiles(path)
    elif is_archive(path):
        with open_archive(path) as files:
            yield files
    elif path.is_file() and not os.access(path, os.R_OK):
        raise RecordError(f"{path} can't be read: Permission denied", "ask for the rights to read it, or use a copy")
    else:
        raise RecordError(f"{path} is not a run directory", "name the directory that `iosonde run` wrote")
