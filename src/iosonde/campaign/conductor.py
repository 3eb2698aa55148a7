"""Measures a plan, cell by cell, and keeps each cell before the next begins."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Final, Protocol

from iosonde.campaign.engines import way_of_cell, way_of_fill
from iosonde.campaign.lookout import Lookout
from iosonde.campaign.scheduler import AdaptiveScheduler
from iosonde.errors import HINT_HANGS, HINT_PROCESSES, EngineError, RecordError, TargetError
from iosonde.machine import Host
from iosonde.plans import timed
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Failure,
    IntervalRecord,
    Neighbour,
    Outcome,
    RunHeader,
    WithinRepeat,
)
from iosonde.sources import Interrupted, Source, Way
from iosonde.units import SECOND_NS

FILL_ORDER: Final = 0
MODEL_FAILS: Final = "look at the faults of the model: its drive does the same every time"
# Failures of the target as a whole: what comes after them would fail as well.
STUCK: Final = "stuck"
# The kernel has no more threads to do what was asked.
ENGINE_REFUSED: Final = "engine_refused"
ENDS_RUN: Final = frozenset({"changed", STUCK})


class Observer(Protocol):
    """Whoever watches a run."""

    def fill_started(self, plan: CellPlan) -> None:
        """The first write begins."""

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """What was kept of a cell, or of the first write, is about to be done once more."""

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """A cell begins."""

    def interval(self, interval: IntervalRecord) -> None:
        """Part of what runs is over."""

    def verifying(self, target: int, read_bytes: int) -> None:
        """So much of a target, counted from 0, was read back after a cell."""

    def cell_finished(self, record: CellRecord) -> None:
        """A cell, or the first write, is over."""

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """A cell is kept, and what its intervals say of it could not be worked out, which is our mistake."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """Files of the run's own may exist from now on; ``abandon`` has other processes remove them, and says which."""

    def left_behind(self, path: Path, reason: str) -> None:
        """A file that the run has made could not be removed at its end."""


class SilentObserver:
    """Watches nothing."""

    def fill_started(self, plan: CellPlan) -> None:
        """Nothing."""

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """Nothing."""

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """Nothing."""

    def interval(self, interval: IntervalRecord) -> None:
        """Nothing."""

    def verifying(self, target: int, read_bytes: int) -> None:
        """Nothing."""

    def cell_finished(self, record: CellRecord) -> None:
        """Nothing."""

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """Nothing."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """Nothing."""

    def left_behind(self, path: Path, reason: str) -> None:
        """Nothing."""


class Keeper(Protocol):
    """Where cells are kept: a journal, or memory."""

    def turn(self, turn: CellTurn) -> None:
        """Keeps what is about to be measured, where no plan had it."""

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:
        """Keeps an interval of the running cell, which goes on for another ``left_s`` seconds."""

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell that has ended."""

    def fill(self, cell: CellRecord) -> None:
        """Keeps the first write."""

    def within(self, order: int, within: WithinRepeat) -> None:
        """Keeps what the intervals of a kept cell say of it."""


@dataclass(frozen=True)
class Work:
    """What of a plan is to be done: all of it, or what an earlier session left.

    ``replayed`` are measurements that an earlier session kept, by their turns (0 is the fill), among those that are to
    be done: a simulated drive goes through them once more, so that it comes to the state in which it was left.
    ``known`` are those that need not be done once more; what is chosen then rests on both.
    """

    fill: CellPlan | None
    turns: tuple[CellTurn, ...]
    replayed: Mapping[int, CellRecord] = field(default_factory=dict)
    known: tuple[tuple[CellTurn, CellRecord], ...] = ()


class Conductor:
    """One plan on the open targets."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a run is made of
        self, host: Host, source: Source, header: RunHeader, work: Work, keeper: Keeper, observer: Observer
    ) -> None:
        self._host = host
        self._source = source
        self._plan = header.plan
        self._work = work
        self._header = header
        identities = [target.identity for target in header.targets if target.identity is not None]
        numbers = dict.fromkeys(os.makedev(each.device_major, each.device_minor) for each in identities)
        self._devices = tuple(numbers)
        self._keeper = keeper
        self._observer = observer
        self._lookout = Lookout(self._neighbours)
        aim = self._plan.aim
        self._scheduler = None if aim is None else AdaptiveScheduler(self._plan, aim)

    def run(self) -> None:
        """Fills the target where the plan says so, then measures every turn in order.

        A cell that fails is kept and the next one goes on, unless the failure is the target's as a whole. An
        interruption keeps the cut cell and goes on up.
        """
        with closing(self._lookout):
            self._run()

    def _run(self) -> None:
        if self._work.fill is not None:
            self._fill(self._work.fill)
        cells = {cell.cell: cell for cell in self._plan.cells}
        for turn in self._turns():
            cell = timed(cells[turn.cell], turn)
            if turn.order in self._work.replayed:
                self._replay(cell, turn)
                continue
            self._observer.cell_started(cell, turn)
            record = self._measure(cell, turn, way_of_cell(self._header, cell.workload), self._keeper.cell)
            if self._scheduler is not None:
                self._scheduler.take(turn, record)
            if record.failure is not None and record.failure.kind in ENDS_RUN:
                raise self._lost(turn, record.failure)

    def _turns(self) -> Iterator[CellTurn]:
        """The turns of the plan, then those that follow from what they have shown."""
        if self._scheduler is None:
            yield from self._work.turns
            return
        for turn, record in self._work.known:
            self._scheduler.follow(turn, record)
        for turn in self._work.turns:
            if turn.order in self._work.replayed:
                self._scheduler.follow(turn, self._work.replayed[turn.order])
            yield turn
        while (chosen := self._scheduler.next_turn()) is not None:
            self._keeper.turn(chosen)
            yield chosen

    def _lost(self, turn: CellTurn, failure: Failure) -> TargetError:
        told = f"{turn.cell}: {failure.message}"
        if self._header.is_simulated:
            return TargetError(told, MODEL_FAILS, final=True)
        if failure.kind == STUCK:
            return TargetError(told, HINT_HANGS)
        return TargetError(told, "keep other programs away from the target, and look at its health")

    def _neighbours(self) -> tuple[Neighbour, ...]:
        return self._host.neighbours(self._devices, self._source.pid) if self._devices else ()

    def _fill(self, cell: CellPlan) -> None:
        turn = CellTurn(order=FILL_ORDER, cell=cell.cell, repeat=0, seed=self._plan.seed)
        if FILL_ORDER in self._work.replayed:
            self._replay(cell, turn)
            self._source.sync()
            return
        self._observer.fill_started(cell)
        record = self._measure(cell, turn, way_of_fill(self._header, cell.workload), self._keeper.fill)
        if record.outcome is not Outcome.FINISHED:
            reason = record.failure.message if record.failure else "it was stopped"
            told = f"the target can't be written in full: {reason}"
            if self._header.is_simulated:
                raise TargetError(told, MODEL_FAILS, final=True)
            if record.failure is not None and record.failure.kind == ENGINE_REFUSED:
                raise EngineError(told, HINT_PROCESSES)
            is_stuck = record.failure is not None and record.failure.kind == STUCK
            raise TargetError(told, HINT_HANGS if is_stuck else "make room, or look at its health (dmesg)")
        self._source.sync()

    def _replay(self, cell: CellPlan, turn: CellTurn) -> None:
        """Does once more what was kept, and keeps nothing. Raises RecordError when a drive comes to another state."""
        self._observer.replay_started(cell, turn)
        way = way_of_cell(self._header, cell.workload)
        try:
            record = self._source.measure(cell, turn, way, self._plan.span_bytes, lambda _: None)
        except Interrupted as interrupted:
            raise interrupted.interruption from None
        kept = self._work.replayed[turn.order]
        for number, (was, now) in enumerate(zip(kept.drives, record.drives, strict=False), start=1):
            if was.state_hash != now.state_hash:
                raise RecordError(
                    f"{cell.cell}, repeat {turn.repeat}: replayed, simulated drive {number} came to the state "
                    f"{now.state_hash}, and the run recorded {was.state_hash}",
                    "go on with the iosonde that began the run, or start a new run with the same seeds",
                    final=True,
                )

    def _verified(self, cell: CellPlan, record: CellRecord) -> CellRecord:
        """The record with what reading the targets back has shown, where that is wanted of a cell that ended."""
        lost = record.failure is not None and record.failure.kind in ENDS_RUN
        if not cell.workload.verify or record.order == FILL_ORDER or lost:
            return record
        return record.model_copy(update={"verification": self._source.verify(self._observer.verifying)})

    def _measure(self, cell: CellPlan, turn: CellTurn, way: Way, keep: Callable[[CellRecord], None]) -> CellRecord:
        ends_ns = cell.timing.lasts_ns
        passed_ns = 0

        def on_interval(interval: IntervalRecord) -> None:
            nonlocal passed_ns
            passed_ns += interval.end_ns - interval.start_ns
            # A cell with an amount ends nobody knows when.
            left_ns = ends_ns - passed_ns if cell.timing.amount_bytes is None else inf
            self._lookout.ends_in(left_ns)
            self._keeper.interval(turn.order, interval, left_ns / SECOND_NS)
            self._observer.interval(interval)

        self._lookout.begin()
        try:
            record = self._source.measure(cell, turn, way, self._plan.span_bytes, on_interval)
        except Interrupted as interrupted:
            keep(interrupted.cell)
            self._observer.cell_finished(interrupted.cell)
            raise interrupted.interruption from None
        if beside := self._lookout.found():
            record = record.model_copy(update={"neighbours": beside})
        try:
            record = self._verified(cell, record)
        finally:
            # What was measured stays, whatever becomes of the pass and of the analysis.
            keep(record)
        self._observer.cell_finished(record)
        return record if record.order == FILL_ORDER else analysed(record, self._keeper, self._observer)


def analysed(record: CellRecord, keeper: Keeper, observer: Observer) -> CellRecord:
    """A kept record with what its intervals say of it, which is kept as well."""
    # Imported here because it needs NumPy, which nobody should wait for before a measurement.
    from iosonde.analysis.within import within_repeat

    try:
        within = within_repeat(record)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it must not cost the cells to come
        observer.analysis_failed(record, error)
        return record
    if within is None:
        return record
    keeper.within(record.order, within)
    return record.model_copy(update={"within": within})
