"""The interface of a source of records, the same for every engine."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import Field, field_validator

from iosonde.records import (
    Alignment,
    CellPlan,
    CellRecord,
    CellTurn,
    DeviceIdentity,
    Drive,
    Engine,
    EngineHello,
    Identity,
    IntervalRecord,
    NamespaceFacts,
    RunLimits,
    Verification,
)
from iosonde.records.base import Record
from iosonde.sources.targets import BlockDevice, Target
from iosonde.vocabulary import OnError, Poll


@dataclass(frozen=True)
class IoPath:
    """The I/O path of a cell: the engine, how io_uring detects completions, and what happens after an error."""

    engine: Engine
    poll: Poll = Poll.INTERRUPT
    on_error: OnError = OnError.CONTINUE


@dataclass(frozen=True)
class KeptLedger:
    """A ledger of written blocks that this session keeps, in a file or (None) in memory.

    ``run`` is a number unique to this run and target. The ledger covers ``size_bytes`` from the start of the target, in
    blocks of ``step_bytes``.
    """

    path: Path | None
    run: int
    step_bytes: int
    size_bytes: int


@dataclass(frozen=True)
class LeftLedger:
    """A ledger that an earlier session left in a file."""

    path: Path


@dataclass(frozen=True)
class OpenRequest:
    """A target, and how to open it: for writing (``write``), and with direct I/O (``direct``).

    A device is also granted if its settings are changed (``settings``). A new file gets ``mark``. Workers are pinned to
    ``cpus_near``, if there are any. With a ``ledger`` the target can be verified. ``is_purged`` says that it was purged
    and is not preconditioned. With ``commands``, NVMe commands can be sent to a device that has a generic
    character device.
    """

    target: Target
    write: bool
    direct: bool
    mark: str = ""
    cpus_near: tuple[int, ...] = ()
    ledger: KeptLedger | LeftLedger | None = None
    commands: bool = False
    is_purged: bool = False
    settings: bool = False

    @property
    def is_granted(self) -> bool:
        """Whether a device needs a permit."""
        return self.write or self.settings

    def __post_init__(self) -> None:
        """Raises UnpermittedWriteError for a device that would be written or set without a permit."""
        if self.is_granted and isinstance(self.target, BlockDevice):
            self.target.check_permit()


class OpenTarget(Record):
    """The facts that the engine found when it opened the target."""

    created: bool
    direct: bool
    size_bytes: Annotated[int, Field(ge=0, lt=1 << 64)]
    identity: Identity | None
    alignment: Alignment
    holes: bool
    namespace: NamespaceFacts | None = None
    granted: DeviceIdentity | None = None

    @field_validator("alignment")
    @classmethod
    def _aligned(cls, found: Alignment) -> Alignment:
        if found.memory_bytes < 1 or found.offset_bytes < 1:
            message = "the alignment must be at least 1 byte"
            raise ValueError(message)
        return found


class MadeTarget(Record):
    """A file that was created as a target. ``marked`` says that it carries the requested mark."""

    identity: Identity
    marked: bool


class Interrupted(Exception):  # noqa: N818 - it is a state, not an error
    """A cell was interrupted. Carries its results so far."""

    def __init__(self, cell: CellRecord, interruption: KeyboardInterrupt) -> None:
        super().__init__(cell.cell)
        self.cell = cell
        self.interruption = interruption


class Source(Protocol):
    """Opens targets and measures cells on them. Raises the errors of ``iosonde.errors``, with hints."""

    @property
    def hello(self) -> EngineHello:
        """The engine's description of itself."""

    @property
    def pid(self) -> int:
        """The process ID of the process that has the targets open."""

    @property
    def is_lost(self) -> bool:
        """Whether a target did not respond in time. Any access to it, also by this process, may hang for ever."""

    def calibrate(self) -> int:
        """The engine's own cost in ns per operation, kept in the hello."""

    def open(self, request: OpenRequest, on_made: Callable[[MadeTarget], None] = lambda _: None) -> OpenTarget:
        """Opens a target, in addition to those that are open. Raises TargetError.

        ``on_made`` is called with a file as soon as it is created. From then on the caller has to remove it.
        """

    def health(self, path: Path) -> tuple[Drive, ...]:
        """The health of the drives below a file, a directory or a device. Raises TargetError."""

    def limit(self, limits: RunLimits) -> None:
        """Limits what all measurements that follow may do to the drives. Limits only become stricter."""

    def hold_cstates(self) -> None:
        """Keeps the CPUs of the host out of C-states until the source ends. Raises TargetError or EngineError."""

    def sync(self) -> None:
        """Makes all that was written durable, on every target."""

    def wait(self, duration_ns: int) -> None:
        """Keeps the targets idle for ``duration_ns`` of the source's clock."""

    def purge_simulated(self) -> bool:
        """Puts all simulated drives back to their fresh-out-of-box state, in no time; their counters carry on.

        False if there is none, or one that has no such state (a disk, a volume, a queue), which is left as it is.
        """

    def verify(self, on_progress: Callable[[int, int], None]) -> tuple[Verification, ...]:
        """Reads back every target that was opened with a ledger, and returns the result for each.

        ``on_progress`` is called with the number of the target, from 0, and the bytes read of it.
        """

    def close(self) -> None:
        """Closes all targets. Does nothing if the source is lost."""

    def measure(  # noqa: PLR0913, PLR0917 - a measurement needs all of them
        self,
        cell: CellPlan,
        turn: CellTurn,
        way: IoPath,
        span_bytes: int,
        on_interval: Callable[[IntervalRecord], None],
        is_enough: Callable[[], bool] | None = None,
    ) -> CellRecord:
        """Measures one cell and passes each interval to the callback. Raises Interrupted with the results so far.

        With ``decide_ns`` in its timing, ``is_enough`` is called at each of these moments, after the intervals up to
        it. The cell ends if that returns True, and has finished.
        """

    def end(self) -> None:
        """Ends the source."""

    def kill(self) -> None:
        """Kills the source's processes."""
