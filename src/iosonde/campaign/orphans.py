"""Files that a killed run has left in a place: found by name and mark, and removed on demand."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.handles import MADE_NAME, MadeFile, entry_mark, forget_made, mark_on, open_plain, remove_made
from iosonde.handles.removing import BEGINNING, ENDING

# What a process had taken aside that was killed before it could remove it.
_ASIDE: Final = re.compile(rf"{re.escape(BEGINNING)}[0-9a-f]{{32}}{re.escape(ENDING)}")


@dataclass(frozen=True)
class Orphan:
    """A file that iosonde made, and that nobody uses any more."""

    path: Path
    file: MadeFile
    size_bytes: int
    mark: str


def orphans_in(folder: Path) -> tuple[Orphan, ...]:
    """The orphans that lie in a folder, by name. A folder that can't be read has none that are known."""
    folder = folder.absolute()
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if _may_be_ours(entry))
    except OSError:
        return ()
    return tuple(_orphans(folder, names))


def _may_be_ours(entry: "os.DirEntry[str]") -> bool:
    named = MADE_NAME.fullmatch(entry.name) or _ASIDE.fullmatch(entry.name)
    return named is not None and entry.is_file(follow_symlinks=False)


def _orphans(folder: Path, names: list[str]) -> Iterator[Orphan]:
    for name in names:
        path = folder / name
        try:
            with open_plain(path) as file:
                found = os.fstat(file.fileno())
                # Whoever measures holds this lock until he ends, however he ends.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            continue
        mark = mark_on(path) or entry_mark(name, found.st_dev, found.st_ino)
        if found.st_uid == os.geteuid() and mark:
            yield Orphan(path, MadeFile(found.st_dev, found.st_ino, None), found.st_size, mark)


def remove_aside(folder: Path, mark: str) -> None:
    """Removes what a killed process of this run had already taken aside, to remove it."""
    for orphan in orphans_in(folder):
        if orphan.mark == mark and _ASIDE.fullmatch(orphan.path.name):
            with suppress(OSError):
                remove_orphan(orphan)


def remove_orphan(orphan: Orphan) -> bool:
    """Removes it, if it still is that file; whether it is gone. Raises OSError."""
    is_gone = remove_made(str(orphan.path), orphan.file.device, orphan.file.inode, orphan.mark)
    if is_gone:
        forget_made(orphan.mark)
    return is_gone
