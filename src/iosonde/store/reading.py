"""A run read back from its directory or an archive: its header, and what is whole of its journal."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from iosonde.analysis.totals import sums_of
from iosonde.errors import RecordError
from iosonde.records import (
    CellRecord,
    CellTurn,
    Identity,
    IntervalRecord,
    LaterPass,
    Outcome,
    Phase,
    RunHeader,
    RunRecord,
    Session,
    check_histograms,
)
from iosonde.records.base import first_error
from iosonde.store.files import RunFiles, open_files
from iosonde.store.forms import FORMS, EndFrame, Seen, WithinFrame
from iosonde.store.frames import MAGIC, Broken, Frame, Kind, Unknown, decode, schema_version_of
from iosonde.store.header import read_header
from iosonde.store.journal import is_being_written
from iosonde.store.names import JOURNAL_NAME
from iosonde.store.upgrades import Upgrader
from iosonde.store.versions import check_version, newer, unknown_in


def load_run(path: Path, *, intervals: bool = True) -> RunRecord:
    """Reads a run back, from its directory or an archive; a damaged journal gives what is whole. Raises RecordError.

    Without ``intervals`` the cells carry totals only, which is much faster.
    """
    with open_files(path) as files:
        header, data = read_header(path, files), _journal(path, files)
    version = check_version(path, schema_version_of(data))
    reading = _Reading(header, Upgrader(version), intervals=intervals)
    try:
        with _without_collecting():
            for found in decode(data):
                if isinstance(found, Unknown):
                    raise newer(path, f"a frame of the kind {found.kind}")
                reading.take(found)
            run = reading.result()
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        unknown = unknown_in(error)
        if unknown is not None:
            raise newer(path, unknown) from error
        # Each frame is as it was written, so somebody else wrote it.
        raise RecordError(
            f"{path / JOURNAL_NAME} holds what no iosonde writes: {_first_reason(error)}",
            "use a copy of the run as iosonde wrote it",
        ) from error
    return run if run.finished else run.model_copy(update={"running": is_being_written(path)})


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keeps Python's search for cycles off: records have none, and walking them again and again doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Reading:
    """What the frames of a journal add up to."""

    def __init__(self, header: RunHeader, upgrader: Upgrader, *, intervals: bool) -> None:
        self._header = header
        self._upgrader = upgrader
        self._with_intervals = intervals
        self._turns = {turn.order: turn for turn in header.plan.turns}
        self._plans = {cell.cell: cell for cell in header.plan.cells}
        for step in header.plan.writes_first:
            self._plans[step.cell.cell] = step.cell
            self._turns[step.order] = header.plan.turn_of(step)
        self._last_write = max((step.order for step in header.plan.writes_first), default=None)
        self._cells: dict[int, CellRecord] = {}
        self._superseded: list[CellRecord] = []
        self._prepared: tuple[Identity, ...] = ()
        self._sessions: list[Session] = []
        # Intervals of cells that have no end yet, as they were written: most are never looked at.
        self._pending: dict[int, list[bytes]] = {}
        self._seen = Seen()
        self._chosen: dict[int, CellTurn] = {}
        self._finished = False
        self._later_passes: list[LaterPass] = []
        self._damage: list[str] = []

    def take(self, found: Frame | Broken) -> None:
        """Adds one frame."""
        if isinstance(found, Broken):
            self._damage.append(f"{found.reason}, at byte {found.offset_bytes}")
            return
        payload = self._upgrader.payload(found.kind, found.payload)
        if found.kind is Kind.INTERVAL:
            if not self._with_intervals:
                self._seen.check(found.kind, payload)
            self._pending.setdefault(_order_of(payload), []).append(payload)
        elif found.kind is Kind.END:
            self._finished = EndFrame.model_validate_json(payload).finished
        elif found.kind is Kind.TURN:
            turn = CellTurn.model_validate_json(payload)
            self._turns[turn.order] = self._chosen[turn.order] = turn
        elif found.kind is Kind.LATER_PASS:
            self._later_passes.append(LaterPass.model_validate_json(payload))
        elif found.kind is Kind.WITHIN:
            self._add_within(WithinFrame.model_validate_json(payload))
        elif found.kind is Kind.SESSION:
            self._cut_what_is_pending()
            self._sessions.append(Session.model_validate_json(payload))
            self._finished = False
        else:
            cell = CellRecord.model_validate_json(payload)
            check_histograms(cell)
            payloads = self._pending.pop(cell.order, [])
            if self._with_intervals:
                cell = cell.model_copy(update={"intervals": _intervals(payloads)})
            self._keep(cell)

    def result(self) -> RunRecord:
        """The run. A cell without an end was cut, whoever or whatever cut it."""
        self._cut_what_is_pending()
        measured = [order for order in sorted(self._cells) if not self._cells[order].is_preparation]
        written = [order for order in sorted(self._cells) if self._cells[order].is_preparation]
        return RunRecord(
            header=self._header,
            preparation=tuple(self._cells[order] for order in written),
            cells=tuple(self._cells[order] for order in measured),
            finished=self._finished,
            damage="; ".join(self._damage) or None,
            sessions=tuple(self._sessions),
            superseded=tuple(self._superseded),
            prepared=self._prepared,
            later_passes=tuple(self._later_passes),
            turns_chosen=tuple(self._chosen[order] for order in sorted(self._chosen)),
        )

    def _add_within(self, frame: WithinFrame) -> None:
        cell = self._cells.get(frame.order)
        # Damage can take the cell, and leave what was said of it.
        if cell is not None:
            self._cells[frame.order] = cell.model_copy(update={"within": frame.within})

    def _keep(self, cell: CellRecord) -> None:
        before = self._cells.get(cell.order)
        if before is not None:
            self._superseded.append(before)
        self._cells[cell.order] = cell
        if cell.order == self._last_write and cell.outcome is Outcome.FINISHED:
            last = self._sessions[-1] if self._sessions else self._header
            targets = (last.target, *last.more_targets)
            self._prepared = tuple(target.identity for target in targets if target.identity is not None)

    def _cut_what_is_pending(self) -> None:
        for order, payloads in self._pending.items():
            # Damage can leave intervals of a cell that the plan doesn't have; they belong nowhere.
            if order in self._turns:
                self._keep(self._cut_cell(self._turns[order], _intervals(payloads)))
        self._pending.clear()

    def _cut_cell(self, turn: CellTurn, intervals: tuple[IntervalRecord, ...]) -> CellRecord:
        plan = self._plans[turn.cell]
        measured_ns = sum(each.end_ns - each.start_ns for each in intervals if each.phase is Phase.MEASURE)
        return CellRecord(
            cell=plan.cell,
            experiments=plan.experiments,
            repeat=turn.repeat,
            order=turn.order,
            round=turn.round,
            seed=turn.seed,
            workload=plan.workload,
            timing=turn.timing or plan.timing,
            outcome=Outcome.CUT,
            failure=None,
            measured_ns=measured_ns,
            intervals=intervals if self._with_intervals else (),
            **sums_of(intervals),
        )


def _order_of(payload: bytes) -> int:
    """The turn that an interval belongs to; it stands first, so that nothing else need be read."""
    return int(payload[len(b'{"order":') : payload.index(b",")])


def _intervals(payloads: list[bytes]) -> tuple[IntervalRecord, ...]:
    return tuple(FORMS[Kind.INTERVAL].validate_json(payload).interval for payload in payloads)


def _first_reason(error: Exception) -> str:
    return first_error(error) if isinstance(error, ValidationError) else str(error)


def _journal(path: Path, files: RunFiles) -> bytes:
    try:
        data = files.read(JOURNAL_NAME, MAGIC)
    except FileNotFoundError as error:
        raise RecordError(
            f"{path} has no journal: only half of a run is there", "use a whole copy of the run directory"
        ) from error
    except OSError as error:
        raise RecordError(
            f"{path} has no readable journal: {error.strerror}", "use a copy of the run directory"
        ) from error
    if schema_version_of(data) is None:
        raise RecordError(f"{path / JOURNAL_NAME} does not begin like a journal", "use a copy of the run directory")
    return data
