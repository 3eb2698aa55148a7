"""A session: an engine with open targets, the facts at its start, all measurements, and the facts at its end."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypedDict

from iosonde import __version__
from iosonde.campaign.command_line import command_line
from iosonde.campaign.conductor import Conductor, RemainingWork
from iosonde.campaign.devices import check_permits
from iosonde.campaign.drive_health import SmartReader
from iosonde.campaign.observer import Observer, Recorder
from iosonde.campaign.power_watch import PowerWatch
from iosonde.campaign.procedure_starts import ProcedureStarts
from iosonde.campaign.removal import CreatedFiles
from iosonde.campaign.surroundings import Surroundings, Watch
from iosonde.campaign.target import close_targets, open_target
from iosonde.campaign.verifying import kept_ledger
from iosonde.campaign.write_caches import WriteCaches, restored_at_end
from iosonde.errors import EngineError, TargetError
from iosonde.machine import Host
from iosonde.plans import check_alignment, check_transfers
from iosonde.records import (
    NO_LIMITS,
    DeviceFacts,
    DeviceState,
    Drive,
    EngineHello,
    ExtentFacts,
    HostFacts,
    HostState,
    Plan,
    PurgeRecord,
    RunHeader,
    RunLimits,
    SessionEnd,
    TargetFacts,
)
from iosonde.safe_files import mark_of
from iosonde.sources import OpenRequest, PowerCommand, SimulatedDrive, Source, StoredTarget, Target, start_source
from iosonde.vocabulary import EngineChoice

NOTHING_LEFT: Final = SessionEnd(finished=True)
"""The end of a run whose last session was killed after its last measurement, so the facts at its end are missing."""


def utc_text(moment: datetime) -> str:
    """A time in the format of records: ISO 8601, in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class SessionSetup:
    """Host, targets and plan of a session. ``directory`` is the run directory, None for a probe."""

    host: Host
    targets: tuple[Target, ...]
    plan: Plan
    direct: bool
    engine: EngineChoice
    run: str
    directory: Path | None = None
    command: tuple[str, ...] = ()
    limits: RunLimits = NO_LIMITS
    hold_cstates: bool = False
    power_command: str = ""
    purges: tuple[PurgeRecord, ...] = ()
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))


class StartFacts(TypedDict):
    """The fields of ``SessionStart``, for the header of a run and for the record of a resumption."""

    iosonde_version: str
    command: tuple[str, ...]
    target: TargetFacts
    more_targets: tuple[TargetFacts, ...]
    host: HostFacts
    hello: EngineHello
    drives: tuple[Drive, ...]
    host_state: HostState | None
    device_states: tuple[DeviceState | None, ...]


@dataclass(frozen=True)
class OpenSession:
    """A session whose targets are open."""

    setting: SessionSetup
    source: Source
    targets: tuple[TargetFacts, ...]
    observer: Observer
    surroundings: Surroundings
    smart: SmartReader
    caches: WriteCaches
    power: PowerCommand | None = None

    def start_facts(self) -> StartFacts:
        """What is known before the first measurement."""
        return StartFacts(
            iosonde_version=__version__,
            command=self.setting.command or command_line(),
            target=self.targets[0],
            more_targets=self.targets[1:],
            host=self.setting.host.facts(),
            hello=self.source.hello,
            drives=self._drives(),
            host_state=self.surroundings.host,
            device_states=self.surroundings.devices,
        )

    def measure(self, header: RunHeader, work: RemainingWork, keeper: Recorder) -> bool:
        """Does all the work, then records the end of the session. False if another session has to follow.

        Raises OutputError instead of EngineError if the engine ended because a file of the run was truncated.
        """
        try:
            is_complete = Conductor(
                *(self.setting.host, self.source, header, work, keeper, self.observer),
                smart=self.smart,
                power=self._power_watch(),
                set_caches=self.caches.set,
                begin_procedure=ProcedureStarts(header, self.source, self.setting.targets, self.setting.purges).begin,
            ).run()
        except EngineError:
            keeper.check_there()
            raise
        # The facts at the end are those of the drives as they were before.
        self.caches.restore()
        keeper.end(self._end(finished=is_complete))
        return is_complete

    def _power_watch(self) -> PowerWatch:
        """The sensors of this host and of the targets' drives. In virtual time nothing is sampled."""
        host = self.setting.host
        if isinstance(self.setting.targets[0], SimulatedDrive):
            return PowerWatch(host, (), None)
        identities = [target.identity for target in self.targets if target.identity is not None]
        numbers = dict.fromkeys(os.makedev(each.device_major, each.device_minor) for each in identities)
        return PowerWatch(host, host.power_sensors(tuple(numbers)), self.power)

    def _end(self, *, finished: bool) -> SessionEnd:
        state = Watch(self.setting.host, self.setting.targets).read(
            self.source.hello.io_uring_refused or "", waits=False
        )
        return SessionEnd(
            finished=finished,
            ended_at=utc_text(self.setting.clock()),
            hosts=(self.setting.host.facts(),),
            devices=tuple(map(self._device, self.setting.targets)),
            extents=tuple(map(self._extents, self.targets)),
            drives=self._drives(),
            host_state=state.host,
            device_states=state.devices,
        )

    def _drives(self) -> tuple[Drive, ...]:
        """The health of each disk below the targets; without those whose target cannot be accessed any more."""
        found: dict[str, Drive] = {}
        for target in self.setting.targets:
            if isinstance(target, StoredTarget):
                with suppress(TargetError):
                    found |= {each.disk: each for each in self.source.health(target.on)}
        return self.smart.completed(found.values())

    def _extents(self, target: TargetFacts) -> ExtentFacts | None:
        """The extents of a file; None for other targets, and if they cannot be read any more."""
        if target.kind != "file":
            return None
        try:
            return self.setting.host.extents(target.path)
        except OSError:
            return None

    def _device(self, target: Target) -> DeviceFacts | None:
        """The facts of a target's device; None if they cannot be read any more, which does not end the run."""
        if not isinstance(target, StoredTarget):
            return None
        try:
            return self.setting.host.device(str(target.on))
        except OSError:
            return None


@contextmanager
def open_session(
    setting: SessionSetup, check: Callable[[EngineHello], None], observer: Observer
) -> Iterator[OpenSession]:
    """Starts an engine, checks it, opens the targets, and closes everything at the end.

    Files that the run created are removed however it ends. The observer receives those that could not be removed.
    Raises TargetError, before it opens a target, if the command that measures power does not work.
    """
    check_permits(setting.plan, setting.targets)
    with (
        _power_command(setting) as power,
        restored_at_end(setting.plan, setting.host, setting.run, observer) as caches,
        _opened(setting, check, observer, power, caches) as session,
    ):
        yield session


@contextmanager
def _power_command(setting: SessionSetup) -> Iterator[PowerCommand | None]:
    """The user's command that measures power, from its first value to the end of the session; None without one."""
    if not setting.power_command:
        yield None
        return
    command = PowerCommand(setting.power_command, setting.host.command_prefix())
    try:
        command.start()
        yield command
    finally:
        command.end()


@contextmanager
def _opened(
    setting: SessionSetup,
    check: Callable[[EngineHello], None],
    observer: Observer,
    power: PowerCommand | None,
    caches: WriteCaches,
) -> Iterator[OpenSession]:
    watch = Watch(setting.host, setting.targets)
    source = start_source(setting.engine, setting.host.command_prefix())
    opened: list[TargetFacts] = []
    made = CreatedFiles(setting.host, observer.left_behind)
    observer.files_created(made.abandon)
    trims = any(cell.workload.trim_percent for cell in setting.plan.cells)
    is_cut = False
    try:
        check(source.hello)
        if not isinstance(setting.targets[0], SimulatedDrive):
            # In virtual time the engine's loop takes no time.
            source.calibrate()
        surroundings = watch.read(source.hello.io_uring_refused or "", waits=True)
        try:
            for number in range(len(setting.targets)):
                opened.append(open_target(setting.host, source, _request(setting, number), made, trims=trims))
                check_alignment(setting.plan, opened[-1].alignment.offset_bytes)
                check_transfers(setting.plan, opened[-1].namespace)
            if setting.limits.is_set:
                source.limit(setting.limits)
            if setting.hold_cstates:
                source.hold_cstates()
            caches.begin(source, opened)
            smart = SmartReader(setting.host)
            yield OpenSession(setting, source, tuple(opened), observer, surroundings, smart, caches, power)
        except KeyboardInterrupt:
            # The user wants to stop now. The results are in the journal, or were returned.
            is_cut = True
            source.kill()
            raise
        finally:
            # The user may have interrupted because the file system does not respond.
            close_targets(source, made, is_cut=is_cut)
    finally:
        source.end()


def _request(setting: SessionSetup, number: int) -> OpenRequest:
    """How target ``number``, from 0, is opened: for writing if it is preconditioned or purged."""
    is_purged = setting.plan.purges_first and not setting.plan.writes_first
    return OpenRequest(
        setting.targets[number],
        write=bool(setting.plan.writes_first or setting.plan.procedures) or is_purged,
        is_purged=is_purged,
        settings=setting.plan.sets_write_cache,
        direct=setting.direct,
        mark=mark_of(setting.run, setting.plan.seed, number),
        ledger=kept_ledger(setting.plan, setting.run, number, setting.directory),
        commands=setting.engine is EngineChoice.PASSTHROUGH,
    )
