"""A run directory that is being written."""

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from iosonde.errors import OutputError
from iosonde.printing import quoted
from iosonde.records import SCHEMA_VERSION, RunHeader
from iosonde.safe_files import write_file
from iosonde.store.directories import flush_directory
from iosonde.store.header import header_text, load_header, written_version
from iosonde.store.journal import Journal
from iosonde.store.names import ACCOUNT_NAME, HEADER_NAME, JOURNAL_NAME, REPORT_NAME

TRIED_BYTES = 64 << 10
"""More than the header and the first frames of a run."""


class RunDirectory:
    """A run directory, for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._new: tuple[Path, ...] = ()

    @classmethod
    def create(cls, path: Path) -> "RunDirectory":
        """Creates the directory. An existing one must be empty. Raises OutputError."""
        _check_permitted(path)
        directory = cls(path)
        try:
            new = [each for each in (path, *path.parents) if not each.exists()]
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _not_created(path, str(error.strerror)) from error
        directory._new = tuple(new)
        return directory

    def remove_if_empty(self) -> None:
        """Removes the directory if it is empty."""
        with suppress(OSError):
            self.path.rmdir()

    @property
    def report_path(self) -> Path:
        """The path of the HTML report."""
        return self.path / REPORT_NAME

    def start_journal(self, header: RunHeader) -> Journal:
        """Starts the journal, then writes the header. A directory with a header is a run that can be resumed."""
        journal = Journal(self.path / JOURNAL_NAME)
        try:
            self._write_header(header)
            # POSIX makes the name of a new directory durable only with the directory that it is in.
            for each in self._new:
                _flush_if_possible(each.parent)
            self.watch(journal)
        except BaseException:
            journal.close()
            if not (self.path / HEADER_NAME).exists():
                (self.path / JOURNAL_NAME).unlink(missing_ok=True)
            raise
        return journal

    def reopen_journal(self) -> Journal:
        """Resumes the journal of an interrupted run. No other process may have it open for writing.

        The first added frame turns a run of an older version into one of this version.
        """
        return Journal(self.path / JOURNAL_NAME, go_on=True, before_change=self._raise_version)

    def watch(self, journal: Journal) -> None:
        """Watches the other files that a run needs: its header, and the write ledger of each target."""
        journal.watch(self.path / HEADER_NAME, sized=False)
        account = self.path / ACCOUNT_NAME
        for path in sorted(account.iterdir()) if account.is_dir() else ():
            journal.watch(path, sized=True)

    def _raise_version(self) -> None:
        """Writes this version to the header, so that an older iosonde refuses the run instead of reporting damage."""
        if written_version(self.path) < SCHEMA_VERSION:
            self._write_header(load_header(self.path))

    def _write_header(self, header: RunHeader) -> None:
        write_file(self.path / HEADER_NAME, header_text(header))
        _flush_if_possible(self.path)


def check_run_directory(path: Path) -> None:
    """Raises OutputError unless the directory is empty or can be created, and this user can write to it.

    A run may purge a drive before it writes its first file. So it is tried: permissions do not tell of a full disk.
    """
    reason = _why_not_writable(_check_permitted(path))
    if reason:
        raise _not_created(path, reason)


def _check_permitted(path: Path) -> Path:
    """The directory that exists: the path itself, or the one in which it would be created. Raises OutputError."""
    _check_empty(path)
    there = next(each for each in (path, *path.parents) if each.exists())
    if not there.is_dir():
        raise _not_created(path, f"{there} is not a directory")
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        raise _not_created(path, f"{there} is on a read-only file system")
    if not os.access(there, os.W_OK | os.X_OK):
        raise _not_created(path, f"no permission to write to {there}")
    return there


def _not_created(path: Path, reason: str) -> OutputError:
    return OutputError(f"cannot create the run directory {path}: {reason}", "specify another directory with --out")


def _why_not_writable(directory: Path) -> str:
    """Why nothing can be written to a directory, found by writing as much as the first files of a run; else empty."""
    try:
        with tempfile.TemporaryDirectory(prefix=".iosonde-", dir=directory) as folder:
            descriptor = os.open(Path(folder) / HEADER_NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                if os.write(descriptor, bytes(TRIED_BYTES)) < TRIED_BYTES:
                    return os.strerror(errno.ENOSPC)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        return str(error.strerror)
    return ""


def _check_empty(path: Path) -> None:
    try:
        names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    except OSError as error:
        raise OutputError(
            f"cannot read the run directory {path}: {error.strerror}", "specify another directory with --out"
        ) from error
    if {HEADER_NAME, JOURNAL_NAME} <= names:
        raise OutputError(
            f"{path} already contains a run",
            f"`iosonde resume {quoted(path)}` continues an interrupted run; for a new run, specify another directory "
            "with --out",
        )
    if names:
        raise OutputError(f"{path} is not empty", "specify a new directory with --out")


def make_directory(path: Path) -> bool:
    """Creates a directory. Returns False if it exists. Raises OutputError."""
    is_new = not path.is_dir()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot create {path}: {error.strerror}", "use another directory") from error
    return is_new


def _flush_if_possible(path: Path) -> None:
    """Makes the names in a directory durable, if this user may read it and the file system supports it."""
    with suppress(OSError):
        flush_directory(path)
