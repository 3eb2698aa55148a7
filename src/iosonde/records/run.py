"""A run: its header, written before any I/O, and its cells."""

from typing import Final

from pydantic import Field

from iosonde.records.base import Record
from iosonde.records.cell import CellRecord
from iosonde.records.conditions import DeviceState, HostState
from iosonde.records.health import Drive
from iosonde.records.host import HostFacts
from iosonde.records.limits import NO_LIMITS, RunLimits
from iosonde.records.plan import CellTurn, Plan
from iosonde.records.procedure import ProcedureStart
from iosonde.records.purge import PurgeRecord
from iosonde.records.target import DeviceFacts, ExtentFacts, Identity, TargetFacts
from iosonde.records.verification import LaterPass
from iosonde.vocabulary import Engine, Outcome, Poll

SCHEMA_VERSION: Final = 11
"""Raised with every new field, value or frame in stored data.

Why: docs/decisions/0023-refuse-runs-of-a-newer-version.md.
"""


class EngineHello(Record):
    """The properties that the engine reports at its start. ``fio`` is the version of fio if fio measures.

    ``overhead_ns_per_io`` is the cost of its loop per operation, and ``clock_read_ns`` that of one clock read. Both are
    None in virtual time, where they are 0.
    """

    version: str
    protocol: int
    build_profile: str
    engines: tuple[Engine, ...]
    io_uring_refused: str | None
    overhead_ns_per_io: int | None = None
    clock_read_ns: int | None = None
    fio: str | None = None


class _Named(Record):
    """The identity of a run. These fields come first in the file."""

    schema_version: int = SCHEMA_VERSION
    run: str
    created_at: str


class SessionStart(Record):
    """The facts that are known once the targets are open, at the start of a run and at each resumption.

    A target, a cell and an interval name their host by its index in ``hosts``, and ``engines`` has the engine on each
    host at the same index. ``drives`` has the health of each disk below the targets.
    ``host_state`` and ``device_states`` (one per target, None without a device) are what could spoil a measurement.
    """

    iosonde_version: str
    command: tuple[str, ...]
    target: TargetFacts
    more_targets: tuple[TargetFacts, ...] = ()
    host: HostFacts
    more_hosts: tuple[HostFacts, ...] = ()
    hello: EngineHello
    more_hellos: tuple[EngineHello, ...] = ()
    drives: tuple[Drive, ...] = ()
    host_state: HostState | None = None
    device_states: tuple[DeviceState | None, ...] = ()

    @property
    def targets(self) -> tuple[TargetFacts, ...]:
        """All targets, in the order of the request."""
        return (self.target, *self.more_targets)

    @property
    def hosts(self) -> tuple[HostFacts, ...]:
        """All hosts with targets."""
        return (self.host, *self.more_hosts)

    @property
    def engines(self) -> tuple[tuple[HostFacts, EngineHello], ...]:
        """Each host with its engine, or with the first host's engine if it has none."""
        hellos = (self.hello, *self.more_hellos)
        return tuple((host, hellos[min(number, len(hellos) - 1)]) for number, host in enumerate(self.hosts))


class SessionEnd(Record):
    """The facts at the end of a session, after all its trials: the same as at its start, read again.

    ``hosts`` and ``devices`` (one per target, None without a device or if it could not be read) are in the order of
    ``SessionStart``. ``extents`` are those of each target that is a file, None if its file system does not report them.
    ``drives`` has the health of each disk below the targets. Without ``finished``, another session follows.
    They and ``ended_at`` are empty in runs of schema 5 and older, and if there was nothing left to
    measure.
    """

    finished: bool
    ended_at: str = ""
    hosts: tuple[HostFacts, ...] = ()
    devices: tuple[DeviceFacts | None, ...] = ()
    extents: tuple[ExtentFacts | None, ...] = ()
    drives: tuple[Drive, ...] = ()
    host_state: HostState | None = None
    device_states: tuple[DeviceState | None, ...] = ()


class ExpectedValues(Record):
    """The expected values that a run is compared with, so that a resumed run ends with the same verdict.

    ``name`` is what the user named them by: a shipped data sheet or purpose, or a path. ``text`` is the whole file.
    """

    name: str
    text: str
    is_purpose: bool = False


class RunHeader(SessionStart, _Named):
    """Everything about a run except its results.

    ``limits`` are what the user set to spare the drives. ``hold_cstates`` is whether the run keeps the CPUs of its
    host out of C-states. ``power_command`` is the shell command that measures power, empty without one. ``purges`` are
    those of its devices before its first session. ``label`` and ``note`` are the user's words on it. ``expected`` is
    None if it is not compared with expected values.
    """

    purges: tuple[PurgeRecord, ...] = ()
    label: str = ""
    note: str = ""
    expected: ExpectedValues | None = None
    engine_asked: str
    poll_asked: Poll = Poll.INTERRUPT
    engine: Engine
    plan: Plan
    limits: RunLimits = NO_LIMITS
    hold_cstates: bool = False
    power_command: str = ""

    @property
    def is_simulated(self) -> bool:
        """Whether the targets are simulated drives, which are deterministic."""
        return self.target.kind == "simulation"


class Session(SessionStart):
    """The facts that may have changed when an interrupted run was resumed.

    ``made_anew`` means that the file was missing, and was created and laid out again. ``done_bytes`` is the part of the
    first preconditioning write of this session that earlier ones have written on each target. ``is_planned`` means that
    the session before ended as planned, between two procedures. ``purges`` are those of block devices before it.
    """

    resumed_at: str
    made_anew: bool
    done_bytes: int = 0
    is_planned: bool = False
    purges: tuple[PurgeRecord, ...] = ()


class RunRecord(Record):
    """A run as it is read back. ``finished`` is False if it was interrupted.

    ``running`` means that another process was still writing it when it was read.

    ``preparation`` are the preconditioning writes, and ``written`` the identities of the targets of each, by its order.
    ``cells`` has each trial once, in run order. ``superseded`` are interrupted or failed trials that were
    repeated after a resumption. Each resumption is one of ``sessions``. ``later_passes`` read the targets back after
    the run. ``damage`` names the unreadable parts of the journal, and why they are unreadable. ``turns_chosen`` are the
    trials that were added during the run, after those of the plan. ``procedure_starts`` has the start of each attempt
    of each standard procedure. ``end`` are the facts at the end of the last
    session, None before it.
    """

    header: RunHeader
    preparation: tuple[CellRecord, ...] = ()
    cells: tuple[CellRecord, ...]
    finished: bool
    damage: str | None = None
    sessions: tuple[Session, ...] = ()
    superseded: tuple[CellRecord, ...] = ()
    written: dict[int, tuple[Identity, ...]] = Field(default_factory=dict)
    later_passes: tuple[LaterPass, ...] = ()
    running: bool = False
    turns_chosen: tuple[CellTurn, ...] = ()
    procedure_starts: tuple[ProcedureStart, ...] = ()
    end: SessionEnd | None = None

    @property
    def last_start(self) -> SessionStart:
        """The start of the last session: the header, or the last resumption."""
        return self.sessions[-1] if self.sessions else self.header

    @property
    def prepared(self) -> tuple[Identity, ...]:
        """The identities of the targets of the last preconditioning write; empty if it did not finish."""
        last = self.header.plan.last_write
        finished = any(each.order == last and each.outcome is Outcome.FINISHED for each in self.preparation)
        return self.written.get(last, ()) if finished and last is not None else ()

    @property
    def is_prepared(self) -> bool:
        """Whether there was a preconditioning write, and all of them finished."""
        written = {each.order for each in self.preparation if each.outcome is Outcome.FINISHED}
        steps = self.header.plan.writes_first
        return bool(steps) and all(step.order in written for step in steps)

    @property
    def asked_ns(self) -> int:
        """The planned time of all repeats together: warm-up and measurement time."""
        return sum(each.timing.lasts_ns for each in self.cells)

    @property
    def turns(self) -> tuple[CellTurn, ...]:
        """All planned trials, in run order."""
        return (*self.header.plan.turns, *self.turns_chosen)

    @property
    def targets(self) -> tuple[TargetFacts, ...]:
        """The targets as of the last session."""
        return self.last_start.targets
