"""What is asked of a target: workloads, their timing, and the plan that orders them."""

from enum import StrEnum

from pydantic import Field

from iosonde.records.base import Record


class Access(StrEnum):
    """Where the next block lies."""

    RANDOM = "random"
    SEQUENTIAL = "sequential"


class Sync(StrEnum):
    """When a write counts as done: at once, after an fdatasync of its own, or as an O_DSYNC write."""

    NONE = "none"
    FDATASYNC = "fdatasync"
    DSYNC = "dsync"


class Engine(StrEnum):
    """How I/O reaches the kernel. ``null`` reaches nothing: it completes at once, in process."""

    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"


class Operation(StrEnum):
    """A class of operations with figures of its own.

    ``commit`` is a write and the flush after it, from the write's submission to the flush's completion.
    ``all`` is derived: reads, writes, trims and flushes merged by adding counts (commits are not added again).
    """

    READ = "read"
    WRITE = "write"
    TRIM = "trim"
    FLUSH = "flush"
    COMMIT = "commit"
    ALL = "all"


class Experiment(StrEnum):
    """The question that a cell helps to answer."""

    BASELINE = "baseline"
    BLOCK_SIZE = "block_size"
    MIX = "mix"
    QUEUE_DEPTH = "queue_depth"
    TAIL = "tail"
    PROBE = "probe"
    FILL = "fill"


class Workload(Record):
    """One closed loop: ``queue_depth`` operations of ``block_size_bytes`` kept in flight."""

    pattern: Access
    read_percent: int = Field(ge=0, le=100)
    block_size_bytes: int = Field(gt=0)
    queue_depth: int = Field(gt=0)
    sync: Sync = Sync.NONE

    def asked_operations(self) -> tuple[Operation, ...]:
        """The directions that this workload asks for; a cell in which one of them completed nothing has failed."""
        asked = []
        if self.read_percent > 0:
            asked.append(Operation.READ)
        if self.read_percent < 100:
            asked.append(Operation.WRITE)
            if self.sync is Sync.FDATASYNC:
                asked.extend((Operation.FLUSH, Operation.COMMIT))
        return tuple(asked)


class Timing(Record):
    """How long a cell lasts. A cell with ``amount_bytes`` ends when that much was moved instead."""

    warmup_ns: int = Field(ge=0)
    measure_ns: int = Field(gt=0)
    interval_ns: int = Field(gt=0)
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
    """A checked campaign: the cells, and the turns in which they are measured."""

    profile: str
    quick: bool
    seed: int
    repeats: int
    span_bytes: int
    fill: CellPlan | None
    cells: tuple[CellPlan, ...]
    turns: tuple[CellTurn, ...]
