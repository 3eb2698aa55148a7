"""Assembles a run from the frames of a journal."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from iosonde.analysis.totals import sums_of
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Identity,
    IntervalRecord,
    LaterPass,
    Outcome,
    Phase,
    ProcedureStart,
    RunHeader,
    RunRecord,
    Session,
    SessionEnd,
    check_histograms,
)
from iosonde.store.frame_forms import FORMS, CheckedShapes, WithinFrame
from iosonde.store.frames import Broken, Frame, Kind
from iosonde.store.running_cell import RunningCell
from iosonde.store.upgrades import Upgrader

_BEFORE_INTERVAL: Final = b',"interval":'


class _Measured(NamedTuple):
    """The key of a record: the order of the trial, one of its streams, and the host that measured it."""

    order: int
    stream: str
    host: int


class IntervalPayload(NamedTuple):
    """The encoded interval of the running trial ``order``. Most are never decoded."""

    order: int
    stream: str
    host: int
    payload: bytes


Added = (
    IntervalPayload | CellRecord | CellTurn | WithinFrame | Session | LaterPass | ProcedureStart | SessionEnd | Broken
)
"""The addition of one frame, or a damaged stretch. An interrupted cell is also a cell."""


class RunAssembly:
    """A run that grows with each frame. Without ``intervals``, those of a cell are dropped when it ends."""

    def __init__(self, header: RunHeader, upgrader: Upgrader, *, intervals: bool) -> None:
        self._header = header
        self._upgrader = upgrader
        self._with_intervals = intervals
        self._turns = {turn.order: turn for turn in header.plan.turns}
        self._cells_planned = {cell.cell: cell for cell in header.plan.cells}
        # A preconditioning step may have the name of a cell, and a longer time.
        self._steps = {step.order: step.cell for step in header.plan.writes_first}
        self._turns |= {step.order: header.plan.turn_of(step) for step in header.plan.writes_first}
        self._cells: dict[_Measured, CellRecord] = {}
        self._superseded: list[CellRecord] = []
        self._written: dict[int, tuple[Identity, ...]] = {}
        self._sessions: list[Session] = []
        # The part of a preconditioning write that was done before this session.
        self._done_bytes = 0
        # Intervals of cells that have not ended.
        self._pending: dict[_Measured, RunningCell] = {}
        self._seen = CheckedShapes()
        self._chosen: dict[int, CellTurn] = {}
        self._end: SessionEnd | None = None
        self._later_passes: list[LaterPass] = []
        # An attempt that was interrupted in its first trial has begun twice.
        self._starts: dict[tuple[str, int], ProcedureStart] = {}
        self._damage: list[Broken] = []

    def take(self, found: Frame | Broken) -> tuple[Added, ...]:
        """Adds one frame, and returns its additions. Raises ValueError for content that iosonde does not write."""
        if isinstance(found, Broken):
            self._damage.append(found)
            return (found,)
        payload = self._upgrader.payload(found.kind, found.payload)
        if found.kind is Kind.INTERVAL:
            return (self._take_interval(payload),)
        if found.kind in {Kind.CELL, Kind.PREPARATION}:
            return (self._take_cell(payload),)
        record = FORMS[found.kind].validate_json(payload)
        cut: list[CellRecord] = []
        if found.kind is Kind.END:
            self._end = record
        elif found.kind is Kind.TURN:
            self._turns[record.order] = self._chosen[record.order] = record
        elif found.kind is Kind.LATER_PASS:
            self._later_passes.append(record)
        elif found.kind is Kind.PROCEDURE_START:
            self._starts[record.procedure, record.attempt] = record
        elif found.kind is Kind.WITHIN:
            self._add_within(record)
        else:
            cut = self._cut_cells()
            for cell in cut:
                self._keep(cell)
            self._pending.clear()
            self._sessions.append(record)
            self._done_bytes = record.done_bytes
            self._end = None
        return (*cut, record)

    def record(self, torn: Broken | None = None) -> RunRecord:
        """The run so far. A cell without an end is recorded as interrupted.

        ``torn`` is an incomplete last frame, if there is one.
        """
        cells, superseded, written = dict(self._cells), list(self._superseded), dict(self._written)
        for cut in self._cut_cells():
            _place(cut, cells, superseded)
            if cut.is_preparation:
                written[cut.order] = self._identities()
        ordered = [cells[key] for key in sorted(cells, key=lambda key: key.order)]
        damage = [*self._damage, *([] if torn is None else [torn])]
        return RunRecord(
            header=self._header,
            preparation=tuple(cell for cell in ordered if cell.is_preparation),
            cells=tuple(cell for cell in ordered if not cell.is_preparation),
            finished=self._end is not None and self._end.finished,
            end=self._end,
            damage="; ".join(f"{each.reason}, at byte {each.offset_bytes}" for each in damage) or None,
            sessions=tuple(self._sessions),
            superseded=tuple(superseded),
            written=written,
            later_passes=tuple(self._later_passes),
            procedure_starts=tuple(self._starts.values()),
            turns_chosen=tuple(self._chosen[order] for order in sorted(self._chosen)),
        )

    def _take_interval(self, payload: bytes) -> IntervalPayload:
        if not self._with_intervals:
            self._seen.check(Kind.INTERVAL, payload)
        measured = _measured_by(payload)
        if measured not in self._pending:
            self._pending[measured] = RunningCell(intervals=self._with_intervals)
        self._pending[measured].add(payload)
        return IntervalPayload(*measured, payload)

    def _take_cell(self, payload: bytes) -> CellRecord:
        cell: CellRecord = FORMS[Kind.CELL].validate_json(payload)
        check_histograms(cell)
        running = self._pending.pop(_Measured(cell.order, cell.stream, cell.host), None)
        if self._with_intervals and running is not None:
            cell = cell.model_copy(update={"intervals": running.intervals()})
        self._keep(cell)
        return cell

    def _add_within(self, frame: WithinFrame) -> None:
        measured = _Measured(frame.order, frame.stream, frame.host)
        cell = self._cells.get(measured)
        # Damage can remove the cell and leave its statistics.
        if cell is not None:
            self._cells[measured] = cell.model_copy(update={"within": frame.within})

    def _keep(self, cell: CellRecord) -> None:
        _place(cell, self._cells, self._superseded)
        if cell.is_preparation:
            self._written[cell.order] = self._identities()
            self._done_bytes = 0

    def _identities(self) -> tuple[Identity, ...]:
        targets = (self._sessions[-1] if self._sessions else self._header).targets
        return tuple(target.identity for target in targets if target.identity is not None)

    def _cut_cells(self) -> list[CellRecord]:
        """The cells without an end. Intervals of a cell that is not in the plan, due to damage, are dropped."""
        return [
            self._cut_cell(self._turns[measured.order], measured, running.intervals())
            for measured, running in self._pending.items()
            if self._is_planned(measured)
        ]

    def _is_planned(self, measured: _Measured) -> bool:
        turn = self._turns.get(measured.order)
        return turn is not None and measured.stream in {each.name for each in self._plan_of(turn).streams}

    def _plan_of(self, turn: CellTurn) -> CellPlan:
        step = self._steps.get(turn.order)
        return self._cells_planned[turn.cell] if step is None else step

    def _cut_cell(self, turn: CellTurn, measured: _Measured, intervals: Sequence[IntervalRecord]) -> CellRecord:
        plan = self._plan_of(turn)
        workload = next(each.workload for each in plan.streams if each.name == measured.stream)
        measured_ns = sum(each.end_ns - each.start_ns for each in intervals if each.phase is Phase.MEASURE)
        timing = turn.timing or plan.timing
        if turn.order in self._steps and self._done_bytes:
            timing = timing.model_copy(update={"done_bytes": self._done_bytes})
        return CellRecord(
            cell=plan.cell,
            stream=measured.stream,
            experiments=plan.experiments,
            repeat=turn.repeat,
            order=turn.order,
            round=turn.round,
            phase=turn.phase,
            seed=turn.seed,
            workload=workload,
            timing=timing,
            outcome=Outcome.CUT,
            failure=None,
            host=measured.host,
            measured_ns=measured_ns,
            intervals=tuple(intervals) if self._with_intervals else (),
            **sums_of(intervals),
        )


def _measured_by(payload: bytes) -> _Measured:
    """The key of an interval, which is at the start of its payload, so that the rest is not decoded."""
    head = payload[: payload.index(_BEFORE_INTERVAL)]
    if b"," not in head:
        return _Measured(int(head[len(b'{"order":') :]), "", 0)
    found = json.loads(head + b"}")
    return _Measured(found["order"], found.get("stream", ""), found.get("host", 0))


def _place(cell: CellRecord, cells: dict[_Measured, CellRecord], superseded: list[CellRecord]) -> None:
    measured = _Measured(cell.order, cell.stream, cell.host)
    before = cells.get(measured)
    if before is not None:
        superseded.append(before)
    cells[measured] = cell
