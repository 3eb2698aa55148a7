"""What is measured and how: the words of workloads, engines and experiments."""

from enum import StrEnum


class Access(StrEnum):
    """The access pattern."""

    RANDOM = "random"
    SEQUENTIAL = "sequential"


class Sync(StrEnum):
    """When a write is complete: immediately, after its own fdatasync, or as an O_DSYNC write."""

    NONE = "none"
    FDATASYNC = "fdatasync"
    DSYNC = "dsync"


class WriteCache(StrEnum):
    """The volatile write cache of a drive: writes may complete before they are durable (on), or not (off)."""

    ON = "on"
    OFF = "off"


class Data(StrEnum):
    """The data of writes: random bytes, half random bytes and half zeros (compresses two to one), or zeros."""

    RANDOM = "random"
    COMPRESSIBLE = "compressible"
    ZEROS = "zeros"


class Arrivals(StrEnum):
    """The arrival process of an open loop: independent arrivals (Poisson), or evenly spaced ones."""

    POISSON = "poisson"
    CONSTANT = "constant"


class LatencyKind(StrEnum):
    """The start of a latency: the submission of an operation, or its intended start.

    A closed loop has no intended starts, so it has service time only.
    """

    SERVICE = "service"
    RESPONSE = "response"


class Engine(StrEnum):
    """How I/O reaches the target. ``null`` does no I/O: operations complete at once, in process.

    ``nop`` submits no-ops to io_uring. ``passthrough`` submits NVMe commands to the driver, and only reads.
    ``simulation`` uses a simulated drive, in virtual time. ``fio`` is another program that measures the same cells.
    """

    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"
    NOP = "nop"
    PASSTHROUGH = "passthrough"
    SIMULATION = "simulation"
    FIO = "fio"


class SourceKind(StrEnum):
    """The source of a result: iosonde's own engine, fio started by iosonde, or an import from another tool."""

    IOSONDE = "iosonde"
    FIO = "fio"
    IMPORT = "import"


class Operation(StrEnum):
    """An operation with its own results.

    ``commit`` is a write and the flush after it, from the write's submission to the flush's completion. ``all`` is the
    sum of reads, writes, trims and flushes (commits are not added again).
    """

    READ = "read"
    WRITE = "write"
    TRIM = "trim"
    FLUSH = "flush"
    COMMIT = "commit"
    ALL = "all"


class Experiment(StrEnum):
    """The experiment that a cell belongs to."""

    BASELINE = "baseline"
    BLOCK_SIZE = "block_size"
    MIX = "mix"
    QUEUE_DEPTH = "queue_depth"
    TAIL = "tail"
    SUSTAINED = "sustained"
    MATRIX = "matrix"
    PROBE = "probe"
    FILL = "fill"
    PROCEDURE = "procedure"


class Precondition(StrEnum):
    """How a target is written before it is measured.

    ``none``: not at all, so that a purged device is measured fresh out of the box. ``once``: every block, in order.
    ``independent``: in order, several times (SNIA: workload-independent preconditioning). ``random``: every block in
    order, then random writes. ``fast-random``: the modelled writes after which an empty drive is in random-write steady
    state.
    """

    NONE = "none"
    ONCE = "once"
    INDEPENDENT = "independent"
    RANDOM = "random"
    FAST_RANDOM = "fast-random"


class EngineChoice(StrEnum):
    """The requested engine. With ``auto``, iosonde selects the engine and reports it."""

    AUTO = "auto"
    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"
    NOP = "nop"
    PASSTHROUGH = "passthrough"
    SIMULATION = "simulation"
    FIO = "fio"


class Poll(StrEnum):
    """How io_uring detects completions: by interrupt, or by polling the device (``iopoll``).

    With ``sqpoll`` a kernel thread polls for submissions, and completions are by interrupt.
    """

    INTERRUPT = "interrupt"
    IOPOLL = "iopoll"
    SQPOLL = "sqpoll"


class OnError(StrEnum):
    """What happens after an operation failed: the trial ends, or goes on (fio: ``continue_on_error``)."""

    CONTINUE = "continue"
    STOP = "stop"
