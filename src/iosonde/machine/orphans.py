"""Orphans: files that killed runs have left in a directory. Found by name and mark; removed on request."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.safe_files import (
    OWN_FILE_NAME,
    CreatedFile,
    mark_on,
    open_regular,
    path_handle,
    registered_mark,
    remove_created,
    unregister_created,
)
from iosonde.safe_files.removing import BEGINNING, ENDING

# A process renames a file to this before it removes it, and can be killed in between.
_ASIDE: Final = re.compile(rf"{re.escape(BEGINNING)}[0-9a-f]{{32}}{re.escape(ENDING)}")


@dataclass(frozen=True)
class Orphan:
    """A file that iosonde created, and that no process uses any more.

    ``is_aside`` says that a process renamed it in order to remove it, and was killed before the removal.
    """

    path: str
    file: CreatedFile
    size_bytes: int
    mark: str
    is_aside: bool


def orphans_in(folder: Path) -> tuple[Orphan, ...]:
    """The orphans in a directory, sorted by name; none for a directory that cannot be read."""
    folder = folder.absolute()
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if _may_be_ours(entry))
    except OSError:
        return ()
    return tuple(_orphans(folder, names))


def _may_be_ours(entry: "os.DirEntry[str]") -> bool:
    named = OWN_FILE_NAME.fullmatch(entry.name) or _ASIDE.fullmatch(entry.name)
    return named is not None and entry.is_file(follow_symlinks=False)


def _orphans(folder: Path, names: list[str]) -> Iterator[Orphan]:
    for name in names:
        path = folder / name
        try:
            with open_regular(path) as opened:
                found = os.fstat(opened.fileno())
                # A run holds this lock until its process ends, however that happens.
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
                mark = mark_on(opened.fileno())
        except OSError:
            continue
        mark = mark or registered_mark(name, found.st_dev, found.st_ino)
        if found.st_uid == os.geteuid() and mark:
            file = CreatedFile(found.st_dev, found.st_ino, None)
            yield Orphan(str(path), file, found.st_size, mark, is_aside=_ASIDE.fullmatch(name) is not None)


def renamed_in(folder: Path) -> tuple[Path, ...]:
    """Files that iosonde created under a name that the user chose. The user removes them, if at all."""
    try:
        with os.scandir(folder) as entries:
            others = [
                Path(entry.path)
                for entry in entries
                if entry.is_file(follow_symlinks=False) and not _may_be_ours(entry)
            ]
    except OSError:
        return ()
    return tuple(sorted(path for path in others if _has_any_mark(path)))


def _has_any_mark(path: Path) -> bool:
    with suppress(OSError), path_handle(path) as seen:
        return bool(mark_on(seen))
    return False


def remove_orphan(orphan: Orphan) -> bool:
    """Removes it if it is still that file; returns whether it is gone. Raises OSError."""
    is_gone = remove_created(orphan.path, orphan.file.device, orphan.file.inode, orphan.mark)
    if is_gone:
        unregister_created(orphan.mark)
    return is_gone
