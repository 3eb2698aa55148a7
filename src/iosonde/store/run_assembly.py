"""What the frames of a journal add up to: a run, as far as they go."""

from typing import Final, NamedTuple

from iosonde.analysis.totals import sums_of
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
from iosonde.store.forms import FORMS, EndFrame, Seen, WithinFrame
from iosonde.store.frames import Broken, Frame, Kind
from iosonde.store.upgrades import Upgrader

FILL_ORDER: Final = 0


class IntervalPayload(NamedTuple):
    """An interval of the cell that runs as turn ``order``, as it was written: most are never looked at."""

    order: int
    payload: bytes


Added = IntervalPayload | CellRecord | CellTurn | WithinFrame | Session | LaterPass | EndFrame | Broken
"""What one frame has added, or a damaged stretch in the place of one. A cell that was cut is a cell as well."""


class RunAssembly:
    """A run that grows with each frame. Without ``intervals``, those of a cell that has ended are let go."""

    def __init__(self, header: RunHeader, upgrader: Upgrader, *, intervals: bool) -> None:
        self._header = header
        self._upgrader = upgrader
        self._with_intervals = intervals
        self._turns = {turn.order: turn for turn in header.plan.turns}
        self._plans = {cell.cell: cell for cell in header.plan.cells}
        if header.plan.fill is not None:
            fill = header.plan.fill
            self._plans[fill.cell] = fill
            self._turns[FILL_ORDER] = CellTurn(order=FILL_ORDER, cell=fill.cell, repeat=0, seed=header.plan.seed)
        self._cells: dict[int, CellRecord] = {}
        self._superseded: list[CellRecord] = []
        self._filled: tuple[Identity, ...] = ()
        self._sessions: list[Session] = []
        # Intervals of cells that have no end yet.
        self._pending: dict[int, list[bytes]] = {}
        self._seen = Seen()
        self._chosen: dict[int, CellTurn] = {}
        self._finished = False
        self._later_passes: list[LaterPass] = []
        self._damage: list[Broken] = []

    def take(self, found: Frame | Broken) -> tuple[Added, ...]:
        """Adds one frame, and returns what it has added. Raises ValueError for what no iosonde writes."""
        if isinstance(found, Broken):
            self._damage.append(found)
            return (found,)
        payload = self._upgrader.payload(found.kind, found.payload)
        if found.kind is Kind.INTERVAL:
            return (self._take_interval(payload),)
        if found.kind in {Kind.CELL, Kind.FILL}:
            return (self._take_cell(payload),)
        record = FORMS[found.kind].validate_json(payload)
        cut: list[CellRecord] = []
        if found.kind is Kind.END:
            self._finished = record.finished
        elif found.kind is Kind.TURN:
            self._turns[record.order] = self._chosen[record.order] = record
        elif found.kind is Kind.LATER_PASS:
            self._later_passes.append(record)
        elif found.kind is Kind.WITHIN:
            self._add_within(record)
        else:
            cut = self._cut_cells()
            for cell in cut:
                self._keep(cell)
            self._pending.clear()
            self._sessions.append(record)
            self._finished = False
        return (*cut, record)

    def record(self, torn: Broken | None = None) -> RunRecord:
        """The run as far as it goes. A cell without an end was cut, whoever or whatever cut it.

        ``torn`` is the end that writing broke off in, where there is one.
        """
        cells, superseded = dict(self._cells), list(self._superseded)
        for cut in self._cut_cells():
            _place(cut, cells, superseded)
        fill = cells.pop(FILL_ORDER, None)
        damage = [*self._damage, *([] if torn is None else [torn])]
        return RunRecord(
            header=self._header,
            fill=fill,
            cells=tuple(cells[order] for order in sorted(cells)),
            finished=self._finished,
            damage="; ".join(f"{each.reason}, at byte {each.offset_bytes}" for each in damage) or None,
            sessions=tuple(self._sessions),
            superseded=tuple(superseded),
            filled=self._filled,
            later_passes=tuple(self._later_passes),
            turns_chosen=tuple(self._chosen[order] for order in sorted(self._chosen)),
        )

    def _take_interval(self, payload: bytes) -> IntervalPayload:
        if not self._with_intervals:
            self._seen.check(Kind.INTERVAL, payload)
        interval = IntervalPayload(_order_of(payload), payload)
        self._pending.setdefault(interval.order, []).append(payload)
        return interval

    def _take_cell(self, payload: bytes) -> CellRecord:
        cell: CellRecord = FORMS[Kind.CELL].validate_json(payload)
        check_histograms(cell)
        payloads = self._pending.pop(cell.order, [])
        if self._with_intervals:
            cell = cell.model_copy(update={"intervals": tuple(map(decoded_interval, payloads))})
        self._keep(cell)
        return cell

    def _add_within(self, frame: WithinFrame) -> None:
        cell = self._cells.get(frame.order)
        # Damage can take the cell, and leave what was said of it.
        if cell is not None:
            self._cells[frame.order] = cell.model_copy(update={"within": frame.within})

    def _keep(self, cell: CellRecord) -> None:
        _place(cell, self._cells, self._superseded)
        if cell.order == FILL_ORDER and cell.outcome is Outcome.FINISHED:
            last = self._sessions[-1] if self._sessions else self._header
            targets = (last.target, *last.more_targets)
            self._filled = tuple(target.identity for target in targets if target.identity is not None)

    def _cut_cells(self) -> list[CellRecord]:
        """The cells without an end. Damage can leave intervals of one that the plan doesn't have: they go nowhere."""
        return [
            self._cut_cell(self._turns[order], tuple(map(decoded_interval, payloads)))
            for order, payloads in self._pending.items()
            if order in self._turns
        ]

    def _cut_cell(self, turn: CellTurn, intervals: tuple[IntervalRecord, ...]) -> CellRecord:
        plan = self._plans[turn.cell]
        measured_ns = sum(each.end_ns - each.start_ns for each in intervals if each.phase is Phase.MEASURE)
        return CellRecord(
            cell=plan.cell,
            experiments=plan.experiments,
            repeat=turn.repeat,
            order=turn.order,
            seed=turn.seed,
            workload=plan.workload,
            timing=turn.timing or plan.timing,
            outcome=Outcome.CUT,
            failure=None,
            measured_ns=measured_ns,
            intervals=intervals if self._with_intervals else (),
            **sums_of(intervals),
        )


def decoded_interval(payload: bytes) -> IntervalRecord:
    """The interval in the payload of its frame. Raises ValidationError."""
    interval: IntervalRecord = FORMS[Kind.INTERVAL].validate_json(payload).interval
    return interval


def _order_of(payload: bytes) -> int:
    """The turn that an interval belongs to; it stands first, so that nothing else need be read."""
    return int(payload[len(b'{"order":') : payload.index(b",")])


def _place(cell: CellRecord, cells: dict[int, CellRecord], superseded: list[CellRecord]) -> None:
    before = cells.get(cell.order)
    if before is not None:
        superseded.append(before)
    cells[cell.order] = cell
