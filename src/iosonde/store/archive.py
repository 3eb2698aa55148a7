"""A run as one file: a zip archive of its directory, to send, to keep, and to read without unpacking.

An archive is untrusted input. It is never unpacked to disk here. Archives are refused before decompression if they
contain more files than a run, other folders, links, devices, passwords, or contents that expand too much.
"""

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from iosonde.errors import RecordError
from iosonde.safe_files import open_regular
from iosonde.store.names import CONTENT_BYTES_MAX, bytes_max_of
from iosonde.store.open_file import OpenFile
from iosonde.units import format_size

ARCHIVE_SUFFIX: Final = ".iosonde.zip"
FILES_MAX: Final = 12
CHUNK_BYTES: Final = 1 << 20
ARCHIVE_BYTES_MAX: Final = 2 << 30
# A journal compresses to a fifth. Files below 1 MiB are harmless at any compression ratio.
EXPANSION_MAX: Final = 100
EXPANSION_COUNTS_FROM_BYTES: Final = 1 << 20

_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_END: Final = struct.Struct("<4s4H2LH")
_END_MAGIC: Final = b"PK\x05\x06"
_LARGE_END_MAGIC: Final = b"PK\x06\x07"
_LARGE_END_BYTES: Final = 20
# Far more than the names of 12 files need, and far less than would fill the memory.
_LIST_BYTES_MAX: Final = 64 << 10
_PLAIN_NAME: Final = re.compile(r"[^/\\\x00-\x1f\x7f]{1,255}")
_ENCRYPTED: Final = 0x1
_COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_COPY_AGAIN: Final = "copy it again, or export the run again"


def is_archive(path: Path) -> bool:
    """Whether a path is a regular file that starts like a zip archive."""
    try:
        with open_regular(path, follow=True) as file:
            return file.read(4) in _BEGINNINGS
    except OSError:
        return False


def is_plain_name(name: str) -> bool:
    """Whether a name is a plain file name, without a path."""
    return name not in {".", ".."} and _PLAIN_NAME.fullmatch(name) is not None


class ArchiveFiles:
    """The files in a run archive, by name."""

    kind = "a run archive"

    def __init__(self, path: Path, archive: zipfile.ZipFile, identity: tuple[int, ...]) -> None:
        self._path = path
        self._archive = archive
        self._identity = identity
        self._members = _members(path, archive.infolist())

    @property
    def names(self) -> tuple[str, ...]:
        """The names, sorted."""
        return tuple(sorted(self._members))

    def size_bytes(self, name: str) -> int:
        """The length of a file in bytes."""
        return self._members[name].file_size

    def read(self, name: str) -> bytes:
        """A whole file. Raises FileNotFoundError, or RecordError if the archive is damaged."""
        if name not in self._members:
            raise FileNotFoundError(name)
        with _named_damage(self._path):
            return self._archive.read(self._members[name])

    def chunks(self, name: str) -> Iterator[bytes]:
        """A file in chunks. Raises RecordError if the archive is damaged."""
        with _named_damage(self._path), self._archive.open(self._members[name]) as file:
            while data := file.read(CHUNK_BYTES):
                yield data

    @contextmanager
    def opened(self, name: str, beginning: bytes) -> Iterator[OpenFile]:
        """Opens a file for reading in chunks. ``beginning`` has no effect, since all lengths are checked already.

        Raises FileNotFoundError, or RecordError if the archive is damaged.
        """
        del beginning
        if name not in self._members:
            raise FileNotFoundError(name)
        member = self._members[name]
        with _named_damage(self._path), self._archive.open(member) as file:
            try:
                yield OpenFile(cast("BinaryIO", file), self._identity, member.file_size, grows=False)
            except RecordError:
                # Invalid content may be caused by a damaged archive. The checksum at the end of the file tells.
                while file.read(CHUNK_BYTES):
                    pass
                raise


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveFiles]:
    """The files in an archive. Raises RecordError for a damaged archive, or one with contents that no run has."""
    try:
        file = open_regular(path, follow=True)
    except OSError as error:
        raise RecordError(
            f"{path} cannot be read: {error.strerror}", "make sure that you have read permission"
        ) from error
    with file:
        _check_end(path, file)
        with _named_damage(path):
            archive = zipfile.ZipFile(file)
        with archive:
            found = os.fstat(file.fileno())
            yield ArchiveFiles(path, archive, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


@contextmanager
def _named_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise RecordError(f"{path} is a damaged archive: {str(error) or 'it is truncated'}", _COPY_AGAIN) from error
    except OSError as error:
        raise RecordError(
            f"{path} cannot be read: {error.strerror or error}", "use another copy, and check the disk"
        ) from error


def _check_end(path: Path, file: BinaryIO) -> None:
    """Checks the end record, which has the size of the list of files, before the list is read."""
    size = os.fstat(file.fileno()).st_size
    if size > ARCHIVE_BYTES_MAX:
        raise _refused(path, f"it is larger than {format_size(ARCHIVE_BYTES_MAX)}")
    file.seek(-min(size, _END.size + _LARGE_END_BYTES), os.SEEK_END)
    tail = file.read()
    end = tail[-_END.size :]
    if len(end) < _END.size or not end.startswith(_END_MAGIC):
        raise RecordError(f"{path} is a damaged archive: it is truncated", _COPY_AGAIN)
    _, _, _, _, files, list_bytes, _, _ = _END.unpack(end)
    # The list may also contain the folder.
    if files > FILES_MAX + 1 or list_bytes > _LIST_BYTES_MAX or tail.startswith(_LARGE_END_MAGIC):
        raise _refused(path, f"it contains more than {FILES_MAX} files")


def _members(path: Path, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The files by name, all in one folder or in none."""
    members: dict[str, zipfile.ZipInfo] = {}
    folders: set[str] = set()
    for entry in entries:
        folder, _, name = entry.filename.rpartition("/")
        plain = is_plain_name(name) or entry.is_dir()
        if not plain or not (is_plain_name(folder) or entry.filename == name):
            raise _refused(path, f"it contains {entry.filename!r}, which is not in the top-level folder")
        folders.add(folder)
        if entry.is_dir():
            continue
        if name in members:
            raise _refused(path, f"it contains {name} twice")
        _check_kind(path, name, entry)
        members[name] = entry
    if len(folders) > 1:
        raise _refused(path, "it contains files in several folders")
    if len(members) > FILES_MAX:
        raise _refused(path, f"it contains more than {FILES_MAX} files")
    if sum(entry.file_size for entry in members.values()) > CONTENT_BYTES_MAX:
        raise _refused(path, f"it contains more than {format_size(CONTENT_BYTES_MAX)} of data")
    return members


def _check_kind(path: Path, name: str, entry: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        raise _refused(path, f"it contains {name}, which is not a regular file")
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _COMPRESSIONS:
        raise _refused(path, f"it contains {name}, which is encrypted or compressed with an unsupported method")
    if entry.file_size > bytes_max_of(name):
        raise _refused(path, f"it contains {name}, which is too large ({format_size(entry.file_size)})")
    if entry.file_size > max(EXPANSION_COUNTS_FROM_BYTES, entry.compress_size * EXPANSION_MAX):
        raise _refused(
            path,
            f"it contains {name}, which expands more than {EXPANSION_MAX}-fold, to {format_size(entry.file_size)}",
        )


def _refused(path: Path, what: str) -> RecordError:
    return RecordError(
        f"{path} is not an iosonde archive: {what}", "ask the sender to create it with `iosonde export RUN`"
    )
