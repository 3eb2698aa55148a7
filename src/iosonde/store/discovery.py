"""Finds the runs below a directory."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.errors import RecordError
from iosonde.safe_files import open_regular
from iosonde.store.archive import ARCHIVE_SUFFIX, is_archive
from iosonde.store.frames import MAGIC
from iosonde.store.names import HEADER_NAME, JOURNAL_NAME

# A header begins with its schema version, unlike files of the same name from other programs.
_BEGINS_LIKE_HEADER: Final = re.compile(rb'\s*\{\s*"schema_version"')
_BEGINNING_BYTES: Final = 64


@dataclass(frozen=True)
class RunLocation:
    """A directory with a run or part of one, an archive of a run, or a directory that cannot be read.

    ``unreadable`` is the reason why it cannot be read.
    """

    path: Path
    unreadable: str = ""


def runs_below(folder: Path) -> Iterator[RunLocation]:
    """Every run at or below a directory, sorted by name. Skips hidden directories and links to directories.

    An archive is a run itself. Raises RecordError if ``folder`` is neither, or cannot be read.
    """
    try:
        is_directory = folder.is_dir()
        if is_directory:
            os.scandir(folder).close()
    except OSError as error:
        raise RecordError(
            f"{folder} cannot be read: {error.strerror}", "make sure that you have read permission"
        ) from error
    if not is_directory:
        if not is_archive(folder):
            raise RecordError(f"{folder} is not a directory", "specify the directory that contains the runs")
        yield RunLocation(folder)
        return
    yield from _below(folder)


def _below(folder: Path) -> Iterator[RunLocation]:
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        try:
            with os.scandir(at) as entries:
                found = {entry.name: entry for entry in entries}
            holds_run = _holds_run(at, found)
        except OSError as error:
            yield RunLocation(at, error.strerror or "unknown error")
            continue
        if holds_run:
            yield RunLocation(at)
            continue
        yield from (RunLocation(at / name) for name in sorted(found) if _may_be_archive(found[name]))
        inner = [
            name for name, entry in found.items() if not name.startswith(".") and entry.is_dir(follow_symlinks=False)
        ]
        waiting.extend(at / name for name in sorted(inner, reverse=True))


def _may_be_archive(entry: os.DirEntry[str]) -> bool:
    """Whether the name is that of a run's archive. Other zip archives are not opened."""
    hidden = entry.name.startswith(".")
    return entry.name.endswith(ARCHIVE_SUFFIX) and not hidden and entry.is_file(follow_symlinks=False)


def _holds_run(directory: Path, found: dict[str, os.DirEntry[str]]) -> bool:
    if {HEADER_NAME, JOURNAL_NAME} <= set(found):
        return True
    if _is_regular(found.get(JOURNAL_NAME)):
        return _beginning(directory / JOURNAL_NAME).startswith(MAGIC)
    if _is_regular(found.get(HEADER_NAME)):
        return _BEGINS_LIKE_HEADER.match(_beginning(directory / HEADER_NAME)) is not None
    return False


def _is_regular(entry: os.DirEntry[str] | None) -> bool:
    return entry is not None and entry.is_file(follow_symlinks=False)


def _beginning(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read(_BEGINNING_BYTES)
