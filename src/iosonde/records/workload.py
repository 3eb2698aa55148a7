"""What is asked of a target: workloads, and how long each of them lasts."""

from typing import Final, Self

from pydantic import Field, model_validator

from iosonde.records.base import Record
from iosonde.records.pattern import Mix, Pattern
from iosonde.units import exact_duration, exact_size
from iosonde.vocabulary import Arrivals, Data, Engine, Operation, Poll, Sync

ALL_READS = 100
_POLLING: Final = frozenset({Engine.IO_URING, Engine.PASSTHROUGH, Engine.FIO})


class Workload(Record):
    """One loop: ``jobs`` workers, each with ``queue_depth`` operations of ``block_size_bytes`` in flight.

    All of it happens on each of ``targets`` targets at the same time. With ``rate_per_s`` the loop is open: that many
    operations a second are wanted on each target, by all its workers together, following each other as ``arrivals``
    says; ``queue_depth`` is then the most that a worker has in flight, and what has no place waits. Without a rate,
    both are None and the loop is closed: each queue is kept full.

    What is neither read nor trimmed is written. With ``block_sizes`` operations have several sizes, and
    ``block_size_bytes`` is the largest. ``span_bytes`` from ``offset_bytes`` on are used (None: up to the end). After
    each ``flush_every`` writes of a worker comes a flush, where ``sync`` asks for them. After ``burst_operations`` a
    worker waits for the last of them, and then rests for ``think_ns``.

    Random data can be compressed by ``compressible_percent``, and ``duplicates_percent`` of the writes carry what was
    written before. With ``verify`` each sector that is written says which one it is, and the target is read back.
    """

    pattern: Pattern
    read_percent: int = Field(ge=0, le=ALL_READS)
    block_size_bytes: int = Field(ge=0)
    queue_depth: int = Field(ge=0)
    sync: Sync = Sync.NONE
    jobs: int = Field(default=1, ge=0)
    data: Data = Data.RANDOM
    targets: int = Field(default=1, ge=0)
    rate_per_s: int | None = Field(default=None, ge=1)
    arrivals: Arrivals | None = None
    trim_percent: int = Field(default=0, ge=0, le=ALL_READS)
    block_sizes: Mix | None = None
    flush_every: int = Field(default=1, ge=1)
    offset_bytes: int = Field(default=0, ge=0)
    span_bytes: int | None = Field(default=None, ge=0)
    burst_operations: int | None = Field(default=None, ge=1)
    think_ns: int | None = Field(default=None, ge=0)
    compressible_percent: int = Field(default=0, ge=0, le=100)
    duplicates_percent: int = Field(default=0, ge=0, le=100)
    verify: bool = False

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.rate_per_s is None) != (self.arrivals is None):
            message = "a rate and how its arrivals follow each other go together"
            raise ValueError(message)
        if (self.burst_operations is None) != (self.think_ns is None):
            message = "bursts and the rests between them go together"
            raise ValueError(message)
        return self

    @property
    def is_open_loop(self) -> bool:
        """Whether operations are wanted at a rate, whatever becomes of those before them."""
        return self.rate_per_s is not None

    @property
    def rate_per_s_all(self) -> int | None:
        """Operations that are wanted a second, on all targets together; None in a closed loop."""
        return None if self.rate_per_s is None else self.rate_per_s * self.targets

    @property
    def operations_in_flight(self) -> int:
        """What all workers together are asked to keep in flight."""
        return self.queue_depth * self.jobs * self.targets

    @property
    def operations_in_flight_each(self) -> int:
        """What is to be kept in flight on each target."""
        return self.queue_depth * self.jobs

    @property
    def reads(self) -> bool:
        """Whether any operation reads."""
        return self.read_percent > 0

    @property
    def writes(self) -> bool:
        """Whether any operation writes."""
        return self.write_percent > 0

    @property
    def only_operation(self) -> Operation | None:
        """``read``, ``write`` or ``trim`` for a pure workload, None for a mix."""
        shares = {
            Operation.READ: self.read_percent,
            Operation.WRITE: self.write_percent,
            Operation.TRIM: self.trim_percent,
        }
        return next((operation for operation, percent in shares.items() if percent == ALL_READS), None)

    @property
    def subject(self) -> Operation:
        """What it is about: commits where each write is flushed, the only operation, else all of them together."""
        return Operation.COMMIT if self.flushes_each else self.only_operation or Operation.ALL

    @property
    def flushes_each(self) -> bool:
        """Whether each write has a flush of its own, so that commits are what it is about."""
        return self.sync is Sync.FDATASYNC and self.flush_every == 1

    def poll_through(self, engine: Engine, asked: Poll) -> Poll:
        """How completions are found when ``asked`` was wanted: only io_uring polls, whoever goes through it.

        A ring that polls the device knows neither fdatasync nor trims.
        """
        refused = asked is Poll.IOPOLL and (self.sync is Sync.FDATASYNC or self.trim_percent > 0)
        return asked if engine in _POLLING and not refused else Poll.INTERRUPT

    @property
    def write_percent(self) -> int:
        """The share of writes."""
        return ALL_READS - self.read_percent - self.trim_percent

    @property
    def changes(self) -> bool:
        """Whether any operation changes what is on the target: it writes or trims."""
        return self.read_percent < ALL_READS

    @property
    def is_usual(self) -> bool:
        """Whether blocks of one size anywhere on the target are read or written without rests, as headlines compare."""
        unusual = (self.trim_percent, self.block_sizes, self.offset_bytes, self.span_bytes, self.burst_operations)
        return not any(unusual) and self.flush_every == 1

    @property
    def size_text(self) -> str:
        """The block size, or the sizes, for people."""
        return exact_size(self.block_size_bytes) if self.block_sizes is None else str(self.block_sizes)

    @property
    def bytes_per_operation(self) -> float:
        """Bytes of an operation, on average."""
        return self.block_size_bytes if self.block_sizes is None else self.block_sizes.mean_bytes()

    def asked_operations(self) -> tuple[Operation, ...]:
        """The directions that this workload asks for; a cell in which one of them completed nothing has failed."""
        asked = []
        if self.reads:
            asked.append(Operation.READ)
        if self.writes:
            asked.append(Operation.WRITE)
            if self.sync is Sync.FDATASYNC:
                asked.extend((Operation.FLUSH, Operation.COMMIT))
        if self.trim_percent:
            asked.append(Operation.TRIM)
        return tuple(asked)


class Timing(Record):
    """How long a cell lasts. A cell with ``amount_bytes`` ends when that much was moved on each target instead."""

    warmup_ns: int = Field(ge=0)
    measure_ns: int = Field(ge=0)
    interval_ns: int = Field(ge=0)
    amount_bytes: int | None = None

    @property
    def lasts_ns(self) -> int:
        """Warm-up and measuring together: what the device is asked for, where no amount ends the cell."""
        return self.warmup_ns + self.measure_ns

    @property
    def text(self) -> str:
        """For people: ``1.0 s warm-up + 5.0 s``, ``until 8 GiB were moved``."""
        if self.amount_bytes is not None:
            return f"until {exact_size(self.amount_bytes)} were moved"
        return f"{exact_duration(self.warmup_ns)} warm-up + {exact_duration(self.measure_ns)}"
