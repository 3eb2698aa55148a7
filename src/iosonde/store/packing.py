"""Packing a run into an archive: the same run gives the same bytes."""

import fcntl
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from iosonde.errors import RecordError
from iosonde.store.archive import CONTENT_BYTES_MAX, FILES_MAX, is_plain_name, open_archive
from iosonde.store.files import RunFiles, open_files
from iosonde.store.names import JOURNAL_NAME
from iosonde.store.reading import load_run
from iosonde.store.whole import moved_together, telling
from iosonde.units import format_size

# The first time that a zip archive can name: when files were written would make each copy of a run another archive.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_MODE: Final = stat.S_IFREG | 0o644


def write_archive(run: Path, to: Path) -> tuple[str, ...]:
    """Packs a run, from its directory or another archive, and gives the names of what lies in it.

    What is there is replaced, at once and in full. Everything in the run's folder goes in but links, other folders and
    hidden files. Raises RecordError for what is no whole run or is being written, and OutputError.
    """
    with _at_rest(run), open_files(run) as files:
        names = _checked_names(run, files)
        folder = f"iosonde-{load_run(run, intervals=False).header.run}"
        if not is_plain_name(folder):
            raise RecordError(f"{run} has a name that no file can have: {folder!r}", "use a copy as iosonde wrote it")
        with telling(to), moved_together() as beside:
            _pack(files, names, folder, beside(to))
            with open_archive(beside(to)):
                # What can't be read back is never given away.
                pass
    return names


def _checked_names(run: Path, files: RunFiles) -> tuple[str, ...]:
    names = files.names
    if len(names) > FILES_MAX:
        raise RecordError(
            f"{run} holds {len(names)} files, more than the {FILES_MAX} of a run", "move what is none of it elsewhere"
        )
    odd = [name for name in names if not is_plain_name(name)]
    if odd:
        raise RecordError(f"{run} holds {odd[0]!r}, a name that no archive takes", "rename it, or move it elsewhere")
    size_bytes = sum(files.size_bytes(name) for name in names)
    if size_bytes > CONTENT_BYTES_MAX:
        raise RecordError(
            f"{run} holds {format_size(size_bytes)}, more than the {format_size(CONTENT_BYTES_MAX)} of an archive",
            "hand in the directory, or only its Parquet files",
        )
    return names


def _pack(files: RunFiles, names: tuple[str, ...], folder: str, path: Path) -> None:
    with path.open("wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                entry = zipfile.ZipInfo(f"{folder}/{name}", _TIME)
                entry.create_system, entry.external_attr = _UNIX, _MODE << 16
                entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, files.size_bytes(name)
                with archive.open(entry, "w") as member:
                    for data in files.chunks(name):
                        member.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _at_rest(run: Path) -> Iterator[None]:
    """Holds the journal of a run directory, so that nobody goes on with the run meanwhile."""
    try:
        journal = (run / JOURNAL_NAME).open("rb")
    except OSError:
        # An archive, or no run at all, which is told by whoever reads it.
        yield
        return
    with journal:
        try:
            fcntl.flock(journal, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordError(
                f"{run} is being written by another iosonde", "wait until it has ended, or end it first"
            ) from None
        except OSError:
            # Some network file systems know no locks, and whoever writes there holds none.
            pass
        yield
