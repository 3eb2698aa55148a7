"""Packs a run into an archive. The same run results in the same bytes."""

import stat
import zipfile
from pathlib import Path
from typing import Final

from iosonde.errors import RecordError
from iosonde.safe_files import atomic_outputs, output_errors
from iosonde.store.archive import FILES_MAX, is_plain_name, open_archive
from iosonde.store.files import RunFiles, open_files
from iosonde.store.followed_run import load_run
from iosonde.store.journal import is_being_written
from iosonde.store.names import CONTENT_BYTES_MAX, JOURNAL_NAME
from iosonde.units import format_size

# The earliest time that a zip archive can store. With real file times, archives of copies of a run would differ.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_MODE: Final = stat.S_IFREG | 0o644


def write_archive(run: Path, to: Path) -> tuple[str, ...]:
    """Packs a run from its directory or another archive, and returns the names of the packed files.

    An existing file is replaced atomically. All files of the run's directory are packed, except links, subdirectories
    and hidden files. Raises RecordError for an incomplete run or one that is being written, and OutputError.
    """
    since = _journal_state(run)
    _check_at_rest(run, since)
    with open_files(run) as files:
        names = _checked_names(run, files)
        folder = f"iosonde-{load_run(run, intervals=False).header.run}"
        if not is_plain_name(folder):
            raise RecordError(
                f"the name of the run in {run} is not a valid file name: {folder!r}",
                "use an unmodified copy of the run",
            )
        with output_errors(to), atomic_outputs() as beside:
            _pack(files, names, folder, beside(to))
            with open_archive(beside(to)):
                # An archive gets its name only if it can be read back.
                pass
            _check_at_rest(run, since)
    return names


def _checked_names(run: Path, files: RunFiles) -> tuple[str, ...]:
    names = files.names
    if len(names) > FILES_MAX:
        raise RecordError(
            f"{run} contains {len(names)} files; a run can have at most {FILES_MAX}",
            "move files that do not belong to the run to another directory",
        )
    odd = [name for name in names if not is_plain_name(name)]
    if odd:
        raise RecordError(
            f"{run} contains {odd[0]!r}, which is not a valid file name in an archive",
            "rename the file, or move it to another directory",
        )
    size_bytes = sum(files.size_bytes(name) for name in names)
    if size_bytes > CONTENT_BYTES_MAX:
        raise RecordError(
            f"{run} contains {format_size(size_bytes)}; the limit for an archive is {format_size(CONTENT_BYTES_MAX)}",
            "send the directory, or only its Parquet files",
        )
    return names


def _pack(files: RunFiles, names: tuple[str, ...], folder: str, path: Path) -> None:
    with path.open("wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(f"{folder}/{name}", _TIME)
            entry.create_system, entry.external_attr = _UNIX, _MODE << 16
            entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, files.size_bytes(name)
            with archive.open(entry, "w") as member:
                for data in files.chunks(name):
                    member.write(data)


def _journal_state(run: Path) -> tuple[int, int, int] | None:
    """Inode, size and time of the journal; None for an archive, or for a path without a run (reported on reading)."""
    try:
        found = (run / JOURNAL_NAME).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _check_at_rest(run: Path, since: tuple[int, int, int] | None) -> None:
    """Raises RecordError if the run is being written, or has changed since ``since``. Never blocks a writer."""
    if is_being_written(run) or _journal_state(run) != since:
        raise RecordError(
            f"{run} is being written by another iosonde process", "wait until that process exits, or stop it first"
        )
