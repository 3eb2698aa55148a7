"""What is asked of a target: workloads, their timing, and the plan that orders them."""

from typing import Self

from pydantic import Field, model_validator

from iosonde.records.base import Record
from iosonde.vocabulary import Access, Arrivals, Data, Experiment, Operation, Sync

ALL_READS = 100


class Workload(Record):
    """One loop: ``jobs`` workers, each with ``queue_depth`` operations of ``block_size_bytes`` in flight.

    All of it happens on each of ``targets`` targets at the same time. With ``rate_per_s`` the loop is open: that many
    operations a second are wanted on each target, by all its workers together, following each other as ``arrivals``
    says; ``queue_depth`` is then the most that a worker has in flight, and what has no place waits. Without a rate,
    both are None and the loop is closed: each queue is kept full.
    """

    pattern: Access
    read_percent: int = Field(ge=0, le=ALL_READS)
    block_size_bytes: int = Field(ge=0)
    queue_depth: int = Field(ge=0)
    sync: Sync = Sync.NONE
    jobs: int = Field(default=1, ge=0)
    data: Data = Data.RANDOM
    targets: int = Field(default=1, ge=0)
    rate_per_s: int | None = Field(default=None, ge=1)
    arrivals: Arrivals | None = None

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.rate_per_s is None) != (self.arrivals is None):
            message = "a rate and how its arrivals follow each other go together"
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
        return self.read_percent < ALL_READS

    def asked_operations(self) -> tuple[Operation, ...]:
        """The directions that this workload asks for; a cell in which one of them completed nothing has failed."""
        asked = []
        if self.reads:
            asked.append(Operation.READ)
        if self.writes:
            asked.append(Operation.WRITE)
            if self.sync is Sync.FDATASYNC:
                asked.extend((Operation.FLUSH, Operation.COMMIT))
        return tuple(asked)


class Timing(Record):
    """How long a cell lasts. A cell with ``amount_bytes`` ends when that much was moved on each target instead."""

    warmup_ns: int = Field(ge=0)
    measure_ns: int = Field(ge=0)
    interval_ns: int = Field(ge=0)
    amount_bytes: int | None = None


class CellPlan(Record):
    """A cell before it is measured; ``experiments`` are all that read their figures from it."""

    cell: str
    experiments: tuple[Experiment, ...]
    workload: Workload
    timing: Timing


class CellTurn(Record):
    """One measurement in the order of a run: which cell, which repeat, with which seed."""

    order: int
    cell: str
    repeat: int
    seed: int


class Plan(Record):
    """A checked campaign: the cells, and the turns in which they are measured. ``span_bytes`` is of each target."""

    profile: str
    quick: bool
    seed: int
    repeats: int
    span_bytes: int
    fill: CellPlan | None
    cells: tuple[CellPlan, ...]
    turns: tuple[CellTurn, ...]
