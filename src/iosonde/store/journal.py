"""The journal: the truth while a run goes on."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from iosonde.errors import OutputError
from iosonde.records import SCHEMA_VERSION, CellRecord, IntervalRecord
from iosonde.store.frames import Kind, encode, prefix

# Flushing disturbs a target on the same disk, so a cell that ends soon is left in peace: what a power cut can take
# stays below ten seconds.
SYNC_EVERY_S: Final = 5.0
SYNC_LATEST_S: Final = 9.0


class Journal:
    """Appends frames; each cell's end is flushed to the disk, and long cells every five seconds."""

    def __init__(self, path: Path, now_s: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._now_s = now_s
        try:
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise _unwritable(path, error) from error
        self._write(prefix(SCHEMA_VERSION))
        self._sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:
        """Keeps an interval of the running cell, which goes on for another ``left_s`` seconds."""
        payload = f'{{"order":{order},"interval":{interval.model_dump_json()}}}'
        self._write(encode(Kind.INTERVAL, payload.encode()))
        age_s = self._now_s() - self._synced_s
        if age_s >= SYNC_EVERY_S and age_s + left_s >= SYNC_LATEST_S:
            self._sync()

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell that has ended; its intervals were kept before."""
        self._append(Kind.CELL, cell)

    def fill(self, cell: CellRecord) -> None:
        """Keeps the first write of the target."""
        self._append(Kind.FILL, cell)

    def end(self) -> None:
        """Notes that nothing more will come."""
        self._write(encode(Kind.END, json.dumps({"finished": True}).encode()))
        self._sync()

    def _append(self, kind: Kind, cell: CellRecord) -> None:
        self._write(encode(kind, cell.model_dump_json(exclude={"intervals"}).encode()))
        self._sync()

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise _unwritable(self._path, error) from error

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self._path, error) from error
        self._synced_s = self._now_s()


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(f"can't write {path}: {error.strerror}", "make room or name another place with --out")
