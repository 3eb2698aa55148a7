"""What a source of records can do, whatever measures behind it."""

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
    Engine,
    EngineHello,
    Identity,
    IntervalRecord,
    NamespaceFacts,
    Verification,
)
from iosonde.records.base import Record
from iosonde.sources.targets import BlockDevice, Target
from iosonde.vocabulary import Poll


@dataclass(frozen=True)
class Way:
    """How a cell's I/O reaches the target, and how io_uring finds out what is done."""

    engine: Engine
    poll: Poll = Poll.INTERRUPT


@dataclass(frozen=True)
class KeptLedger:
    """An account that is kept of what is written, in a file or (None) in memory.

    ``run`` is a number of this run and target alone; blocks of ``step_bytes`` are judged as one, ``size_bytes`` of them
    from the start of the target.
    """

    path: Path | None
    run: int
    step_bytes: int
    size_bytes: int


@dataclass(frozen=True)
class LeftLedger:
    """An account that a run has left in a file."""

    path: Path


@dataclass(frozen=True)
class OpenRequest:
    """A target, and how it is to be opened: for writing, and past the page cache (``direct``).

    A new file is created with ``mark`` on it. Workers are tied to ``cpus_near``, where there are any. With a ``ledger``
    it can be verified. With ``commands``, commands of NVMe can be sent to a device that has a generic one beside it.
    """

    target: Target
    write: bool
    direct: bool
    mark: str = ""
    cpus_near: tuple[int, ...] = ()
    ledger: KeptLedger | LeftLedger | None = None
    commands: bool = False

    def __post_init__(self) -> None:
        """Raises UnpermittedWriteError: nothing can even ask for a device that is written without a permit."""
        if self.write and isinstance(self.target, BlockDevice):
            self.target.check_permit()


class OpenTarget(Record):
    """What the engine found when it opened the target."""

    created: bool
    direct: bool
    size_bytes: Annotated[int, Field(ge=0, lt=1 << 64)]
    identity: Identity | None
    alignment: Alignment
    holes: bool
    namespace: NamespaceFacts | None = None

    @field_validator("alignment")
    @classmethod
    def _aligned(cls, found: Alignment) -> Alignment:
        if found.memory_bytes < 1 or found.offset_bytes < 1:
            message = "addresses are multiples of 1 or more"
            raise ValueError(message)
        return found


class MadeTarget(Record):
    """A file that was made for a target; ``marked`` says that it carries the mark that was asked for."""

    identity: Identity
    marked: bool


class Interrupted(Exception):  # noqa: N818 - it is a state, not an error
    """A cell that was stopped from outside, with what it had measured."""

    def __init__(self, cell: CellRecord, interruption: KeyboardInterrupt) -> None:
        super().__init__(cell.cell)
        self.cell = cell
        self.interruption = interruption


class Source(Protocol):
    """Opens targets and measures cells on them. Its errors are those of ``iosonde.errors``, with the way out."""

    @property
    def hello(self) -> EngineHello:
        """What it said of itself."""

    @property
    def pid(self) -> int:
        """The number of the process that holds the targets open."""

    @property
    def is_lost(self) -> bool:
        """Whether a target has not answered in time: whoever touches it now, this process too, may wait for ever."""

    def calibrate(self) -> int:
        """Its own cost in ns an operation, kept in the hello."""

    def open(self, request: OpenRequest, on_made: Callable[[MadeTarget], None] = lambda _: None) -> OpenTarget:
        """Opens a target, beside those that are open. Raises TargetError.

        ``on_made`` is told of a file as soon as it is made: whatever comes after, its removal is the caller's.
        """

    def sync(self) -> None:
        """Makes all that was written durable, on every target."""

    def wait(self, duration_ns: int) -> None:
        """Leaves the targets alone for a time, in its own clock."""

    def verify(self, on_progress: Callable[[int, int], None]) -> tuple[Verification, ...]:
        """Reads every target back that was opened with a ledger, and says what was found on each.

        ``on_progress`` is told which target is read, from 0, and how many bytes of it were.
        """

    def close(self) -> None:
        """Gives all targets up; once it is lost, nothing."""

    def measure(
        self,
        cell: CellPlan,
        turn: CellTurn,
        way: Way,
        span_bytes: int,
        on_interval: Callable[[IntervalRecord], None],
    ) -> CellRecord:
        """Measures one cell and passes each interval on as it comes. Raises Interrupted with what there is."""

    def end(self) -> None:
        """Ends it."""

    def kill(self) -> None:
        """Ends it at once, whatever it does."""
