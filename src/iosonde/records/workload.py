"""What is asked of a target: workloads, their timing, and the plan that orders them."""

from pydantic import Field

from iosonde.records.base import Record
from iosonde.vocabulary import Access, Data, Experiment, Operation, Sync

ALL_READS = 100


class Workload(Record):
    """One closed loop: ``jobs`` workers, each with ``queue_depth`` operations of ``block_size_bytes`` in flight.

    All of it happens on each of ``targets`` targets at the same time.
    """

    pattern: Access
    read_percent: int = Field(ge=0, le=ALL_READS)
    block_size_bytes: int = Field(ge=0)
    queue_depth: int = Field(ge=0)
    sync: Sync = Sync.NONE
    jobs: int = Field(default=1, ge=0)
    data: Data = Data.RANDOM
    targets: int = Field(default=1, ge=0)

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
