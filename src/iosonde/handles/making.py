"""Files that are there in full or not at all, however writing them ends, and that take nothing else's place.

Until it is whole, a file has no name (``O_TMPFILE``), or, where the file system knows no such files, a name that nobody
can guess, which is made exclusively. So nothing that lies in a directory already is opened, written or waited for, and
a process that is killed leaves nothing. Names are looked up in a directory that is held open.
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
from iosonde.handles.opening import kind_of

_MODE: Final = 0o666
# What file systems say that can't do it; EISDIR comes from kernels that do not know the word.
_NO_NAMELESS: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS})
_NO_LINKS: Final = frozenset({errno.EOPNOTSUPP, errno.EPERM, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.ENOENT})


def hint_of(error: OSError) -> str:
    """The way out where a file of ours can't be written."""
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "name a place that you may write to"
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return "make its folder, or name another place"
    if error.errno == errno.ENAMETOOLONG:
        return "give it a shorter name"
    return "make room or name another place"


def check_plain(path: Path) -> None:
    """Raises OutputError for a device, a pipe or a link: a file in its place would be all that is left of it."""
    with telling(path), _directory(path) as directory:
        _check_free(path, directory)


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that a reader finds all of it or the one before; text as UTF-8. Raises OutputError."""
    write_all([(path, content)])


def write_all(files: Iterable[tuple[Path, str | bytes]]) -> tuple[Path, ...]:
    """Writes files that belong together: all of them, or none. Contents may be made on the way. Raises OutputError."""
    written = []
    with moved_together() as beside:
        for path, content in files:
            place = beside(path)
            with telling(path), place.open("wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            written.append(path)
    return tuple(written)


@contextmanager
def moved_together() -> Iterator[Callable[[Path], Path]]:
    """Gives each file a place that any writer can open. All get their names at the end; where something fails, none."""
    parts: dict[Path, _Part] = {}
    with ExitStack() as held:

        def beside(path: Path) -> Path:
            if path not in parts:
                with telling(path):
                    parts[path] = held.enter_context(_part(path))
            return parts[path].place

        yield beside
        for path, part in parts.items():
            with telling(path):
                part.name_it()


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Tells an OSError as an OutputError about the file that was asked for."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}", hint_of(error)) from error


class _Part:
    """A file that is being written, and will be at ``path``. ``name`` is what it is called until then, if anything."""

    def __init__(self, path: Path, directory: int, handle: int, name: str) -> None:
        self._path = path
        self._directory = directory
        self._handle = handle
        self.name = name

    @property
    def place(self) -> Path:
        """Where a writer reaches this very file."""
        return Path(f"/proc/self/fd/{self._handle}")

    def name_it(self) -> None:
        """Makes what was written durable, and gives it its name. Raises OSError, and OutputError."""
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
        """The same on a file system that can't give a name to a file without one."""
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
    """Short enough for every file system, whatever the file will be called."""
    return f".iosonde-{secrets.token_hex(16)}.part"


@contextmanager
def _directory(path: Path) -> Iterator[int]:
    handle = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        os.close(handle)


def _check_free(path: Path, directory: int) -> None:
    """Raises OutputError where something else than a plain file lies at a name, which would be lost."""
    if path.name in {"", "."}:
        raise OutputError(f"{path} is a directory", "name a file in it")
    try:
        found = os.stat(path.name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        kind = kind_of(found.st_mode)
        raise OutputError(f"{path} is no plain file ({kind})", "name a file; nothing else is ever replaced")
