"""A run read back from its directory or an archive, once or again and again while it is being written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from iosonde.errors import RecordError
from iosonde.records import CellRecord, CellTurn, IntervalRecord, LaterPass, RunHeader, RunRecord, Session, SessionEnd
from iosonde.records.base import first_error
from iosonde.store.files import RunFiles, open_files
from iosonde.store.forms import WithinFrame
from iosonde.store.frame_stream import FrameStream
from iosonde.store.frames import MAGIC, PREFIX, Broken, Frame, Unknown, encode, schema_version_of
from iosonde.store.header import read_header
from iosonde.store.journal import is_being_written
from iosonde.store.names import JOURNAL_NAME
from iosonde.store.open_file import OpenFile
from iosonde.store.run_assembly import Added, IntervalPayload, RunAssembly
from iosonde.store.running_cell import decoded_interval
from iosonde.store.upgrades import Upgrader
from iosonde.store.versions import check_version, newer, unknown_in

_USE_A_COPY: Final = "use a copy of the run directory"


class NewInterval(NamedTuple):
    """An interval of the cell that runs as turn ``order``, or of one of its streams, on one host."""

    order: int
    stream: str
    host: int
    interval: IntervalRecord


News = RunHeader | NewInterval | CellRecord | CellTurn | WithinFrame | Session | LaterPass | SessionEnd | Broken
"""What came of a run. With a header it begins, or begins again: then all that came before it is void."""


def load_run(path: Path, *, intervals: bool = True) -> RunRecord:
    """Reads a run back, from its directory or an archive; a damaged journal gives what is whole. Raises RecordError.

    Without ``intervals`` the cells carry totals only, which is much faster.
    """
    run = FollowedRun(path, intervals=intervals)
    run.read()
    return run.record()


class FollowedRun:
    """A run that may be going on: each reading goes on where the one before ended.

    A journal that is not the one that was read any more, because it was cut or replaced, is read from its start. With
    ``intervals`` the cells of the record have theirs; without, memory holds the last of the running cell only. One
    thread at a time may use it; several may follow the same run, each with its own.
    """

    def __init__(self, path: Path, *, intervals: bool = False) -> None:
        self._path = path
        self._with_intervals = intervals
        self._reading: _Reading | None = None

    def read(self) -> None:
        """Takes in what is new. Raises RecordError, as ``news`` does."""
        for _ in self._added():
            pass

    def news(self) -> Iterator[News]:
        """Takes in what is new, and gives each part of it as it is read. Raises RecordError.

        Whoever stops in the middle goes on there the next time. A frame that is not whole yet comes when it is.
        """
        for added in self._added():
            if isinstance(added, IntervalPayload):
                with self._named_errors():
                    interval = decoded_interval(added.payload)
                yield NewInterval(added.order, added.stream, added.host, interval)
            else:
                yield added

    def record(self) -> RunRecord:
        """The run as far as it was read. Raises RecordError."""
        assert self._reading is not None, "whoever wants the record has read the run"
        with self._named_errors():
            run = self._reading.assembly.record(self._reading.torn)
        return run if run.finished else run.model_copy(update={"running": is_being_written(self._path)})

    def _added(self) -> Iterator[RunHeader | Added]:
        with open_files(self._path) as files:
            header = read_header(self._path, files) if self._reading is None else None
            with self._opened_journal(files) as journal:
                if self._reading is None or not self._reading.is_of(journal):
                    self._reading = None
                    header = header or read_header(self._path, files)
                    self._reading = self._begun(header, journal)
                    yield header
                yield from self._go_on(self._reading, journal)

    def _go_on(self, reading: "_Reading", journal: OpenFile) -> Iterator[Added]:
        yield from reading.untold
        reading.torn = None
        stream = FrameStream(journal.file, journal.size_bytes, reading.at_bytes)
        with self._named_errors():
            for found in stream:
                if isinstance(found, Unknown):
                    raise newer(self._path, f"a frame of the kind {found.kind}")
                if isinstance(found, Broken) and found.end_bytes == stream.size_bytes:
                    reading.torn = found
                    return
                reading.untold = iter(reading.assembly.take(found))
                reading.at_bytes = stream.at_bytes
                reading.last = found
                yield from reading.untold

    def _begun(self, header: RunHeader, journal: OpenFile) -> "_Reading":
        journal.file.seek(0)
        beginning = journal.file.read(PREFIX.size)
        version = schema_version_of(beginning)
        if version is None:
            raise RecordError(f"{self._path / JOURNAL_NAME} is not a journal", _USE_A_COPY)
        upgrader = Upgrader(check_version(self._path, version))
        assembly = RunAssembly(header, upgrader, intervals=self._with_intervals)
        return _Reading(journal.identity, beginning, assembly)

    @contextmanager
    def _opened_journal(self, files: RunFiles) -> Iterator[OpenFile]:
        path = self._path
        try:
            with files.opened(JOURNAL_NAME, MAGIC) as journal:
                yield journal
        except FileNotFoundError as error:
            raise RecordError(
                f"{path} has no journal: the run is incomplete", "use a complete copy of the run directory"
            ) from error
        except OSError as error:
            raise RecordError(f"{path} has no readable journal: {error.strerror}", _USE_A_COPY) from error

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Each frame is as it was written: one with a content that does not fit was written by somebody else."""
        try:
            yield
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            unknown = unknown_in(error)
            if unknown is not None:
                raise newer(self._path, unknown) from error
            reason = first_error(error) if isinstance(error, ValidationError) else str(error)
            raise RecordError(
                f"{self._path / JOURNAL_NAME} has content that iosonde does not write: {reason}",
                "use a copy of the run that iosonde wrote",
            ) from error


@dataclass
class _Reading:
    """How far a journal was read, and what it adds up to.

    ``at_bytes`` is where the first frame that was not read begins, behind ``last``. ``untold`` is what ``last`` has
    added and nobody has taken yet. ``torn`` is an end that was not whole when it was last looked at.
    """

    identity: tuple[int, ...]
    beginning: bytes
    assembly: RunAssembly
    at_bytes: int = PREFIX.size
    last: Frame | Broken | None = None
    untold: Iterator[Added] = field(default_factory=lambda: iter(()))
    torn: Broken | None = None

    def is_of(self, journal: OpenFile) -> bool:
        """Whether this is the journal that was read, and what was read last is there still."""
        if journal.identity != self.identity or journal.size_bytes < self.at_bytes:
            return False
        if not journal.grows:
            return True
        before = encode(self.last.kind, self.last.payload) if isinstance(self.last, Frame) else self.beginning
        journal.file.seek(self.at_bytes - len(before) if isinstance(self.last, Frame) else 0)
        return journal.file.read(len(before)) == before
