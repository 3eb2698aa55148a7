"""A whole campaign: from the user's request to a finished run directory."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from iosonde.campaign.conductor import RemainingWork
from iosonde.campaign.devices import check_commands, check_engine, check_permits, permitted, without_cache_reason
from iosonde.campaign.endurance import Endurance, endurances
from iosonde.campaign.engines import check_choice, check_poll, check_polling, choose_engine
from iosonde.campaign.limits import check_limits
from iosonde.campaign.observer import Observer
from iosonde.campaign.power_watch import check_power_command
from iosonde.campaign.preparing import PurgeObserver
from iosonde.campaign.purged_targets import check_purge
from iosonde.campaign.remaining_run import find_remaining
from iosonde.campaign.resume import ResumeConsent, resume
from iosonde.campaign.session import OpenSession, SessionSetup, open_session, utc_text
from iosonde.campaign.simulated import assumed_bytes_per_s
from iosonde.campaign.slow_targets import why_slow
from iosonde.campaign.target_resolution import TargetRequest, resolve_targets
from iosonde.campaign.time_scaling import check_one_scale, time_scaled
from iosonde.campaign.verifying import check_verifiable
from iosonde.campaign.write_caches import check_cache_targets
from iosonde.machine import Host
from iosonde.plans import Cost, TargetInfo, cell_overhead_ns, check_plan, plan_cost
from iosonde.records import (
    NO_LIMITS,
    CellRecord,
    CellTurn,
    EngineHello,
    ExpectedValues,
    IntervalRecord,
    Plan,
    Procedures,
    ProcedureStart,
    PurgeRecord,
    RunHeader,
    RunLimits,
    RunRecord,
    SessionEnd,
    WithinRepeat,
)
from iosonde.sources import BlockDevice, SimulatedDrive, StoredTarget, Target, check_fio_can
from iosonde.store import RunDirectory
from iosonde.vocabulary import EngineChoice, Poll

# Makes a plan for targets with these properties.
PlanMaker = Callable[[TargetInfo], Plan]


@dataclass(frozen=True)
class RunRequest:
    """The user's request for a campaign.

    ``command`` is the call that made it, if it was not a command line. The last three are kept in the record.
    """

    target: TargetRequest
    engine: EngineChoice
    plan: PlanMaker
    host: Host
    poll: Poll = Poll.INTERRUPT
    command: tuple[str, ...] = ()
    label: str = ""
    note: str = ""
    expected: ExpectedValues | None = None
    limits: RunLimits = NO_LIMITS
    hold_cstates: bool = False
    power_command: str = ""


@dataclass(frozen=True)
class Preflight:
    """The facts known before targets are opened. ``why_slow`` says why a campaign of minutes is too short for one.

    ``purges`` are those that were done since.
    """

    run: str
    host: Host
    targets: tuple[Target, ...]
    plan: Plan
    engine: EngineChoice
    why_slow: str = ""
    limits: RunLimits = NO_LIMITS
    power_command: str = ""
    purges: tuple[PurgeRecord, ...] = ()
    endurances: tuple[Endurance, ...] = ()

    @property
    def is_purged(self) -> bool:
        """Whether no target is left to be purged before the first trial."""
        devices = [each for each in self.targets if isinstance(each, BlockDevice)]
        return not self.plan.purges_first or len({each.target for each in self.purges}) == len(devices)

    @property
    def is_simulated(self) -> bool:
        """Whether the targets are simulated drives, which are measured in virtual time."""
        return isinstance(self.targets[0], SimulatedDrive)

    @property
    def has_fresh_state(self) -> bool:
        """Whether all targets are simulated drives with a fresh-out-of-box state, which only a model of an SSD has."""
        return all(isinstance(each, SimulatedDrive) and each.drive.is_ssd for each in self.targets)

    @property
    def capacity_scale(self) -> int:
        """By how much the capacity of the first target is smaller than that of its model; 1 if it is not simulated."""
        return _capacity_scale(self.targets)

    @property
    def assumed_bytes_per_s(self) -> int:
        """The assumed write bandwidth of a target, in bytes/s: that of its model, or more than that of most drives."""
        return assumed_bytes_per_s(each.drive for each in self.targets if isinstance(each, SimulatedDrive))

    def cost(self, bytes_per_s: int | None = None, *, at_most: bool = True) -> Cost:
        """The cost of the plan at a write bandwidth, in bytes/s; at the assumed one if it is None.

        ``at_most`` False is the cost with the fewest rounds, if results decide on their number.
        """
        overhead_ns = cell_overhead_ns(self.engine)
        return plan_cost(self.plan, bytes_per_s or self.assumed_bytes_per_s, overhead_ns=overhead_ns, at_most=at_most)


def new_run_name(now: datetime) -> str:
    """A unique name for a run that sorts by time: ``20261120-173000-1f3a``."""
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def preflight(request: RunRequest, now: datetime) -> Preflight:
    """Resolves the targets and plans the run. Changes nothing. Raises all errors that can be found before the run."""
    run = new_run_name(now)
    targets = resolve_targets(request.host, request.target, run)
    check_choice(request.engine, targets[0])
    check_poll(request.poll, request.engine, targets[0])
    for target in targets:
        check_commands(target, asked=request.engine is EngineChoice.PASSTHROUGH)
    fill = any(target.must_be_filled(writes=request.target.writes) for target in targets)
    slow = why_slow(request.host, targets)
    is_device = isinstance(targets[0], BlockDevice)
    info = TargetInfo(
        targets[0].span_bytes,
        fill=fill,
        targets=len(targets),
        slow=bool(slow),
        is_device=is_device,
        is_file=isinstance(targets[0], StoredTarget) and not is_device,
        scale=_capacity_scale(targets),
    )
    plan = request.plan(info)
    if plan.procedures and plan.sets_write_cache and without_cache_reason(request.host.command_prefix(), targets):
        # A drive without a volatile write cache is measured as it is, and the record says that nothing was set.
        plan = request.plan(replace(info, is_device=False))
    if isinstance(plan.stop, Procedures):
        check_one_scale(targets)
        targets = tuple(time_scaled(each, plan.stop.time_scale) for each in targets)
    check_plan(plan, targets=len(targets))
    check_verifiable(plan, targets[0])
    check_purge(plan, targets, request.target)
    check_engine(plan, targets, request.engine)
    check_cache_targets(plan, targets)
    wanted = request.target
    if plan.needs_grant and not wanted.only_planned:
        targets = permitted(request.host.command_prefix(), plan, targets, wanted.destroy, wanted.consents)
        check_permits(plan, targets)
    if request.engine is EngineChoice.FIO:
        check_fio_can(plan)
    is_storage = isinstance(targets[0], StoredTarget)
    check_limits(request.limits, request.engine, plan_cost(plan).fill_bytes, is_storage=is_storage)
    check_power_command(request.power_command, targets[0])
    return Preflight(
        run=run,
        host=request.host,
        targets=targets,
        plan=plan,
        engine=request.engine,
        why_slow=slow,
        limits=request.limits,
        endurances=endurances(request.host.command_prefix(), targets) if plan.changes else (),
        power_command=request.power_command,
    )


def _capacity_scale(targets: Sequence[Target]) -> int:
    first = targets[0]
    return first.drive.scale if isinstance(first, SimulatedDrive) else 1


@contextmanager
def _new_run(
    request: RunRequest, ahead: Preflight, now: datetime, directory: Path | None, observer: Observer
) -> Iterator[tuple[OpenSession, RunHeader]]:
    assert ahead.is_purged, "the targets are purged first"

    def choose(hello: EngineHello) -> None:
        check_polling(request.poll, choose_engine(request.engine, hello, ahead.targets[0]), hello)

    setting = SessionSetup(
        host=request.host,
        targets=ahead.targets,
        plan=ahead.plan,
        direct=not request.target.buffered,
        engine=request.engine,
        run=ahead.run,
        directory=directory,
        command=request.command,
        limits=request.limits,
        hold_cstates=request.hold_cstates,
        power_command=request.power_command,
        purges=ahead.purges,
    )
    with open_session(setting, choose, observer) as session:
        yield session, _header(request, ahead, now, session)


def _header(request: RunRequest, ahead: Preflight, now: datetime, session: OpenSession) -> RunHeader:
    return RunHeader(
        run=ahead.run,
        created_at=utc_text(now),
        engine_asked=request.engine.value,
        poll_asked=request.poll,
        engine=choose_engine(request.engine, session.source.hello, ahead.targets[0]),
        plan=ahead.plan,
        limits=request.limits,
        hold_cstates=request.hold_cstates,
        purges=ahead.purges,
        power_command=request.power_command,
        label=request.label,
        note=request.note,
        expected=request.expected,
        **session.start_facts(),
    )


def all_work(plan: Plan) -> RemainingWork:
    """All the work of a plan."""
    return RemainingWork(steps=plan.preparation, turns=plan.turns)


def measure_to_directory(  # noqa: PLR0913, PLR0917 - the parts of a run
    request: RunRequest,
    ahead: Preflight,
    out: Path,
    observer: Observer,
    now: datetime,
    purging: PurgeObserver | None = None,
) -> None:
    """Runs a campaign into a run directory. The measurements are kept even if the run ends early.

    ``purging`` hears of the purges between standard procedures on block devices.
    """
    if not _first_session(request, ahead, out, observer, now):
        wanted = request.target
        consent = ResumeConsent(
            destroy=tuple(wanted.destroy), consents=tuple(wanted.consents), power_command=request.power_command
        )
        resume(out, find_remaining(out, request.host, failed_again=False), observer, now, consent, purging)


def _first_session(request: RunRequest, ahead: Preflight, out: Path, observer: Observer, now: datetime) -> bool:
    directory = RunDirectory(out)
    try:
        # Inside, because an interruption may come at any time.
        directory = RunDirectory.create(out)
        with (
            _new_run(request, ahead, now, out, observer) as (session, header),
            directory.start_journal(header) as journal,
        ):
            return session.measure(header, all_work(header.plan), journal)
    except BaseException:
        directory.remove_if_empty()
        raise


class MemoryRecorder:
    """Keeps a run in memory, for a probe or a comparison that writes no files."""

    def __init__(self) -> None:
        self.cells: list[CellRecord] = []
        self.written: list[CellRecord] = []
        self.turns: list[CellTurn] = []
        self.starts: list[ProcedureStart] = []
        self.ended: SessionEnd | None = None
        self._intervals: list[IntervalRecord] = []

    def turn(self, turn: CellTurn) -> None:
        """Keeps a trial that is not in the plan."""
        self.turns.append(turn)

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:  # noqa: ARG002 - trials do not mix
        """Keeps an interval for its cell, whose own are merged if it is long."""
        self._intervals.append(interval)

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell."""
        self.cells.append(self._with_intervals(cell))

    def prepared(self, cell: CellRecord) -> None:
        """Keeps a preconditioning write."""
        self.written.append(self._with_intervals(cell))

    def _with_intervals(self, cell: CellRecord) -> CellRecord:
        kept, self._intervals = tuple(self._intervals), []
        return cell.model_copy(update={"intervals": kept}) if len(kept) > len(cell.intervals) else cell

    def within(self, order: int, within: WithinRepeat) -> None:
        """Adds the variation within a repeat to its cell."""
        self.cells = [
            cell.model_copy(update={"within": within}) if cell.order == order else cell for cell in self.cells
        ]

    def procedure(self, start: ProcedureStart) -> None:
        """Keeps the start of a procedure."""
        self.starts.append(start)

    def end(self, end: SessionEnd) -> None:
        """Keeps the end of the session."""
        self.ended = end

    def check_there(self) -> None:
        """Does nothing: memory cannot be removed."""


def measure_in_memory(request: RunRequest, ahead: Preflight, observer: Observer, now: datetime) -> RunRecord:
    """Runs a plan and returns its record."""
    with _new_run(request, ahead, now, None, observer) as (session, header):
        memory = MemoryRecorder()
        session.measure(header, all_work(header.plan), memory)
    return RunRecord(
        header=header,
        preparation=tuple(memory.written),
        cells=tuple(memory.cells),
        finished=True,
        turns_chosen=tuple(memory.turns),
        procedure_starts=tuple(memory.starts),
        end=memory.ended,
    )
