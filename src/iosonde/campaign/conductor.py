"""Measures a plan, cell by cell, and keeps each cell before the next begins."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from math import inf
from typing import Final

from iosonde.campaign.engines import way_of_cell, way_of_fill
from iosonde.campaign.lookout import Lookout
from iosonde.campaign.observer import Keeper, Observer
from iosonde.campaign.scheduler import scheduler_of
from iosonde.errors import HINT_HANGS, HINT_PROCESSES, EngineError, RecordError, TargetError
from iosonde.machine import Host
from iosonde.plans import timed
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Failure,
    IdleStep,
    IntervalRecord,
    Neighbour,
    Outcome,
    RunHeader,
    Step,
)
from iosonde.sources import Interrupted, Source, Way
from iosonde.units import SECOND_NS
from iosonde.vocabulary import FailureKind

MODEL_FAILS: Final = "check the faults of the model: its drive fails the same way every time"
# Failures of the target as a whole: what comes after them would fail as well.
ENDS_RUN: Final = frozenset({FailureKind.CHANGED, FailureKind.STUCK})


@dataclass(frozen=True)
class Work:
    """What of a plan is to be done: all of it, or what an earlier session left.

    ``steps`` are those of the preparation. ``replayed`` are trials and writes of the preparation that an earlier
    session kept, by their order, among those that are to be done: a simulated drive goes through them once more, so
    that it comes to the state in which it was left.
    ``known`` are those that need not be done once more; what is chosen then rests on both.
    """

    steps: tuple[Step, ...]
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
        self._scheduler = scheduler_of(self._plan)

    def run(self) -> None:
        """Prepares the targets as the plan says, then measures every turn in order.

        A cell that fails is kept and the next one goes on, unless the failure is the target's as a whole. An
        interruption keeps the cut cell and goes on up.
        """
        with closing(self._lookout):
            self._run()

    def _run(self) -> None:
        for step in self._work.steps:
            self._prepare(step)
        cells = {cell.cell: cell for cell in self._plan.cells}
        for turn in self._turns():
            cell = timed(cells[turn.cell], turn)
            if turn.order in self._work.replayed:
                self._replay(cell, turn)
                continue
            self._observer.cell_started(cell, turn)
            record = self._measure(cell, turn, way_of_cell(self._header, cell.workload), self._keeper.cell)
            self._scheduler.take(turn, record)
            if record.failure is not None and record.failure.kind in ENDS_RUN:
                raise self._lost(turn, record.failure)

    def _turns(self) -> Iterator[CellTurn]:
        """The turns of the plan, then those that follow from what they have shown."""
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
        if failure.kind is FailureKind.STUCK:
            return TargetError(told, HINT_HANGS)
        return TargetError(told, "stop other programs that use the target, and check its health")

    def _neighbours(self) -> tuple[Neighbour, ...]:
        return self._host.neighbours(self._devices, self._source.pid) if self._devices else ()

    def _prepare(self, step: Step) -> None:
        if isinstance(step, IdleStep):
            self._observer.step_started(step)
            self._source.wait(step.duration_ns)
            return
        turn = self._plan.turn_of(step)
        if turn.order in self._work.replayed:
            self._replay(step.cell, turn)
        else:
            self._observer.step_started(step)
            self._write(step.cell, turn)
        self._source.sync()

    def _write(self, cell: CellPlan, turn: CellTurn) -> None:
        """Raises TargetError or EngineError where it does not come to its end: reads would find nothing to read."""
        record = self._measure(cell, turn, way_of_fill(self._header, cell.workload), self._keeper.prepared)
        if record.outcome is Outcome.FINISHED:
            return
        reason = record.failure.message if record.failure else "it was stopped"
        told = f"the preconditioning write did not complete: {reason}"
        if self._header.is_simulated:
            raise TargetError(told, MODEL_FAILS, final=True)
        if record.failure is not None and record.failure.kind is FailureKind.ENGINE_REFUSED:
            raise EngineError(told, HINT_PROCESSES)
        is_stuck = record.failure is not None and record.failure.kind is FailureKind.STUCK
        raise TargetError(told, HINT_HANGS if is_stuck else "free some space, or check the device's health (dmesg)")

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
                    f"{cell.cell}, repeat {turn.repeat}: the replay left simulated drive {number} in the state "
                    f"{now.state_hash}, and the run recorded {was.state_hash}",
                    "resume with the iosonde version that started the run, or start a new run with the same seeds",
                    final=True,
                )

    def _verified(self, cell: CellPlan, record: CellRecord) -> CellRecord:
        """The record with what reading the targets back has shown, where that is wanted of a cell that ended."""
        lost = record.failure is not None and record.failure.kind in ENDS_RUN
        if not cell.workload.verify or record.is_preparation or lost:
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
        return record if record.is_preparation else analysed(record, self._keeper, self._observer)


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
