"""What is left of an interrupted run."""

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from iosonde.analysis.procedures.from_run import last_attempts
from iosonde.campaign.conductor import ENDS_RUN
from iosonde.campaign.preconditioning_left import steps_left
from iosonde.campaign.procedures import ProcedureScheduler
from iosonde.campaign.recorded_targets import exists, recorded_targets
from iosonde.campaign.responsiveness import check_answers
from iosonde.campaign.simulated import assumed_bytes_per_s, is_known
from iosonde.errors import RecordError, UsageError
from iosonde.machine import Host
from iosonde.plans import Remaining, cell_overhead_ns, preparation_ns, remaining, trials_at_most
from iosonde.printing import printable, quoted
from iosonde.records import CellRecord, CellTurn, Operation, Outcome, Procedure, Procedures, RunRecord, Step
from iosonde.sources import ExistingFile, StoredTarget, Target
from iosonde.store import is_archive, load_run, newer
from iosonde.units import SECOND_NS
from iosonde.vocabulary import EngineChoice


@dataclass(frozen=True)
class TrialsLeft:
    """The trials of a run that are known, and ``turns`` that are left."""

    run: RunRecord
    turns: tuple[CellTurn, ...]

    @property
    def done(self) -> tuple[CellTurn, ...]:
        """The trials that earlier sessions have measured."""
        return tuple(turn for turn, _ in self.known)

    @property
    def known(self) -> tuple[tuple[CellTurn, CellRecord], ...]:
        """These trials, with their results."""
        left = {turn.order for turn in self.turns}
        kept = {cell.order: cell for cell in self.run.cells if cell.order not in left}
        return tuple((turn, kept[turn.order]) for turn in self.run.turns if turn.order in kept)

    @property
    def last_chosen(self) -> CellTurn | None:
        """The last trial that was chosen. It may not have finished."""
        return max(self.run.turns, key=lambda turn: turn.order, default=None)

    @cached_property
    def begins_again(self) -> Procedure | None:
        """The interrupted procedure, since its specification does not allow a gap; None on simulated drives."""
        last, found = self.last_chosen, self.next_procedure
        if self.run.header.is_simulated or self.run.finished or last is None:
            return None
        return found if found is not None and found.name == last.procedure else None

    @cached_property
    def next_procedure(self) -> Procedure | None:
        """The procedure that the next session begins with; None if none is left."""
        rule, last = self.run.header.plan.stop, self.last_chosen
        if not isinstance(rule, Procedures):
            return None
        scheduler = ProcedureScheduler(self.run.header.plan, rule)
        for turn, record in self.known:
            scheduler.follow(turn, record)
        if last is not None:
            scheduler.restart(last)
        return scheduler.next_procedure()

    @property
    def kept(self) -> tuple[CellTurn, ...]:
        """The trials so far that results include: none of an attempt of a procedure that begins, or began, again."""
        if not self.run.header.plan.procedures:
            return self.done
        last, again = last_attempts(self.run), "" if self.begins_again is None else self.begins_again.name
        return tuple(turn for turn in self.done if turn.order in last and turn.procedure != again)

    @property
    def discarded(self) -> int:
        """The number of trials so far that no result includes, since their procedure begins again."""
        last = self.last_chosen
        return 0 if self.begins_again is None or last is None else last.order - len(self.kept)


@dataclass(frozen=True)
class RemainingRun(TrialsLeft):
    """What is left of a run on a host. ``steps`` are the preconditioning steps."""

    host: Host
    failed_again: bool
    steps: tuple[Step, ...]

    @property
    def replayed(self) -> tuple[CellTurn, ...]:
        """The trials among them that a simulated drive replays: those up to the last trial that is left."""
        if not self.run.header.is_simulated or self.is_done:
            return ()
        last = max((turn.order for turn in self.turns), default=len(self.run.turns))
        return tuple(turn for turn in self.done if turn.order <= last)

    @property
    def preparation_ns(self) -> int:
        """How long preconditioning takes, in ns: at the rate of earlier sessions, else an estimate."""
        rates = {each.order: rate for each in self.run.preparation if (rate := _written_per_s(each))}
        return sum(preparation_ns((step,), rates.get(step.order, self._bytes_per_s)) for step in self.steps)

    @property
    def left_ns(self) -> int:
        """The remaining time, in ns; with a precision, the longest: earlier sessions have spent some of the budget."""
        return self.preparation_ns + self._remaining(self.spared, self.kept_turns).total_ns

    @property
    def spared(self) -> tuple[CellTurn, ...]:
        """The trials that need no more time: those done, or as many as the procedures before the restarted one have."""
        again = self.begins_again
        if again is None:
            return self.done
        return tuple(takewhile(lambda turn: turn.procedure != again.name, trials_at_most(self.run.header.plan)))

    @property
    def kept_turns(self) -> tuple[CellTurn, ...]:
        """The trials that are left and known; none of a procedure that begins again."""
        return self.turns if self.begins_again is None else ()

    @property
    def spent_ns(self) -> int:
        """The part of the plan's time, in ns, that the trials of earlier sessions took."""
        return self._remaining((), self.done).turns_ns

    @property
    def budget_spent_ns(self) -> int:
        """The part of the budget, in ns, that they took; 0 without a precision."""
        aim = self.run.header.plan.aim
        return 0 if aim is None else aim.budget_ns - self._remaining(self.done, ()).more_ns

    def _remaining(self, done: tuple[CellTurn, ...], left: tuple[CellTurn, ...]) -> Remaining:
        overhead_ns = cell_overhead_ns(self.run.header.engine_asked)
        return remaining(self.run.header.plan, done, left, self._bytes_per_s, overhead_ns=overhead_ns)

    @property
    def _bytes_per_s(self) -> int:
        return assumed_bytes_per_s(target.simulation for target in self.run.targets)

    @property
    def is_done(self) -> bool:
        """Whether the run is complete. If results determine the number of trials, only the recorded end shows it."""
        plan = self.run.header.plan
        # Preconditioning is an end in itself only if nothing is measured after it.
        if self.turns or (self.steps and not plan.turns):
            return False
        return plan.is_fixed or self.run.finished


def find_remaining(path: Path, host: Host, *, failed_again: bool) -> RemainingRun:
    """Finds the remaining work. Raises RecordError, also for an archive, which cannot be extended."""
    if is_archive(path):
        raise RecordError(
            f"{path} is an archive; only a run directory can be resumed",
            f"unpack it with `python3 -m zipfile -e {quoted(path)} .` and resume the unpacked directory",
        )
    run = load_run(path, intervals=False)
    _check_known(path, run)
    _check_whole(path, run)
    if failed_again and run.header.is_simulated:
        raise UsageError(
            "--failed does not apply to simulated drives, whose failures are defined by the model",
            "omit --failed, or start a new run with another seed or model",
            final=True,
        )
    if failed_again and run.header.plan.procedures:
        raise UsageError(
            "--failed does not apply to standard procedures, which allow no gap between their trials",
            "omit --failed, or start a new run",
            final=True,
        )
    recorded = recorded_targets(run.header, run.targets)
    check_answers(host, (each.path for each in recorded if isinstance(each, StoredTarget)))
    turns = turns_left(run, failed_again=failed_again)
    return RemainingRun(run, turns, host, failed_again, _steps_left(host, run, recorded))


def turns_left(run: RunRecord, *, failed_again: bool) -> tuple[CellTurn, ...]:
    """The trials that have no result yet, with ``failed_again`` also those that failed."""
    if run.finished and run.header.plan.procedures:
        # Those without a result belong to an attempt that was interrupted, and another one followed.
        return ()
    done = {cell.order for cell in run.cells if _is_done(cell, failed_again=failed_again)}
    return tuple(turn for turn in run.turns if turn.order not in done)


def _check_whole(path: Path, run: RunRecord) -> None:
    """Raises RecordError for a plan that has trials of a cell that it does not describe, as in a changed file."""
    described = {cell.cell for cell in run.header.plan.cells}
    unknown = next((turn.cell for turn in run.turns if turn.cell not in described), None)
    if unknown is not None:
        raise RecordError(
            f"{path} cannot be resumed: its plan has a trial of {printable(unknown)}, and no such cell",
            "start a new run; the results of this one can still be shown",
        )


def _check_known(path: Path, run: RunRecord) -> None:
    """Raises NewerError for a run that only a newer version can resume, even though this one can read it."""
    if run.header.engine_asked not in set(EngineChoice):
        raise newer(path, f"the engine {run.header.engine_asked!r}")
    for drive in (target.simulation for target in run.targets if target.simulation is not None):
        if not is_known(drive):
            raise newer(path, f"the model kind or some model keys of the simulated drive {drive.model!r}")


def _steps_left(host: Host, run: RunRecord, recorded: tuple[Target, ...]) -> tuple[Step, ...]:
    """The preconditioning steps that are left. A file that the run created may be gone."""
    if run.header.is_simulated:
        return () if run.is_prepared else run.header.plan.preparation
    created = [each for each in recorded if isinstance(each, ExistingFile) and each.was_created]
    return steps_left(run, is_new=any(not exists(host, each.path) for each in created))


def _written_per_s(record: CellRecord) -> int:
    """The bandwidth of a preconditioning write on each target, in bytes/s; 0 if it is unknown."""
    totals = record.operations.get(Operation.WRITE)
    if totals is None or not record.measured_ns:
        return 0
    return totals.bytes * SECOND_NS // record.measured_ns // record.workload.targets


def _is_done(cell: CellRecord, *, failed_again: bool) -> bool:
    if cell.outcome is Outcome.FAILED:
        return not failed_again and (cell.failure is None or cell.failure.kind not in ENDS_RUN)
    return cell.outcome is Outcome.FINISHED
