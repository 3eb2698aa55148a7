"""Files that are there in full or not at all, however writing them ends."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from iosonde.errors import OutputError


def hint_of(error: OSError) -> str:
    """The way out where a file of ours can't be written."""
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "name a place that you may write to"
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return "make its folder, or name another place"
    return "make room or name another place"


def check_plain(path: Path) -> None:
    """Raises OutputError for a device, a pipe or a link: a file in its place would be all that is left of it."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OutputError(f"{path} is no plain file", "name a file; nothing else is ever replaced")


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that a reader finds all of it or the one before; text as UTF-8. Raises OutputError."""
    write_all([(path, content)])


def write_all(files: Iterable[tuple[Path, str | bytes]]) -> tuple[Path, ...]:
    """Writes files that belong together: all of them, or none. Contents may be made on the way. Raises OutputError."""
    written = []
    with moved_together() as beside:
        for path, content in files:
            with telling(path):
                _write(beside(path), content)
            written.append(path)
    return tuple(written)


@contextmanager
def moved_together() -> Iterator[Callable[[Path], Path]]:
    """Gives each file a place beside its own. All of them move at the end; where something fails, all are removed."""
    parts: dict[Path, Path] = {}

    def beside(path: Path) -> Path:
        check_plain(path)
        return parts.setdefault(path, path.with_name(f".{path.name}.part"))

    try:
        yield beside
        for path, part in parts.items():
            with telling(path):
                part.replace(path)
    except BaseException:
        for part in parts.values():
            with suppress(OSError):
                part.unlink()
        raise


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Tells an OSError as an OutputError about the file that was asked for."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}", hint_of(error)) from error


def _write(path: Path, content: str | bytes) -> None:
    with path.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
