"""Resumes an interrupted run: the same cells, seeds and order, on the same target."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from iosonde.campaign.conductor import RemainingWork, analysed
from iosonde.campaign.devices import permitted
from iosonde.campaign.limits import limits_left, replaced
from iosonde.campaign.observer import Observer, Recorder
from iosonde.campaign.power_watch import check_power_command
from iosonde.campaign.preconditioning_left import done_bytes_of, holds_what_was_written, steps_left
from iosonde.campaign.preparing import NullPurgeObserver, PurgeObserver
from iosonde.campaign.purged_targets import DestroyConsent, purged
from iosonde.campaign.recorded_targets import is_own, recorded_targets, resolve_recorded
from iosonde.campaign.remaining_run import RemainingRun, find_remaining
from iosonde.campaign.removal import CreatedFiles
from iosonde.campaign.session import NOTHING_LEFT, SessionSetup, open_session, utc_text
from iosonde.campaign.target import close_targets, open_target
from iosonde.errors import EngineError, IosondeError
from iosonde.machine import Host
from iosonde.records import (
    NO_LIMITS,
    EngineHello,
    Outcome,
    PurgeRecord,
    RunHeader,
    RunLimits,
    Session,
)
from iosonde.sources import ExistingFile, NewFile, OpenRequest, Target, start_source
from iosonde.store import RunDirectory, load_run
from iosonde.vocabulary import EngineChoice


@dataclass(frozen=True)
class ResumeConsent:
    """What the user permits again: to overwrite files that iosonde did not create, and to destroy devices' contents.

    ``limits`` replace those of the run, each if it is set. ``power_command`` measures power from now on. That of the
    record is not run: a run directory may come from someone else.
    """

    overwrite: bool = False
    destroy: tuple[str, ...] = ()
    consents: tuple[str, ...] = ()
    limits: RunLimits = NO_LIMITS
    power_command: str = ""


def resume(  # noqa: PLR0913, PLR0917 - the parts of a run
    path: Path,
    rest: RemainingRun,
    observer: Observer,
    now: datetime,
    consent: ResumeConsent | None = None,
    purging: PurgeObserver | None = None,
) -> None:
    """Measures what is left. What iosonde did not create is written only with the user's consent.

    Procedures on block devices have a session each, after their purge. Raises TargetError if a target has changed or
    needs consent, and EngineError if the run's engine is not available.
    """
    consent, heard = consent or ResumeConsent(), purging or NullPurgeObserver()
    while not _session(path, rest, observer, now, consent, heard):
        rest = find_remaining(path, rest.host, failed_again=False)


def _session(  # noqa: PLR0913, PLR0917 - the parts of a session
    path: Path, rest: RemainingRun, observer: Observer, now: datetime, consent: ResumeConsent, heard: PurgeObserver
) -> bool:
    """One session of what is left. False if another one has to follow."""
    directory = RunDirectory(path)
    with directory.reopen_journal() as journal:
        # Another process may have held the journal until now and measured what was left in `rest`.
        rest = find_remaining(path, rest.host, failed_again=rest.failed_again)
        journal.cut_torn_end()
        rest = _analysed_to_the_end(path, rest, journal, observer)
        run, header, host = rest.run, rest.run.header, rest.host
        recorded = recorded_targets(header, run.targets)
        for each in recorded:
            if isinstance(each, ExistingFile) and each.mark:
                _remove_aside(host, each)
        if not rest.is_done:
            targets = _resolved(host, recorded, header, consent)
            is_new = any(isinstance(each, NewFile) for each in targets)
            is_written = not is_new and holds_what_was_written(run)
            targets = tuple(_with_note(each, is_written=is_written) for each in targets)
            purges: tuple[PurgeRecord, ...] = ()
            following = rest.next_procedure
            is_purged = header.plan.purge is not None and following is not None and following.purged
            if is_purged and not header.is_simulated:
                allowed = DestroyConsent(consent.destroy, consent.consents)
                targets, purges = purged(host, header.plan, targets, allowed, heard, now)
            work = _work_left(rest, is_new=is_new)
            check_power_command(consent.power_command, targets[0])
            setting = SessionSetup(
                host=host,
                targets=targets,
                plan=header.plan,
                direct=header.target.direct,
                engine=EngineChoice(header.engine_asked),
                run=header.run,
                directory=path,
                hold_cstates=header.hold_cstates,
                purges=purges,
                power_command=consent.power_command,
                limits=limits_left(replaced(header.limits, consent.limits), run),
            )
            with open_session(setting, lambda hello: _check_engine(header, hello), observer) as session:
                facts = session.start_facts()
                begun = Session(
                    resumed_at=utc_text(now),
                    made_anew=is_new,
                    done_bytes=done_bytes_of(work.steps),
                    is_planned=run.end is not None,
                    purges=purges,
                    **facts,
                )
                journal.session(begun)
                directory.watch(journal)
                return session.measure(header, work, journal)
        for each in recorded:
            _remove_left_file(host, each, observer)
        if not run.finished:
            journal.end(NOTHING_LEFT)
    return True


def _work_left(rest: RemainingRun, *, is_new: bool) -> RemainingWork:
    """What is left for a session. A simulated drive begins again, to reach the state that it had.

    An interrupted procedure begins again on a real target: its specification does not allow a gap.
    """
    run = rest.run
    if run.header.is_simulated:
        return _from_the_beginning(rest)
    steps = steps_left(run, is_new=is_new)
    if run.header.plan.procedures:
        return RemainingWork(steps=steps, turns=(), known=rest.known, chosen=rest.last_chosen)
    return RemainingWork(steps=steps, turns=rest.turns, known=rest.known)


def _resolved(
    host: Host, recorded: tuple[Target, ...], header: RunHeader, consent: ResumeConsent
) -> tuple[Target, ...]:
    """The recorded targets as they are now, with a permit for each device that is written."""
    writes = header.plan.changes
    targets = tuple(resolve_recorded(host, each, writes=writes, overwrite=consent.overwrite) for each in recorded)
    if not header.plan.needs_grant:
        return targets
    return permitted(host.command_prefix(), header.plan, targets, consent.destroy, consent.consents)


def _analysed_to_the_end(path: Path, rest: RemainingRun, journal: Recorder, observer: Observer) -> RemainingRun:
    """Analyses the last cell if the session ended after it kept the cell and before it kept the analysis."""
    last = max(rest.run.cells, key=lambda cell: cell.order, default=None)
    if last is None or last.within is not None or last.outcome is not Outcome.FINISHED:
        return rest
    whole = next(cell for cell in load_run(path).cells if cell.order == last.order)
    found = last.model_copy(update={"within": analysed(whole, journal, observer).within})
    cells = tuple(found if cell.order == last.order else cell for cell in rest.run.cells)
    return replace(rest, run=rest.run.model_copy(update={"cells": cells}))


def _from_the_beginning(rest: RemainingRun) -> RemainingWork:
    """The whole plan, in its order. Kept results are replayed, so that times and drive states are the same."""
    left = {turn.order for turn in rest.turns}
    kept = {cell.order: cell for cell in rest.run.cells if cell.order not in left}
    plan = rest.run.header.plan
    kept |= {each.order: each for each in rest.run.preparation if each.outcome is Outcome.FINISHED}
    # No trial follows the last one that is left.
    last = max(left, default=len(rest.run.turns))
    turns = tuple(turn for turn in rest.run.turns if turn.order <= last)
    return RemainingWork(steps=plan.preparation, turns=turns, replayed=kept)


def _remove_aside(host: Host, target: ExistingFile) -> None:
    """Removes files of this run that a killed process had renamed and not yet removed."""
    for orphan in host.orphans(str(target.path.parent)):
        if orphan.mark == target.mark and orphan.is_aside:
            with suppress(OSError):
                host.remove_orphan(orphan)


def _with_note(target: Target, *, is_written: bool) -> Target:
    """The target, with a note whether the run has written all of it."""
    return replace(target, is_written=is_written) if isinstance(target, ExistingFile) else target


def _remove_left_file(host: Host, recorded: Target, observer: Observer) -> None:
    """Removes the file of a run that was killed before it could, after the last journal entry, if it is that file."""
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
        close_targets(source, made, is_cut=False)
    except IosondeError:
        # Another file is at the path now, or the file is in use: keep it.
        return
    finally:
        source.end()


def _check_engine(header: RunHeader, hello: EngineHello) -> None:
    if header.engine not in hello.engines:
        raise EngineError(
            f"the run was measured with {header.engine}, which is no longer available on this host "
            f"({hello.io_uring_refused})",
            "enable it again, or start a new run with --engine psync; one run cannot mix the results of two engines",
            final=True,
        )
