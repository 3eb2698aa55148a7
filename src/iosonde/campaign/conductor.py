"""Measures a plan, trial by trial, and keeps each result before the next trial begins."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from math import inf
from typing import Final

from iosonde.campaign.competitor_watch import CompetitorWatch
from iosonde.campaign.drive_health import SmartReader
from iosonde.campaign.engines import io_path_of_cell, io_path_of_preconditioning
from iosonde.campaign.observer import Observer, Recorder
from iosonde.campaign.power_watch import PowerWatch
from iosonde.campaign.scheduler import Watch, scheduler_of
from iosonde.errors import HINT_GONE, HINT_HANGS, HINT_LIMIT, HINT_PROCESSES, EngineError, RecordError, TargetError
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
    ProcedureStart,
    RunHeader,
    Step,
    WriteCache,
)
from iosonde.sources import Interrupted, IoPath, Source
from iosonde.units import SECOND_NS
from iosonde.vocabulary import FailureKind, PhaseRole

MODEL_FAILS: Final = "check the faults defined in the model: the simulated drive fails in the same way in every run"
HINTS: Final[Mapping[FailureKind | None, str]] = {
    FailureKind.GONE: HINT_GONE,
    FailureKind.LIMIT: HINT_LIMIT,
    FailureKind.STUCK: HINT_HANGS,
}
# Failures of the whole target: later trials would fail as well.
ENDS_RUN: Final = frozenset({FailureKind.CHANGED, FailureKind.GONE, FailureKind.LIMIT, FailureKind.STUCK})


@dataclass(frozen=True)
class RemainingWork:
    """The remaining work of a plan: all of it, or the part that an earlier session did not complete.

    ``steps`` are the preconditioning steps. ``replayed`` maps the order of a trial or preconditioning write to the
    record that an earlier session kept. A simulated drive repeats these to reach the state it had.
    ``known`` are kept trials that are not repeated. The scheduler uses the results of both. ``chosen`` is the last
    trial that earlier sessions chose, if this one continues procedures on real targets; None else.
    """

    steps: tuple[Step, ...]
    turns: tuple[CellTurn, ...]
    replayed: Mapping[int, CellRecord] = field(default_factory=dict)
    known: tuple[tuple[CellTurn, CellRecord], ...] = ()
    chosen: CellTurn | None = None


class Conductor:
    """Measures one plan on open targets."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a run
        self,
        host: Host,
        source: Source,
        header: RunHeader,
        work: RemainingWork,
        keeper: Recorder,
        observer: Observer,
        smart: SmartReader,
        power: PowerWatch,
        set_caches: Callable[[WriteCache | None], None],
        begin_procedure: Callable[[CellTurn], ProcedureStart],
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
        self._smart = smart
        self._power = power
        self._set_caches = set_caches
        self._begin = begin_procedure
        self._begun: tuple[str, int] | None = None
        self._is_complete = True
        self._lookout = CompetitorWatch(self._neighbours)
        self._scheduler = scheduler_of(self._plan)

    def run(self) -> bool:
        """Preconditions the targets, then measures every trial in order. False if another session has to follow.

        A failed trial is kept and the next one follows, unless the whole target has failed. An interruption keeps the
        interrupted trial and propagates. Block devices are purged between sessions, so a session ends before the next
        procedure that begins with a purge.
        """
        with closing(self._lookout):
            self._run()
        return self._is_complete

    def _run(self) -> None:
        for step in self._work.steps:
            self._prepare(step)
        cells = {cell.cell: cell for cell in self._plan.cells}
        for turn in self._turns():
            cell = timed(cells[turn.cell], turn)
            self._begin_procedure(turn)
            self._idle(cell, turn)
            if turn.order in self._work.replayed:
                self._replay(cell, turn)
                continue
            self._observer.cell_started(cell, turn)
            record = self._measure(cell, turn, io_path_of_cell(self._header, cell.workload), self._keeper.cell)
            self._scheduler.take(turn, record)
            if record.failure is not None and (record.failure.kind in ENDS_RUN or self._preconditions(turn)):
                raise self._lost(turn, record.failure)

    def _idle(self, cell: CellPlan, turn: CellTurn) -> None:
        """Leaves the targets idle for the time that the cell asks for before each trial."""
        if not cell.timing.idle_ns:
            return
        if turn.order not in self._work.replayed:
            self._observer.step_started(IdleStep(order=0, duration_ns=cell.timing.idle_ns))
        self._source.wait(cell.timing.idle_ns)

    def _begin_procedure(self, turn: CellTurn) -> None:
        """Purges the targets before the first trial of a procedure, and keeps how that went."""
        if turn.procedure is None or (turn.procedure, turn.attempt) == self._begun:
            return
        self._begun = (turn.procedure, turn.attempt)
        start = self._begin(turn)
        if turn.order not in self._work.replayed:
            self._keeper.procedure(start)

    def _turns(self) -> Iterator[CellTurn]:
        """The trials of the plan, then those that the scheduler chooses from their results."""
        for turn, record in self._work.known:
            self._scheduler.follow(turn, record)
        for turn in self._work.turns:
            self._scheduler.expect(turn)
            yield turn
            # After the replay, whose watch has to know what that of the trial knew, and no more.
            if turn.order in self._work.replayed:
                self._scheduler.take(turn, self._work.replayed[turn.order])
        if self._work.chosen is not None:
            self._scheduler.restart(self._work.chosen)
        while not self._ends_here() and (chosen := self._scheduler.next_turn()) is not None:
            self._keeper.turn(chosen)
            yield chosen

    def _ends_here(self) -> bool:
        """Whether the next procedure begins with a purge that this session was not opened after."""
        if self._plan.purge is None or self._header.is_simulated or self._begun is None:
            return False
        following = self._scheduler.next_procedure()
        self._is_complete = following is None or not following.purged
        return not self._is_complete

    def _preconditions(self, turn: CellTurn) -> bool:
        """Whether a trial preconditions for those after it in its procedure, which mean nothing without it."""
        phase = self._plan.phase_of(turn)
        return phase is not None and phase.role is PhaseRole.PRECONDITIONING

    def _lost(self, turn: CellTurn, failure: Failure) -> TargetError:
        description = f"{turn.cell}: {failure.message}"
        if self._header.is_simulated and failure.kind is not FailureKind.LIMIT:
            return TargetError(description, MODEL_FAILS, final=True)
        if failure.kind in HINTS:
            return TargetError(description, HINTS[failure.kind])
        return TargetError(description, "stop other programs that use the target, and check the device's health")

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
        """Preconditions the targets. Raises TargetError or EngineError if it ends early, since reads need the data."""
        record = self._measure(
            cell, turn, io_path_of_preconditioning(self._header, cell.workload), self._keeper.prepared
        )
        if record.outcome is Outcome.FINISHED:
            return
        reason = record.failure.message if record.failure else "it was stopped"
        description = f"the preconditioning write did not complete: {reason}"
        if self._header.is_simulated:
            raise TargetError(description, MODEL_FAILS, final=True)
        if record.failure is not None and record.failure.kind is FailureKind.ENGINE_REFUSED:
            raise EngineError(description, HINT_PROCESSES)
        kind = None if record.failure is None else record.failure.kind
        raise TargetError(description, HINTS.get(kind, "free some space, or check the device's health (dmesg)"))

    def _replay(self, cell: CellPlan, turn: CellTurn) -> None:
        """Repeats a kept trial or preconditioning write. Keeps nothing. Raises RecordError if drive states differ."""
        self._observer.replay_started(cell, turn)
        way = io_path_of_cell(self._header, cell.workload)
        watch = self._watch(cell, turn)
        on_interval, is_enough = (lambda _: None, None) if watch is None else (watch.take, watch.is_enough)
        try:
            record = self._source.measure(cell, turn, way, self._plan.span_bytes, on_interval, is_enough)
        except Interrupted as interrupted:
            raise interrupted.interruption from None
        kept = self._work.replayed[turn.order]
        for number, (was, now) in enumerate(zip(kept.drives, record.drives, strict=False), start=1):
            if was.state_hash != now.state_hash:
                raise RecordError(
                    f"{cell.cell}, repeat {turn.repeat}: simulated drive {number} has state {now.state_hash} after the "
                    f"replay, but the recorded state is {was.state_hash}",
                    "resume with the iosonde version that started the run, or start a new run with the same seeds",
                    final=True,
                )

    def _watch(self, cell: CellPlan, turn: CellTurn) -> Watch | None:
        """A new watch of the scheduler for a trial that may be ended early; None for any other."""
        # Preconditioning writes have no positive order.
        return self._scheduler.watch(turn) if turn.order > 0 and cell.timing.decide_ns is not None else None

    def _verified(self, cell: CellPlan, record: CellRecord) -> CellRecord:
        """The record with the result of reading the targets back, if the cell finished and the plan verifies it."""
        lost = record.failure is not None and record.failure.kind in ENDS_RUN
        if not cell.workload.verify or record.is_preparation or lost:
            return record
        return record.model_copy(update={"verification": self._source.verify(self._observer.verifying)})

    def _measure(self, cell: CellPlan, turn: CellTurn, way: IoPath, keep: Callable[[CellRecord], None]) -> CellRecord:
        longest_ns = cell.timing.longest_ns
        passed_ns = 0
        watch = self._watch(cell, turn)

        def on_interval(interval: IntervalRecord) -> None:
            nonlocal passed_ns
            passed_ns += interval.end_ns - interval.start_ns
            # The end of a cell with an amount of data is not known in advance, unless it has a limit.
            left_ns = inf if longest_ns is None else longest_ns - passed_ns
            self._lookout.ends_in(left_ns)
            self._keeper.interval(turn.order, interval, left_ns / SECOND_NS)
            if watch is not None:
                watch.take(interval)
            self._observer.interval(interval)

        drives_before = self._smart.read()
        self._set_caches(cell.workload.write_cache)
        self._lookout.begin()
        self._power.begin()
        try:
            is_enough = None if watch is None else watch.is_enough
            record = self._source.measure(cell, turn, way, self._plan.span_bytes, on_interval, is_enough)
        except Interrupted as interrupted:
            keep(interrupted.cell)
            self._observer.cell_finished(interrupted.cell)
            raise interrupted.interruption from None
        finally:
            self._power.end()
        record = self._power.taken(record)
        if beside := self._lookout.found():
            record = record.model_copy(update={"neighbours": beside})
        try:
            record = self._smart.with_trial(record, drives_before)
            record = self._verified(cell, record)
        finally:
            # The measurement is kept before verification and analysis, which may fail.
            keep(record)
        self._observer.cell_finished(record)
        return record if record.is_preparation else analysed(record, self._keeper, self._observer)


def analysed(record: CellRecord, keeper: Recorder, observer: Observer) -> CellRecord:
    """A kept record with the analysis of its intervals, which is kept as well."""
    # Imported here because it needs NumPy, and loading it would delay the first measurement.
    from iosonde.analysis.within_repeat import within_repeat

    try:
        within = within_repeat(record)
    except Exception as error:  # noqa: BLE001 - a bug in the analysis must not cost the trials that follow
        observer.analysis_failed(record, error)
        return record
    if within is None:
        return record
    keeper.within(record.order, within)
    return record.model_copy(update={"within": within})
