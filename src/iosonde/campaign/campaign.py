"""A whole campaign: from the user's wish to a finished run directory, whatever happens on the way."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from iosonde import __version__
from iosonde.campaign.conductor import Conductor, Work
from iosonde.campaign.devices import check_commands, check_permits
from iosonde.campaign.engines import check_choice, check_poll, check_polling, choose_engine
from iosonde.campaign.observer import Observer
from iosonde.campaign.provenance import command_line
from iosonde.campaign.removal import CreatedFiles
from iosonde.campaign.simulated import assumed_bytes_per_s
from iosonde.campaign.slow_targets import why_slow
from iosonde.campaign.target import give_up, open_target
from iosonde.campaign.target_resolution import TargetWish, resolve_targets
from iosonde.campaign.verifying import check_verifiable, kept_ledger
from iosonde.errors import EngineError
from iosonde.machine import Host
from iosonde.plans import Ground, check_alignment, check_plan, check_transfers
from iosonde.records import (
    CellRecord,
    CellTurn,
    EngineHello,
    IntervalRecord,
    Plan,
    RunHeader,
    RunRecord,
    TargetFacts,
    WithinRepeat,
)
from iosonde.safe_files import mark_of
from iosonde.sources import OpenRequest, SimulatedDrive, Source, Target, check_fio_can, start_source
from iosonde.store import Journal, RunDirectory
from iosonde.vocabulary import EngineChoice, Poll

# Makes a plan once it is known what the targets are like.
PlanMaker = Callable[[Ground], Plan]


@dataclass(frozen=True)
class Wish:
    """All that the user wants of a campaign. ``command`` is what asked for it, where that is no command line."""

    target: TargetWish
    engine: EngineChoice
    plan: PlanMaker
    host: Host
    poll: Poll = Poll.INTERRUPT
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """What is known before anything is touched; ``why_slow`` says why a campaign of minutes is too short for it."""

    run: str
    host: Host
    targets: tuple[Target, ...]
    plan: Plan
    engine: EngineChoice
    why_slow: str = ""

    @property
    def is_simulated(self) -> bool:
        """Whether simulated drives will be measured, in a time of their own."""
        return isinstance(self.targets[0], SimulatedDrive)

    @property
    def assumed_bytes_per_s(self) -> int:
        """What a target may take in a second: as its model says, or more than most drives take."""
        return assumed_bytes_per_s(each.drive for each in self.targets if isinstance(each, SimulatedDrive))


def new_run_name(now: datetime) -> str:
    """A name for a run that sorts by time and is never met twice: ``20261120-173000-1f3a``."""
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def look_ahead(wish: Wish, now: datetime) -> Survey:
    """Finds out where the targets are and what will be done to them. Raises what would stop a run."""
    run = new_run_name(now)
    targets = resolve_targets(wish.host, wish.target, run)
    check_choice(wish.engine, targets[0])
    check_poll(wish.poll, wish.engine, targets[0])
    for target in targets:
        check_commands(target, asked=wish.engine is EngineChoice.PASSTHROUGH)
    fill = any(target.must_be_filled(writes=wish.target.writes) for target in targets)
    slow = why_slow(wish.host, targets)
    plan = wish.plan(Ground(span_bytes=targets[0].span_bytes, fill=fill, targets=len(targets), slow=bool(slow)))
    check_plan(plan, targets=len(targets))
    check_verifiable(plan, targets[0])
    check_permits(plan, targets)
    if wish.engine is EngineChoice.FIO:
        check_fio_can(plan)
    return Survey(run=run, host=wish.host, targets=targets, plan=plan, engine=wish.engine, why_slow=slow)


@dataclass(frozen=True)
class Setting:
    """Where a session takes place. ``directory`` is where a run is kept, None for a probe."""

    host: Host
    targets: tuple[Target, ...]
    plan: Plan
    direct: bool
    engine: EngineChoice
    run: str
    directory: Path | None = None


@contextmanager
def ready(
    setting: Setting, check: Callable[[EngineHello], None], observer: Observer
) -> Iterator[tuple[Source, tuple[TargetFacts, ...]]]:
    """An engine that passes the check, with the targets open; all are given up at the end.

    Files that were made for the run are removed, whatever ended it; the observer is told which could not be.
    """
    check_permits(setting.plan, setting.targets)
    source = start_source(setting.engine, setting.host.command_prefix())
    opened: list[TargetFacts] = []
    made = CreatedFiles(setting.host, observer.left_behind)
    observer.files_created(made.abandon)
    trims = any(cell.workload.trim_percent for cell in setting.plan.cells)
    is_cut = False
    try:
        check(source.hello)
        if not isinstance(setting.targets[0], SimulatedDrive):
            # In virtual time the loop costs nothing.
            source.calibrate()
        try:
            for number in range(len(setting.targets)):
                opened.append(open_target(setting.host, source, _request(setting, number), made, trims=trims))
                check_alignment(setting.plan, opened[-1].alignment.offset_bytes)
                check_transfers(setting.plan, opened[-1].namespace)
            yield source, tuple(opened)
        except KeyboardInterrupt:
            # Whoever interrupts wants an end now; what was measured is in the journal, or passed on.
            is_cut = True
            source.kill()
            raise
        finally:
            # Whoever interrupts may do so because the file system does not answer.
            give_up(source, made, is_cut=is_cut)
    finally:
        source.end()


def _request(setting: Setting, number: int) -> OpenRequest:
    """How the target of that number, from 0, is opened: what is filled is opened for writing."""
    return OpenRequest(
        setting.targets[number],
        write=bool(setting.plan.writes_first),
        direct=setting.direct,
        mark=mark_of(setting.run, setting.plan.seed, number),
        ledger=kept_ledger(setting.plan, setting.run, number, setting.directory),
        commands=setting.engine is EngineChoice.PASSTHROUGH,
    )


@contextmanager
def _new_run(
    wish: Wish, ahead: Survey, now: datetime, directory: Path | None, observer: Observer
) -> Iterator[tuple[Source, RunHeader]]:
    def choose(hello: EngineHello) -> None:
        check_polling(wish.poll, choose_engine(wish.engine, hello, ahead.targets[0]), hello)

    setting = Setting(
        host=wish.host,
        targets=ahead.targets,
        plan=ahead.plan,
        direct=not wish.target.buffered,
        engine=wish.engine,
        run=ahead.run,
        directory=directory,
    )
    with ready(setting, choose, observer) as (source, targets):
        yield source, _header(wish, ahead, now, targets, source.hello)


def _header(
    wish: Wish, ahead: Survey, now: datetime, targets: tuple[TargetFacts, ...], hello: EngineHello
) -> RunHeader:
    return RunHeader(
        run=ahead.run,
        created_at=now.astimezone(UTC).isoformat(timespec="seconds"),
        iosonde_version=__version__,
        command=wish.command or command_line(),
        engine_asked=wish.engine.value,
        poll_asked=wish.poll,
        engine=choose_engine(wish.engine, hello, ahead.targets[0]),
        plan=ahead.plan,
        target=targets[0],
        more_targets=targets[1:],
        host=wish.host.facts(),
        hello=hello,
    )


def whole_plan(plan: Plan) -> Work:
    """All that a plan asks for."""
    return Work(steps=plan.preparation, turns=plan.turns)


def measure_to_directory(wish: Wish, ahead: Survey, out: Path, observer: Observer, now: datetime) -> RunDirectory:
    """Runs a campaign into a run directory. What was measured is kept, whatever ends the run."""
    directory = RunDirectory.create(out)
    try:
        with _new_run(wish, ahead, now, out, observer) as (source, header), directory.start_journal(header) as journal:
            with ended_by_loss(journal):
                Conductor(wish.host, source, header, whole_plan(header.plan), journal, observer).run()
            journal.end()
    except BaseException:
        directory.remove_if_empty()
        raise
    return directory


@contextmanager
def ended_by_loss(journal: Journal) -> Iterator[None]:
    """Tells the end of an engine as what it is where a file of the run was cut under it. Raises OutputError."""
    try:
        yield
    except EngineError:
        journal.check_there()
        raise


class Memory:
    """Keeps a run in memory: for a probe, which leaves nothing behind."""

    def __init__(self) -> None:
        self.cells: list[CellRecord] = []
        self.written: list[CellRecord] = []

    def turn(self, turn: CellTurn) -> None:
        """Nothing: the cell says which turn it was."""

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:
        """Nothing: the cell carries its intervals."""

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell."""
        self.cells.append(cell)

    def prepared(self, cell: CellRecord) -> None:
        """Keeps a write of the preparation."""
        self.written.append(cell)

    def within(self, order: int, within: WithinRepeat) -> None:
        """Adds what its intervals say of a cell."""
        self.cells = [
            cell.model_copy(update={"within": within}) if cell.order == order else cell for cell in self.cells
        ]


def measure_in_memory(wish: Wish, ahead: Survey, observer: Observer, now: datetime) -> RunRecord:
    """Runs a plan and gives it back as a record."""
    with _new_run(wish, ahead, now, None, observer) as (source, header):
        memory = Memory()
        Conductor(wish.host, source, header, whole_plan(header.plan), memory, observer).run()
    return RunRecord(header=header, preparation=tuple(memory.written), cells=tuple(memory.cells), finished=True)
