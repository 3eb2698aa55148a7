"""A whole run: its header, written before anything is touched, and its cells."""

from typing import Final

from iosonde.records.base import Record
from iosonde.records.cell import CellRecord
from iosonde.records.host import HostFacts
from iosonde.records.plan import CellTurn, Plan
from iosonde.records.target import DeviceFacts, Identity, TargetFacts
from iosonde.records.verification import LaterPass
from iosonde.vocabulary import Engine, Outcome, Poll

SCHEMA_VERSION: Final = 6
"""Raised with every field, value or frame that is new in what is stored (docs/decisions/0023-unknown-is-refused.md)."""


class EngineHello(Record):
    """What the engine said of itself when it started; ``fio`` is the version of fio, where that measures beside it.

    ``overhead_ns_per_io`` is the cost of its loop, and ``clock_read_ns`` that of one look at its clock; None in virtual
    time, where both are nothing.
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
    """Which run it is. These fields stand first in what is written."""

    schema_version: int = SCHEMA_VERSION
    run: str
    created_at: str


class SessionStart(Record):
    """What is known once the targets are open, at the start of a run and at each resumption.

    A target, a cell and an interval name their host by its index in ``hosts``, and ``engines`` has the engine on each
    host at the same index.
    """

    iosonde_version: str
    command: tuple[str, ...]
    target: TargetFacts
    more_targets: tuple[TargetFacts, ...] = ()
    host: HostFacts
    more_hosts: tuple[HostFacts, ...] = ()
    hello: EngineHello
    more_hellos: tuple[EngineHello, ...] = ()

    @property
    def targets(self) -> tuple[TargetFacts, ...]:
        """All targets, in the order in which they were given."""
        return (self.target, *self.more_targets)

    @property
    def hosts(self) -> tuple[HostFacts, ...]:
        """All hosts that targets are on."""
        return (self.host, *self.more_hosts)

    @property
    def engines(self) -> tuple[tuple[HostFacts, EngineHello], ...]:
        """Each host with the engine that measured there: its own, or the first one's where it has none."""
        hellos = (self.hello, *self.more_hellos)
        return tuple((host, hellos[min(number, len(hellos) - 1)]) for number, host in enumerate(self.hosts))


class SessionEnd(Record):
    """What is known when all measurements of a session are done: the same facts as at its start, read again.

    ``hosts`` and ``devices`` (one per target, None where it has none or it could not be read) are in the order of
    ``SessionStart``. They are empty, and ``ended_at`` as well, in runs of schema 5 and older, and where nothing was
    left to measure.
    """

    finished: bool
    ended_at: str = ""
    hosts: tuple[HostFacts, ...] = ()
    devices: tuple[DeviceFacts | None, ...] = ()


class RunHeader(SessionStart, _Named):
    """Everything about a run but its figures."""

    engine_asked: str
    poll_asked: Poll = Poll.INTERRUPT
    engine: Engine
    plan: Plan

    @property
    def is_simulated(self) -> bool:
        """Whether simulated drives are measured, which do the same again whenever they are asked the same."""
        return self.target.kind == "simulation"


class Session(SessionStart):
    """What may have changed when an interrupted run was resumed.

    ``made_anew`` says that the file was gone, and was created and laid out again.
    """

    resumed_at: str
    made_anew: bool


class RunRecord(Record):
    """A run as it can be read back: ``finished`` is False when it was cut off.

    ``running`` says that somebody was still writing it when it was read.

    ``preparation`` are the writes before anything was measured, and ``prepared`` the targets as they were when the last
    of them was finished. ``cells`` holds each trial once, in the order of the plan. ``superseded`` are measurements
    that were cut, or had failed, and were made again after a resumption; each of those is one of ``sessions``.
    ``later_passes`` have read the targets back after the run. ``damage`` says which parts of the journal can't be read,
    and why. ``turns_chosen`` are those that followed from the figures, behind those of the plan.
    ``end`` is what was known when the last session had finished; None while it has not.
    """

    header: RunHeader
    preparation: tuple[CellRecord, ...] = ()
    cells: tuple[CellRecord, ...]
    finished: bool
    damage: str | None = None
    sessions: tuple[Session, ...] = ()
    superseded: tuple[CellRecord, ...] = ()
    prepared: tuple[Identity, ...] = ()
    later_passes: tuple[LaterPass, ...] = ()
    running: bool = False
    turns_chosen: tuple[CellTurn, ...] = ()
    end: SessionEnd | None = None

    @property
    def last_start(self) -> SessionStart:
        """The start of the last session: the header, or the last resumption."""
        return self.sessions[-1] if self.sessions else self.header

    @property
    def is_prepared(self) -> bool:
        """Whether every write of the preparation was finished, and there was one."""
        written = {each.order for each in self.preparation if each.outcome is Outcome.FINISHED}
        steps = self.header.plan.writes_first
        return bool(steps) and all(step.order in written for step in steps)

    @property
    def asked_ns(self) -> int:
        """How long the target was asked by all repeats together, as they were planned: warm-up and measuring."""
        return sum(each.timing.lasts_ns for each in self.cells)

    @property
    def turns(self) -> tuple[CellTurn, ...]:
        """All measurements that were meant to be made, in their order."""
        return (*self.header.plan.turns, *self.turns_chosen)

    @property
    def targets(self) -> tuple[TargetFacts, ...]:
        """The targets as they were last opened."""
        return self.last_start.targets
