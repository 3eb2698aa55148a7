"""Reads a run from its directory or an archive, once or repeatedly while it is being written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from iosonde.errors import RecordError
from iosonde.records import (
    CellRecord,
    CellTurn,
    IntervalRecord,
    LaterPass,
    ProcedureStart,
    RunHeader,
    RunRecord,
    Session,
    SessionEnd,
)
from iosonde.records.base import first_error
from iosonde.store.files import RunFiles, open_files
from iosonde.store.frame_forms import WithinFrame
from iosonde.store.frame_stream import FrameStream
from iosonde.store.frames import MAGIC, PREFIX, Broken, Frame, Unknown, encode, schema_version_of
from iosonde.store.header import read_header, reading_hint
from iosonde.store.journal import is_being_written
from iosonde.store.names import JOURNAL_NAME
from iosonde.store.open_file import OpenFile
from iosonde.store.run_assembly import Added, IntervalPayload, RunAssembly
from iosonde.store.running_cell import decoded_interval
from iosonde.store.upgrades import Upgrader
from iosonde.store.versions import check_version, newer, unknown_in

_USE_A_COPY: Final = "use an intact copy of the run directory"


class NewInterval(NamedTuple):
    """An interval of the running trial ``order``, of one of its streams, on one host."""

    order: int
    stream: str
    host: int
    interval: IntervalRecord


News = (
    RunHeader
    | NewInterval
    | CellRecord
    | CellTurn
    | WithinFrame
    | Session
    | LaterPass
    | ProcedureStart
    | SessionEnd
    | Broken
)
"""A new part of a run. A header starts the run, or restarts it: all parts before it are then void."""


def load_run(path: Path, *, intervals: bool = True) -> RunRecord:
    """Reads a run from its directory or an archive. Of a damaged journal it reads the intact part. Raises RecordError.

    Without ``intervals`` the cells have totals only, which is much faster.
    """
    run = FollowedRun(path, intervals=intervals)
    run.read()
    return run.record()


class FollowedRun:
    """A run that may still be written: each read continues where the previous one ended.

    A journal that was truncated or replaced is read again from its start. With ``intervals`` the cells of the record
    have their intervals; without, memory has only the last ones of the running cell. Only one thread at a time may use
    an instance. Several instances may follow the same run.
    """

    def __init__(self, path: Path, *, intervals: bool = False) -> None:
        self._path = path
        self._with_intervals = intervals
        self._reading: _Reading | None = None

    def read(self) -> None:
        """Reads what is new. Raises RecordError, as ``news`` does."""
        for _ in self._added():
            pass

    def news(self) -> Iterator[News]:
        """Reads what is new, and yields each part of it. Raises RecordError.

        If the caller stops early, the next call continues there. An incomplete frame is read once it is complete.
        """
        for added in self._added():
            if isinstance(added, IntervalPayload):
                with self._named_errors():
                    interval = decoded_interval(added.payload)
                yield NewInterval(added.order, added.stream, added.host, interval)
            else:
                yield added

    def record(self) -> RunRecord:
        """The part of the run that was read so far. Raises RecordError."""
        assert self._reading is not None, "the run must be read before its record is used"
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
                    self._reading = self._started(header, journal)
                    yield header
                yield from self._continue(self._reading, journal)

    def _continue(self, reading: "_Reading", journal: OpenFile) -> Iterator[Added]:
        yield from reading.pending
        reading.torn = None
        stream = FrameStream(journal.file, journal.size_bytes, reading.at_bytes)
        with self._named_errors():
            for found in stream:
                if isinstance(found, Unknown):
                    raise newer(self._path, f"a frame of kind {found.kind}")
                if isinstance(found, Broken) and found.end_bytes == stream.size_bytes:
                    reading.torn = found
                    return
                reading.pending = iter(reading.assembly.take(found))
                reading.at_bytes = stream.at_bytes
                reading.last = found
                yield from reading.pending

    def _started(self, header: RunHeader, journal: OpenFile) -> "_Reading":
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
                f"{path} has no journal: the run directory is incomplete", "use a complete copy of the run directory"
            ) from error
        except OSError as error:
            raise RecordError(f"the journal of {path} cannot be read: {error.strerror}", reading_hint(error)) from error

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Turns invalid content into a RecordError. The checksum matched, so another program wrote the frame."""
        try:
            yield
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            unknown = unknown_in(error)
            if unknown is not None:
                raise newer(self._path, unknown) from error
            reason = first_error(error) if isinstance(error, ValidationError) else str(error)
            raise RecordError(
                f"{self._path / JOURNAL_NAME} contains invalid data: {reason}",
                "use an unmodified copy of the run",
            ) from error


@dataclass
class _Reading:
    """The state of reading a journal, and the run read from it.

    ``at_bytes`` is the offset of the first unread frame, which follows ``last``. ``pending`` are the parts of ``last``
    that the caller has not received. ``torn`` is an incomplete end found by the last read.
    """

    identity: tuple[int, ...]
    beginning: bytes
    assembly: RunAssembly
    at_bytes: int = PREFIX.size
    last: Frame | Broken | None = None
    pending: Iterator[Added] = field(default_factory=lambda: iter(()))
    torn: Broken | None = None

    def is_of(self, journal: OpenFile) -> bool:
        """Whether this is the journal that was read, and still contains the last frame that was read."""
        if journal.identity != self.identity or journal.size_bytes < self.at_bytes:
            return False
        if not journal.grows:
            return True
        before = encode(self.last.kind, self.last.payload) if isinstance(self.last, Frame) else self.beginning
        journal.file.seek(self.at_bytes - len(before) if isinstance(self.last, Frame) else 0)
        return journal.file.read(len(before)) == before
