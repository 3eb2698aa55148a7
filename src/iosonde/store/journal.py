"""The journal: the primary record of a run, which all other files derive from."""

import errno
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from iosonde.errors import OutputError, RecordError
from iosonde.records import (
    INTERVAL_FORM,
    SCHEMA_VERSION,
    CellRecord,
    CellTurn,
    IntervalRecord,
    LaterPass,
    ProcedureStart,
    Session,
    SessionEnd,
    WithinRepeat,
)
from iosonde.safe_files import open_own, open_regular
from iosonde.store.frame_forms import WithinFrame
from iosonde.store.frame_stream import FrameStream
from iosonde.store.frames import PREFIX, Broken, Kind, Unknown, encode, prefix, schema_version_of
from iosonde.store.locks import is_taken, take
from iosonde.store.names import JOURNAL_NAME
from iosonde.store.versions import check_version, newer
from iosonde.store.watch import Watch, check_size

# A flush disturbs a target on the same disk, so a cell that ends soon is not flushed. A power cut costs less than ten
# seconds of results.
SYNC_EVERY_S: Final = 5.0
SYNC_LATEST_S: Final = 9.0


def is_being_written(directory: Path) -> bool:
    """Whether a process is writing the journal of a run; False if this is unknown. Never blocks a writer."""
    try:
        with open_regular(directory / JOURNAL_NAME) as file:
            return is_taken(file.fileno())
    except OSError:
        return False


class Journal:
    """Appends frames. Flushes to the disk at the end of each cell, and every five seconds during long cells.

    The writer has a lock on the journal, which the kernel releases when the process ends.
    """

    def __init__(
        self,
        path: Path,
        now_s: Callable[[], float] = time.monotonic,
        *,
        go_on: bool = False,
        before_change: Callable[[], None] = lambda: None,
    ) -> None:
        """Starts a journal, or resumes an interrupted one. Raises OutputError, or RecordError.

        A resumed journal stays unchanged until the first frame is added; ``before_change`` is called once before that.
        """
        self._path = path
        self._now_s = now_s
        self._torn_from: int | None = None
        self._before_change = before_change
        self._is_changed = not go_on
        self._watch = Watch()
        self._size_bytes = 0
        try:
            # Frames are added only to a regular file of this user with one hard link.
            self._file = open_own(path) if go_on else path.open("xb", buffering=0)
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            self._lock()
            self._watch.add(path, sized=False)
            if go_on:
                self._find_end()
            else:
                self._write(prefix(SCHEMA_VERSION))
            self._sync()
        except BaseException:
            self._file.close()
            if not go_on:
                path.unlink(missing_ok=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file and releases the lock."""
        self._file.close()

    def cut_torn_end(self) -> None:
        """Removes an incomplete last frame, if there is one. Adding a frame does this as well."""
        if self._torn_from is None:
            return
        at, self._torn_from = self._torn_from, None
        try:
            self._file.truncate(at)
            self._file.seek(at)
            self._size_bytes = at
        except OSError as error:
            raise _unwritable(self._path, error) from error

    def watch(self, path: Path, *, sized: bool) -> None:
        """Watches another file of the run. If it is lost, adding the next frame raises OutputError."""
        self._watch.add(path, sized=sized)

    def check_there(self) -> None:
        """Raises OutputError if a file of the run was removed, replaced, moved or truncated."""
        self._watch.check()
        check_size(self._path, self._file.fileno(), self._size_bytes)

    def interval(self, order: int, interval: IntervalRecord, left_s: float, stream: str = "", host: int = 0) -> None:
        """Keeps an interval of the running cell, which continues for another ``left_s`` seconds."""
        where = b',"stream":%b' % json.dumps(stream).encode() if stream else b""
        where += b',"host":%d' % host if host else b""
        measured = INTERVAL_FORM.dump_json(interval, exclude_none=True)
        payload = b'{"order":%d%b,"interval":%b}' % (order, where, measured)
        self._write(encode(Kind.INTERVAL, payload))
        age_s = self._now_s() - self._synced_s
        if age_s >= SYNC_EVERY_S and age_s + left_s >= SYNC_LATEST_S:
            self._sync()

    def turn(self, turn: CellTurn) -> None:
        """Records a trial that is about to begin and is not in the plan."""
        self._write(encode(Kind.TURN, turn.model_dump_json().encode()))

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell that has ended. Its intervals were kept before."""
        self._append(Kind.CELL, cell)

    def prepared(self, cell: CellRecord) -> None:
        """Keeps a preconditioning write."""
        self._append(Kind.PREPARATION, cell)

    def within(self, order: int, within: WithinRepeat, stream: str = "", host: int = 0) -> None:
        """Adds the interval statistics of a kept cell. A cell is always kept before it is analysed."""
        frame = WithinFrame(order=order, stream=stream, host=host, within=within)
        self._write(encode(Kind.WITHIN, frame.model_dump_json().encode()))

    def session(self, session: Session) -> None:
        """Records that an interrupted run is resumed."""
        self._write(encode(Kind.SESSION, session.model_dump_json().encode()))
        self._sync()

    def later_pass(self, later: LaterPass) -> None:
        """Records the result of reading the targets back after the run."""
        self._write(encode(Kind.LATER_PASS, later.model_dump_json().encode()))
        self._sync()

    def procedure(self, start: ProcedureStart) -> None:
        """Records that a procedure begins, after its purge."""
        self._write(encode(Kind.PROCEDURE_START, start.model_dump_json().encode()))
        self._sync()

    def end(self, end: SessionEnd) -> None:
        """Records the end of a session."""
        self._write(encode(Kind.END, end.model_dump_json().encode()))
        self._sync()

    def _lock(self) -> None:
        if not take(self._file):
            raise RecordError(
                f"{self._path.parent} is being written by another iosonde process",
                "wait until that process exits, or stop it first",
            )

    def _find_end(self) -> None:
        """Finds where to continue. Raises NewerError for a newer version, RecordError for damage before the end."""
        run = self._path.parent
        self._file.seek(0)
        version = schema_version_of(self._file.read(PREFIX.size))
        assert version is not None, "the run must be read before its journal is resumed"
        check_version(run, version)
        stream = FrameStream(self._file, os.fstat(self._file.fileno()).st_size)
        last: object = None
        for last in stream:
            if isinstance(last, Unknown):
                raise newer(run, f"a frame of kind {last.kind}")
        self._size_bytes = stream.size_bytes
        self._file.seek(self._size_bytes)
        if isinstance(last, Broken) and last.end_bytes == stream.size_bytes:
            if last.begins_more:
                raise RecordError(
                    f"{self._path} is damaged at byte {last.offset_bytes}, before its last frame",
                    "use a complete copy of the run, or start a new run; `iosonde report` shows the intact data",
                    final=True,
                )
            self._torn_from = last.offset_bytes

    def _append(self, kind: Kind, cell: CellRecord) -> None:
        self._write(encode(kind, cell.model_dump_json(exclude={"intervals"}).encode()))
        self._sync()

    def _write(self, data: bytes) -> None:
        if not self._is_changed:
            self._is_changed = True
            self._before_change()
            self.cut_torn_end()
        self.check_there()
        try:
            while data:
                written = self._file.write(data)
                self._size_bytes += written
                data = data[written:]
        except OSError as error:
            raise _unwritable(self._path, error) from error

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self._path, error) from error
        self._synced_s = self._now_s()


def _unwritable(path: Path, error: OSError) -> OutputError:
    is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    hint = "free some space on that disk" if is_full else "make sure that you own the file and can write to it"
    return OutputError(f"cannot write {path}: {error.strerror}", hint)
