"""A run directory that is being written."""

import os
from contextlib import suppress
from pathlib import Path

from iosonde.errors import OutputError
from iosonde.records import SCHEMA_VERSION, RunHeader
from iosonde.safe_files import write_file
from iosonde.store.header import header_text, load_header, written_version
from iosonde.store.journal import Journal
from iosonde.store.names import ACCOUNT_NAME, HEADER_NAME, JOURNAL_NAME, REPORT_NAME


class RunDirectory:
    """A directory that a run is being written to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path) -> "RunDirectory":
        """Makes the directory; one that exists must be empty. Raises OutputError."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise OutputError(f"{path} is not empty", "name a new directory with --out")
        except OSError as error:
            raise OutputError(
                f"can't make the run directory {path}: {error.strerror}", "name another directory with --out"
            ) from error
        return cls(path)

    def remove_if_empty(self) -> None:
        """Removes the directory where nothing was written to it."""
        with suppress(OSError):
            self.path.rmdir()

    @property
    def report_path(self) -> Path:
        """Where the HTML report goes."""
        return self.path / REPORT_NAME

    def start_journal(self, header: RunHeader) -> Journal:
        """Starts the journal, then writes the header: a directory with a header is a run that can go on."""
        journal = Journal(self.path / JOURNAL_NAME)
        try:
            self._write_header(header)
            self.watch(journal)
        except BaseException:
            journal.close()
            raise
        return journal

    def reopen_journal(self) -> Journal:
        """Goes on with the journal of a run that was broken off; no other process may be at it.

        With the first thing that is added, a run of an older version becomes one of this version.
        """
        return Journal(self.path / JOURNAL_NAME, go_on=True, before_change=self._raise_version)

    def watch(self, journal: Journal) -> None:
        """Has the other files looked after that a run needs: its header, and the account of each target."""
        journal.watch(self.path / HEADER_NAME, sized=False)
        account = self.path / ACCOUNT_NAME
        for path in sorted(account.iterdir()) if account.is_dir() else ():
            journal.watch(path, sized=True)

    def _raise_version(self) -> None:
        """An older iosonde must not take for damage what is added now: it refuses the run by its header."""
        if written_version(self.path) < SCHEMA_VERSION:
            self._write_header(load_header(self.path))

    def _write_header(self, header: RunHeader) -> None:
        write_file(self.path / HEADER_NAME, header_text(header))
        _flush_directory(self.path)


def make_directory(path: Path) -> bool:
    """Makes a directory for files of ours; False where there is one. Raises OutputError."""
    is_new = not path.is_dir()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"can't make {path}: {error.strerror}", "name another directory") from error
    return is_new


def _flush_directory(path: Path) -> None:
    """Makes the names in a directory durable, where the file system can."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
