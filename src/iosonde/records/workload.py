"""Workloads and their timing."""

from typing import Final, Self

from pydantic import Field, model_validator

from iosonde.records.base import Record
from iosonde.records.pattern import Mix, Pattern
from iosonde.units import exact_duration, exact_size
from iosonde.vocabulary import Arrivals, Data, Engine, Operation, Poll, Sync, WriteCache

ALL_READS = 100
_POLLING: Final = frozenset({Engine.IO_URING, Engine.PASSTHROUGH, Engine.FIO})


class Workload(Record):
    """One loop: ``jobs`` workers, each with ``queue_depth`` operations of ``block_size_bytes`` in flight.

    The workload runs on each of ``targets`` targets at the same time. With ``rate_per_s`` the loop is open: that many
    operations per second arrive on each target, for all its workers together, distributed as ``arrivals`` says.
    ``queue_depth`` is then the maximum in flight per worker, and further arrivals wait. Without a rate, both are None
    and the loop is closed: each queue is kept full.

    Operations that neither read nor trim are writes. With ``block_sizes`` operations have several sizes, and
    ``block_size_bytes`` is the largest. The test region has ``span_bytes`` from ``offset_bytes`` on (None: up to the
    end). If ``sync`` requests flushes, one follows after every ``flush_every`` writes of a worker. After
    ``burst_operations`` a worker waits for the last of them to complete, and then pauses for ``think_ns``. With a duty
    cycle, each worker submits for ``on_ns`` and then nothing for ``off_ns``, on a grid from the start of the warm-up.

    Random data is compressible by ``compressible_percent``, and ``duplicates_percent`` of the writes repeat data that
    was written before. With ``verify`` each written sector identifies itself, and the target is read back.
    ``write_cache`` is the setting of the drives' volatile write caches; None leaves them as they are.
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
    write_cache: WriteCache | None = None
    on_ns: int | None = Field(default=None, ge=1)
    off_ns: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.rate_per_s is None) != (self.arrivals is None):
            message = "rate_per_s and arrivals must be specified together"
            raise ValueError(message)
        if (self.burst_operations is None) != (self.think_ns is None):
            message = "burst_operations and think_ns must be specified together"
            raise ValueError(message)
        if (self.on_ns is None) != (self.off_ns is None):
            message = "on_ns and off_ns must be specified together"
            raise ValueError(message)
        return self

    @property
    def is_open_loop(self) -> bool:
        """Whether operations arrive at a rate, independent of completions."""
        return self.rate_per_s is not None

    @property
    def has_pauses(self) -> bool:
        """Whether nothing is submitted at times: between bursts, or in the off-times of a duty cycle."""
        return self.burst_operations is not None or self.on_ns is not None

    def submits_at(self, time_ns: int) -> bool:
        """Whether operations are submitted at a time from the start of the warm-up: always, without a duty cycle."""
        return self.on_ns is None or self.off_ns is None or time_ns % (self.on_ns + self.off_ns) < self.on_ns

    def submitting_ns(self, time_ns: int) -> int:
        """The time in which operations are submitted, of the first ``time_ns``: its on-times if it has a duty cycle."""
        if self.on_ns is None or self.off_ns is None:
            return time_ns
        periods, rest_ns = divmod(time_ns, self.on_ns + self.off_ns)
        return periods * self.on_ns + min(rest_ns, self.on_ns)

    def time_to_submit_ns(self, submitting_ns: int) -> int:
        """The time after which operations were submitted for ``submitting_ns``."""
        if self.on_ns is None or self.off_ns is None:
            return submitting_ns
        return submitting_ns + max(submitting_ns - 1, 0) // self.on_ns * self.off_ns

    @property
    def rate_per_s_all(self) -> int | None:
        """Arrivals per second over all targets; None in a closed loop."""
        return None if self.rate_per_s is None else self.rate_per_s * self.targets

    @property
    def operations_in_flight(self) -> int:
        """The requested queue depth over all workers and targets."""
        return self.queue_depth * self.jobs * self.targets

    @property
    def operations_in_flight_each(self) -> int:
        """The requested queue depth on each target."""
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
    def percents(self) -> dict[Operation, int]:
        """The requested percentage of reads, writes and trims."""
        return {
            Operation.READ: self.read_percent,
            Operation.WRITE: self.write_percent,
            Operation.TRIM: self.trim_percent,
        }

    @property
    def only_operation(self) -> Operation | None:
        """``read``, ``write`` or ``trim`` for a pure workload, None for a mix."""
        return next((operation for operation, percent in self.percents.items() if percent == ALL_READS), None)

    @property
    def subject(self) -> Operation:
        """The operation that it measures: commits if each write is flushed, the only operation, or all."""
        return Operation.COMMIT if self.flushes_each else self.only_operation or Operation.ALL

    @property
    def pure_reads(self) -> Self:
        """The same workload with reads only. It has no keys that apply to writes alone: flushes and verification."""
        return self.model_copy(update={"read_percent": ALL_READS, "sync": Sync.NONE, "flush_every": 1, "verify": False})

    @property
    def flushes_each(self) -> bool:
        """Whether each write has its own flush, so that commits are its subject."""
        return self.sync is Sync.FDATASYNC and self.flush_every == 1

    def poll_through(self, engine: Engine, asked: Poll) -> Poll:
        """The completion mode if ``asked`` is requested. Only engines that use io_uring can poll.

        A ring that polls the device supports neither fdatasync nor trim.
        """
        refused = asked is Poll.IOPOLL and (self.sync is Sync.FDATASYNC or self.trim_percent > 0)
        return asked if engine in _POLLING and not refused else Poll.INTERRUPT

    @property
    def write_percent(self) -> int:
        """The share of writes in percent."""
        return ALL_READS - self.read_percent - self.trim_percent

    @property
    def changes(self) -> bool:
        """Whether any operation changes the target: a write or a trim."""
        return self.read_percent < ALL_READS

    @property
    def is_usual(self) -> bool:
        """Whether it reads or writes blocks of one size on the whole test region without pauses or trims.

        The write cache of the drive is as it was.
        """
        unusual = (self.trim_percent, self.block_sizes, self.offset_bytes, self.span_bytes, self.has_pauses)
        return self.write_cache is None and not any(unusual) and self.flush_every == 1

    @property
    def size_text(self) -> str:
        """The block size or sizes as text."""
        return exact_size(self.block_size_bytes) if self.block_sizes is None else str(self.block_sizes)

    @property
    def bytes_per_operation(self) -> float:
        """The mean number of bytes per operation."""
        return self.block_size_bytes if self.block_sizes is None else self.block_sizes.mean_bytes()

    def asked_operations(self) -> tuple[Operation, ...]:
        """The requested operations. A cell in which one of them never completed has failed."""
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
    """The duration of a cell. A cell with ``amount_bytes`` ends when each target has transferred that amount.

    With ``limit_ns`` it ends after that measurement time at the latest.
    After each multiple of ``decide_ns`` of measurement time, a multiple of the interval, it is decided whether the cell
    goes on. A cell that was ended by a decision has finished.
    ``done_bytes`` is the part of it that earlier sessions have transferred on each target, and that is not repeated.
    ``idle_ns`` is the time for which the targets are left idle before each trial; ``lasts_ns`` does not include it.
    """

    warmup_ns: int = Field(ge=0)
    measure_ns: int = Field(ge=0)
    interval_ns: int = Field(ge=0)
    amount_bytes: int | None = None
    limit_ns: int | None = Field(default=None, ge=1)
    decide_ns: int | None = Field(default=None, ge=1)
    done_bytes: int = Field(default=0, ge=0)
    idle_ns: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.limit_ns is not None and self.amount_bytes is None:
            message = "limit_ns needs amount_bytes"
            raise ValueError(message)
        if self.decide_ns is not None and self.decide_ns % max(self.interval_ns, 1):
            message = "decide_ns must be a multiple of interval_ns"
            raise ValueError(message)
        return self

    @property
    def longest_ns(self) -> int | None:
        """The longest time from start to end, with the warm-up; None if only an amount ends the cell."""
        return self.lasts_ns if self.amount_bytes is None else self.limit_ns

    @property
    def lasts_ns(self) -> int:
        """Warm-up plus measurement time, unless an amount ends the cell."""
        return self.warmup_ns + self.measure_ns

    @property
    def left_bytes(self) -> int | None:
        """The part of the amount that is left to transfer on each target; None without an amount."""
        return None if self.amount_bytes is None else self.amount_bytes - self.done_bytes

    @property
    def text(self) -> str:
        """The duration as text: ``1.0 s warm-up + 5.0 s``, ``until 8 GiB are transferred``."""
        idle = f"{exact_duration(self.idle_ns)} idle + " if self.idle_ns else ""
        if self.amount_bytes is not None:
            limit = f", at most {exact_duration(self.limit_ns)}" if self.limit_ns else ""
            return f"{idle}until {exact_size(self.amount_bytes)} are transferred{limit}"
        return f"{idle}{exact_duration(self.warmup_ns)} warm-up + {exact_duration(self.measure_ns)}"
