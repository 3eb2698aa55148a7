"""Writes files atomically: a reader finds the whole file or the one before, and nothing else is overwritten.

A file is written without a name (``O_TMPFILE``) and linked when it is complete. File systems without O_TMPFILE get a
random temporary name, created exclusively. Nothing that is already in the directory is opened or written, and a killed
process leaves nothing behind. Names are resolved relative to an open directory handle.
"""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from iosonde.errors import OutputError
from iosonde.safe_files.opening import file_type

_MODE: Final = 0o666
# Errors of file systems without O_TMPFILE; EISDIR comes from kernels that do not know the flag.
_NO_NAMELESS: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS})
_NO_LINKS: Final = frozenset({errno.EOPNOTSUPP, errno.EPERM, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.ENOENT})


def hint_of(error: OSError) -> str:
    """The hint for an output that cannot be written."""
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "use a directory that you can write to"
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return "create the directory, or use another one"
    if error.errno == errno.ENAMETOOLONG:
        return "use a shorter name"
    return "free some space, or use another directory"


def check_replaceable(path: Path) -> None:
    """Raises OutputError for a device, a pipe, a link or a directory, which an output must not replace."""
    with output_errors(path), _directory(path) as directory:
        _check_free(path, directory)


def write_file(path: Path, content: str | bytes) -> None:
    """Writes a file atomically; text as UTF-8. Raises OutputError."""
    write_files([(path, content)])


def write_files(files: Iterable[tuple[Path, str | bytes]]) -> tuple[Path, ...]:
    """Writes files that belong together: all of them or none. ``files`` may be a generator. Raises OutputError."""
    written = []
    with atomic_outputs() as beside:
        for path, content in files:
            place = beside(path)
            with output_errors(path), place.open("wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            written.append(path)
    return tuple(written)


@contextmanager
def atomic_outputs() -> Iterator[Callable[[Path], Path]]:
    """Yields a function that returns where to write an output. At the end all get their names; after an error, none."""
    parts: dict[Path, _Part] = {}
    with ExitStack() as held:

        def beside(path: Path) -> Path:
            if path not in parts:
                with output_errors(path):
                    parts[path] = held.enter_context(_part(path))
            return parts[path].place

        yield beside
        for path, part in parts.items():
            with output_errors(path):
                part.name_it()


@contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turns an OSError into an OutputError about the requested output."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}", hint_of(error)) from error


class _Part:
    """A file that is being written and will get the name ``path``. ``name`` is its temporary name, if it has one."""

    def __init__(self, path: Path, directory: int, handle: int, name: str) -> None:
        self._path = path
        self._directory = directory
        self._handle = handle
        self.name = name

    @property
    def place(self) -> Path:
        """The path at which a writer opens it."""
        return Path(f"/proc/self/fd/{self._handle}")

    def name_it(self) -> None:
        """Syncs the file and gives it its name. Raises OSError, and OutputError."""
        os.fsync(self._handle)
        if not self.name:
            self._link()
        _check_free(self._path, self._directory)
        os.rename(self.name, self._path.name, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self.name = ""

    def _link(self) -> None:
        name = _unguessable()
        try:
            os.link(self.place, name, dst_dir_fd=self._directory, follow_symlinks=True)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._copy(name)
        self.name = name

    def _copy(self, name: str) -> None:
        """Copies the file, on a file system that cannot link a file without a name."""
        handle = _exclusive(name, self._directory)
        self.name = name
        try:
            at = 0
            while sent := os.sendfile(handle, self._handle, at, 1 << 30):
                at += sent
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _part(path: Path) -> Iterator[_Part]:
    with _directory(path) as directory:
        _check_free(path, directory)
        handle, name = _nameless(directory)
        part = _Part(path, directory, handle, name)
        try:
            yield part
        finally:
            os.close(handle)
            if part.name:
                with suppress(OSError):
                    os.unlink(part.name, dir_fd=directory)


def _nameless(directory: int) -> tuple[int, str]:
    try:
        return os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, _MODE, dir_fd=directory), ""
    except OSError as error:
        if error.errno not in _NO_NAMELESS:
            raise
    name = _unguessable()
    return _exclusive(name, directory), name


def _exclusive(name: str, directory: int) -> int:
    flags = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR | os.O_CLOEXEC
    return os.open(name, flags, _MODE, dir_fd=directory)


def _unguessable() -> str:
    """A temporary name, short enough for every file system."""
    return f".iosonde-{secrets.token_hex(16)}.part"


@contextmanager
def _directory(path: Path) -> Iterator[int]:
    handle = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)


def _check_free(path: Path, directory: int) -> None:
    """Raises OutputError if anything but a regular file would be replaced."""
    if path.name in {"", "."}:
        raise OutputError(f"{path} is a directory", "specify a file in this directory")
    try:
        found = os.stat(path.name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        kind = file_type(found.st_mode)
        raise OutputError(
            f"{path} is {kind}, not a regular file",
            "specify a regular file; iosonde does not replace other file types",
        )
