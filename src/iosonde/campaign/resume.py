"""Going on with a run that was broken off: the same cells, seeds and order, on the same target."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from iosonde.campaign.answering import check_answers
from iosonde.campaign.conductor import ENDS_RUN, Work, analysed
from iosonde.campaign.observer import Keeper, Observer
from iosonde.campaign.recorded_targets import exists, is_own, recorded_targets, resolve_recorded
from iosonde.campaign.removal import CreatedFiles
from iosonde.campaign.session import NOTHING_LEFT, Setting, ready, utc_text
from iosonde.campaign.simulated import assumed_bytes_per_s, is_known
from iosonde.campaign.target import give_up, open_target
from iosonde.errors import EngineError, IosondeError, RecordError, UsageError
from iosonde.machine import Host
from iosonde.plans import Remaining, cell_overhead_ns, preparation_ns, remaining
from iosonde.printing import quoted
from iosonde.records import (
    CellRecord,
    CellTurn,
    EngineHello,
    IdleStep,
    Outcome,
    RunHeader,
    RunRecord,
    Session,
    Step,
)
from iosonde.sources import ExistingFile, NewFile, OpenRequest, StoredTarget, Target, start_source
from iosonde.store import RunDirectory, is_archive, load_run, newer
from iosonde.vocabulary import EngineChoice


@dataclass(frozen=True)
class Rest:
    """What is left of a run on a host. ``is_prepared`` says that the targets are as the run has prepared them."""

    run: RunRecord
    host: Host
    turns: tuple[CellTurn, ...]
    failed_again: bool
    is_prepared: bool

    @property
    def done(self) -> tuple[CellTurn, ...]:
        """The turns that earlier sessions have measured."""
        left = {turn.order for turn in self.turns}
        kept = {cell.order for cell in self.run.cells}
        return tuple(turn for turn in self.run.turns if turn.order in kept - left)

    @property
    def replayed(self) -> tuple[CellTurn, ...]:
        """Those of them that simulated drives do once more, since nothing comes behind the last turn that is left."""
        if not self.run.header.is_simulated or self.is_done:
            return ()
        last = max((turn.order for turn in self.turns), default=len(self.run.turns))
        return tuple(turn for turn in self.done if turn.order <= last)

    @property
    def preparation_ns(self) -> int:
        """How long preparing the targets takes, where that is to be done: as long as it took, if it ever was."""
        if self.is_prepared:
            return 0
        if self.run.is_prepared:
            idle_ns = sum(step.duration_ns for step in self.run.header.plan.preparation if isinstance(step, IdleStep))
            return idle_ns + sum(each.measured_ns for each in self.run.preparation)
        return preparation_ns(self.run.header.plan, self._bytes_per_s)

    @property
    def left_ns(self) -> int:
        """How long what is left takes; with an aim, at most: earlier sessions have spent some of the budget."""
        return self.preparation_ns + self._remaining(self.done, self.turns).total_ns

    @property
    def spent_ns(self) -> int:
        """What the measurements of earlier sessions have taken of the plan's time."""
        return self._remaining((), self.done).turns_ns

    @property
    def budget_spent_ns(self) -> int:
        """What they have taken of the budget; 0 without an aim."""
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
        """Whether nothing is left: where figures decide that, it is known only once the run has ended."""
        return not self.turns and (self.run.header.plan.is_fixed or self.run.finished)


def look_back(path: Path, host: Host, *, failed_again: bool) -> Rest:
    """Finds out what is left to do. Raises RecordError, also for an archive: nothing can be added to one."""
    if is_archive(path):
        raise RecordError(
            f"{path} is an archive, and only a run directory can be resumed",
            f"unpack it with `python3 -m zipfile -e {quoted(path)} .`, and name the directory that it creates",
        )
    run = load_run(path, intervals=False)
    _check_known(path, run)
    if failed_again and run.header.is_simulated:
        raise UsageError(
            "--failed repeats trials that failed by chance, and a simulated drive fails as its model says",
            "omit --failed, or start a new run with another seed or model",
            final=True,
        )
    recorded = recorded_targets(run.header, run.targets)
    check_answers(host, (each.path for each in recorded if isinstance(each, StoredTarget)))
    done = {cell.order for cell in run.cells if _is_done(cell, failed_again=failed_again)}
    turns = tuple(turn for turn in run.turns if turn.order not in done)
    return Rest(run, host, turns, failed_again, _is_prepared(host, run, recorded))


def _check_known(path: Path, run: RunRecord) -> None:
    """Raises NewerError for a run that only a newer version can go on with: reading it takes none of this."""
    if run.header.engine_asked not in set(EngineChoice):
        raise newer(path, f"the engine {run.header.engine_asked!r}")
    for drive in (target.simulation for target in run.targets if target.simulation is not None):
        if not is_known(drive):
            raise newer(path, f"the simulated drive {drive.model!r}, of a kind or with keys")


def _is_prepared(host: Host, run: RunRecord, recorded: tuple[Target, ...]) -> bool:
    """Whether the targets are as the run has prepared them; a file of its own may be gone."""
    if not run.header.plan.writes_first:
        return True
    if run.header.is_simulated:
        return run.is_prepared
    created = [each for each in recorded if isinstance(each, ExistingFile) and each.was_created]
    gone = any(not exists(host, each.path) for each in created)
    return not gone and _holds_what_was_written(run)


def _holds_what_was_written(run: RunRecord) -> bool:
    return run.prepared == tuple(target.identity for target in run.targets)


def _steps_left(run: RunRecord, *, is_written: bool) -> tuple[Step, ...]:
    """The preparation steps that are left: all of them, or those after the last write where that is on the targets."""
    steps, last = run.header.plan.preparation, run.header.plan.last_write
    if last is not None and not is_written:
        return steps
    # Whatever was measured came after the last step.
    return () if run.cells else tuple(step for step in steps if last is None or step.order > last)


def _is_done(cell: CellRecord, *, failed_again: bool) -> bool:
    if cell.outcome is Outcome.FAILED:
        return not failed_again and (cell.failure is None or cell.failure.kind not in ENDS_RUN)
    return cell.outcome is Outcome.FINISHED


def resume(path: Path, rest: Rest, observer: Observer, now: datetime, *, overwrite: bool = False) -> None:
    """Measures what is left; a file that iosonde did not make is written only with ``overwrite``.

    Raises TargetError if a target has changed or needs ``overwrite``, and EngineError if the run's engine is not
    available.
    """
    directory = RunDirectory(path)
    with directory.reopen_journal() as journal:
        # Whoever held the journal until now may have measured what was left when `rest` was seen.
        rest = look_back(path, rest.host, failed_again=rest.failed_again)
        journal.cut_torn_end()
        rest = _analysed_to_the_end(path, rest, journal, observer)
        run, header, host = rest.run, rest.run.header, rest.host
        recorded = recorded_targets(header, run.targets)
        for each in recorded:
            if isinstance(each, ExistingFile) and each.mark:
                _remove_aside(host, each)
        if not rest.is_done:
            writes = header.plan.changes
            targets = tuple(resolve_recorded(host, each, writes=writes, overwrite=overwrite) for each in recorded)
            anew = any(isinstance(each, NewFile) for each in targets)
            is_written = not anew and _holds_what_was_written(run)
            targets = tuple(_noted(each, is_written=is_written) for each in targets)
            steps = _steps_left(run, is_written=is_written)
            work = Work(steps=steps, turns=rest.turns, known=_known(rest))
            if run.header.is_simulated:
                work = _from_the_beginning(rest)
            setting = Setting(
                host=host,
                targets=targets,
                plan=header.plan,
                direct=header.target.direct,
                engine=EngineChoice(header.engine_asked),
                run=header.run,
                directory=path,
            )
            with ready(setting, lambda hello: _check_engine(header, hello), observer) as session:
                facts = session.start_facts()
                journal.session(Session(resumed_at=utc_text(now), made_anew=anew, **facts))
                directory.watch(journal)
                session.measure(header, work, journal)
        else:
            for each in recorded:
                _clear_away(host, each, observer)
            if not run.finished:
                journal.end(NOTHING_LEFT)


def _analysed_to_the_end(path: Path, rest: Rest, journal: Keeper, observer: Observer) -> Rest:
    """A session may have ended between keeping its last cell and keeping what the intervals of that say."""
    last = max(rest.run.cells, key=lambda cell: cell.order, default=None)
    if last is None or last.within is not None or last.outcome is not Outcome.FINISHED:
        return rest
    whole = next(cell for cell in load_run(path).cells if cell.order == last.order)
    found = last.model_copy(update={"within": analysed(whole, journal, observer).within})
    cells = tuple(found if cell.order == last.order else cell for cell in rest.run.cells)
    return replace(rest, run=rest.run.model_copy(update={"cells": cells}))


def _from_the_beginning(rest: Rest) -> Work:
    """All of the plan, in its order; what is there already is replayed, so that times and states are those it had."""
    left = {turn.order for turn in rest.turns}
    kept = {cell.order: cell for cell in rest.run.cells if cell.order not in left}
    plan = rest.run.header.plan
    kept |= {each.order: each for each in rest.run.preparation if each.outcome is Outcome.FINISHED}
    # Nothing comes after the last turn that is left.
    last = max(left, default=len(rest.run.turns))
    turns = tuple(turn for turn in rest.run.turns if turn.order <= last)
    return Work(steps=plan.preparation, turns=turns, replayed=kept)


def _known(rest: Rest) -> tuple[tuple[CellTurn, CellRecord], ...]:
    """The turns that are done, with what they gave."""
    left = {turn.order for turn in rest.turns}
    kept = {cell.order: cell for cell in rest.run.cells if cell.order not in left}
    return tuple((turn, kept[turn.order]) for turn in rest.run.turns if turn.order in kept)


def _remove_aside(host: Host, target: ExistingFile) -> None:
    """Removes files of this run that a killed process had renamed and not yet removed."""
    for orphan in host.orphans(str(target.path.parent)):
        if orphan.mark == target.mark and orphan.is_aside:
            with suppress(OSError):
                host.remove_orphan(orphan)


def _noted(target: Target, *, is_written: bool) -> Target:
    """The target with the note that the run had written all of it."""
    return replace(target, is_written=is_written) if isinstance(target, ExistingFile) else target


def _clear_away(host: Host, recorded: Target, observer: Observer) -> None:
    """Removes the file of a run that was killed between its last note and its tidying up, if it surely is that file."""
    if not isinstance(recorded, ExistingFile) or not is_own(host, recorded):
        return
    try:
        target = resolve_recorded(host, recorded, writes=True, overwrite=False)
        source = start_source(EngineChoice.AUTO, host.command_prefix())
    except IosondeError:
        return
    made = CreatedFiles(host, observer.left_behind)
    try:
        open_target(host, source, OpenRequest(target, write=False, direct=False, mark=recorded.mark), made)
        give_up(source, made, is_cut=False)
    except IosondeError:
        # Another file is there now, or it is in use: it is not ours to remove.
        return
    finally:
        source.end()


def _check_engine(header: RunHeader, hello: EngineHello) -> None:
    if header.engine not in hello.engines:
        raise EngineError(
            f"the run was measured with {header.engine}, which this host refuses now ({hello.io_uring_refused})",
            "allow it again, or start a new run with --engine psync; results of two engines can't be combined",
            final=True,
        )
