"""A run as a directory."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iosonde.errors import OutputError, RecordError
from iosonde.records import SCHEMA_VERSION, CellRecord, IntervalRecord, RunHeader, RunRecord
from iosonde.store.frames import Broken, Frame, Kind, decode, schema_version_of
from iosonde.store.journal import Journal

HEADER_NAME: Final = "run.json"
JOURNAL_NAME: Final = "journal"
REPORT_NAME: Final = "report.html"


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
                f"can't make the run directory {path}: {error.strerror}", "name another place with --out"
            ) from error
        return cls(path)

    @property
    def report_path(self) -> Path:
        """Where the HTML report goes."""
        return self.path / REPORT_NAME

    def write_header(self, header: RunHeader) -> None:
        """Writes ``run.json`` as a whole or not at all."""
        write_whole(self.path / HEADER_NAME, header.model_dump_json(indent=1) + "\n")

    def open_journal(self) -> Journal:
        """Starts the journal."""
        return Journal(self.path / JOURNAL_NAME)


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that a reader finds all of it or the one before. Raises OutputError."""
    beside = path.with_name(f".{path.name}.part")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise OutputError(f"can't write {path}: {error.strerror}", "make room or name another place") from error


def load_run(path: Path, *, intervals: bool = True) -> RunRecord:
    """Reads a run back; a journal with a broken end gives what is whole. Raises RecordError.

    Without ``intervals`` the cells carry totals only, which is much faster.
    """
    header = _load_header(path)
    fill: CellRecord | None = None
    cells: list[CellRecord] = []
    pending: dict[int, list[IntervalRecord]] = {}
    finished = False
    damage: str | None = None
    for frame in _frames(path):
        if isinstance(frame, Broken):
            damage = f"{frame.reason}, at byte {frame.offset_bytes}"
        elif frame.kind is Kind.INTERVAL:
            if intervals:
                body = json.loads(frame.payload)
                pending.setdefault(body["order"], []).append(IntervalRecord.model_validate(body["interval"]))
        elif frame.kind is Kind.END:
            finished = True
        else:
            cell = CellRecord.model_validate_json(frame.payload)
            cell = cell.model_copy(update={"intervals": tuple(pending.pop(cell.order, ()))})
            if frame.kind is Kind.FILL:
                fill = cell
            else:
                cells.append(cell)
    return RunRecord(header=header, fill=fill, cells=tuple(cells), finished=finished, damage=damage)


def _load_header(path: Path) -> RunHeader:
    if not path.is_dir():
        raise RecordError(f"{path} is not a run directory", "name the directory that `iosonde run` wrote")
    try:
        text = (path / HEADER_NAME).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(
            f"{path} has no readable {HEADER_NAME}", "name the directory that `iosonde run` wrote"
        ) from error
    try:
        version = json.loads(text)["schema_version"]
        if version != SCHEMA_VERSION:
            raise RecordError(
                f"{path} was written by a newer iosonde (schema {version}; this one reads up to {SCHEMA_VERSION})",
                "install the newer iosonde to read it",
            )
        return RunHeader.model_validate_json(text)
    except (ValueError, KeyError, TypeError) as error:
        reason = _first_reason(error)
        raise RecordError(f"{path / HEADER_NAME} is damaged: {reason}", "use a copy of the run directory") from error


def _first_reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(error)


def _frames(path: Path) -> Iterator[Frame | Broken]:
    try:
        data = (path / JOURNAL_NAME).read_bytes()
    except OSError as error:
        raise RecordError(f"{path} has no readable journal", "use a copy of the run directory") from error
    schema_version_of(data)
    return decode(data)
