"""The enumerations that flags, fields, columns, charts and docs share. Imports no other module of iosonde."""

from enum import StrEnum


class Access(StrEnum):
    """The position of the next block: random or sequential."""

    RANDOM = "random"
    SEQUENTIAL = "sequential"


class Sync(StrEnum):
    """When a write is complete: on its own completion, after an fdatasync, or as an O_DSYNC write."""

    NONE = "none"
    FDATASYNC = "fdatasync"
    DSYNC = "dsync"


class Data(StrEnum):
    """The data of writes: random bytes, half random and half zeros (compresses 2:1), or zeros."""

    RANDOM = "random"
    COMPRESSIBLE = "compressible"
    ZEROS = "zeros"


class Arrivals(StrEnum):
    """The arrivals of an open loop: a Poisson process, or evenly spaced."""

    POISSON = "poisson"
    CONSTANT = "constant"


class LatencyKind(StrEnum):
    """The start of a latency: the submission of an operation (service), or its intended start (response).

    A closed loop has no intended starts, so it has service latency only.
    """

    SERVICE = "service"
    RESPONSE = "response"


class Engine(StrEnum):
    """How I/O reaches the target. ``null`` does no I/O: operations complete immediately, in process.

    ``nop`` submits no-ops to io_uring. ``passthrough`` sends NVMe commands to the driver, and only reads.
    ``simulation`` uses a simulated drive, in virtual time. ``fio`` is an independent program that measures the same
    cells.
    """

    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"
    NOP = "nop"
    PASSTHROUGH = "passthrough"
    SIMULATION = "simulation"
    FIO = "fio"


class SourceKind(StrEnum):
    """The source of a measurement: iosonde's own engine, fio started by iosonde, or the imported result of a tool."""

    IOSONDE = "iosonde"
    FIO = "fio"
    IMPORT = "import"


class Operation(StrEnum):
    """A class of operations with its own results.

    ``commit`` is a write and the flush after it, from the write's submission to the flush's completion.
    ``all`` is derived: the counts of reads, writes, trims and flushes are added (commits are not added again).
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
    MATRIX = "matrix"
    PROBE = "probe"
    FILL = "fill"


class EngineChoice(StrEnum):
    """The requested engine. With ``auto``, iosonde selects the engine and records which one."""

    AUTO = "auto"
    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"
    NOP = "nop"
    PASSTHROUGH = "passthrough"
    SIMULATION = "simulation"
    FIO = "fio"


class Poll(StrEnum):
    """How io_uring detects completions: by interrupts of the device, or by polling (``iopoll``).

    With ``sqpoll``, a kernel thread polls for submissions, and the device interrupts.
    """

    INTERRUPT = "interrupt"
    IOPOLL = "iopoll"
    SQPOLL = "sqpoll"


class Phase(StrEnum):
    """The phase of an interval: warm-up is recorded but not part of the results; ``measure`` is."""

    WARMUP = "warmup"
    MEASURE = "measure"


class Quantity(StrEnum):
    """A measured quantity, under the name of its column, which ends in its unit."""

    IOPS = "iops"
    BYTES_PER_S = "bytes_per_s"
    LATENCY_NS_MEAN = "latency_ns_mean"
    LATENCY_NS_P50 = "latency_ns_p50"
    LATENCY_NS_P90 = "latency_ns_p90"
    LATENCY_NS_P95 = "latency_ns_p95"
    LATENCY_NS_P99 = "latency_ns_p99"
    LATENCY_NS_P99_9 = "latency_ns_p99_9"
    LATENCY_NS_P99_99 = "latency_ns_p99_99"

    @property
    def percent(self) -> float | None:
        """The percentile of the quantity; None for a mean."""
        _, found, digits = self.value.partition("_p")
        return float(digits.replace("_", ".")) if found and digits[:1].isdigit() else None


class Provenance(StrEnum):
    """The origin of a cell's quantities."""

    MEASURED = "measured"
    PRINTED = "printed"
    DERIVED = "derived"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How a cell ended: as planned, interrupted (its intervals are kept), or failed."""

    FINISHED = "finished"
    CUT = "cut"
    FAILED = "failed"


class Fate(StrEnum):
    """Whether a repeat is ``used``, or why it is discarded.

    ``contaminated``: another run of iosonde used the same device. ``steal``: the hypervisor gave CPU time of this
    machine to other guests. ``initial_state``: the target was still in its initial state, which it left later.
    ``warming_up``: the warm-up was too short. ``failed`` and ``interrupted`` repeats have no results. A repeat in which
    no operation completed is used, with a throughput of 0, if operations completed in other repeats of its cell.
    """

    USED = "used"
    CONTAMINATED = "contaminated"
    STEAL = "steal"
    INITIAL_STATE = "initial_state"
    WARMING_UP = "warming_up"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class FaultKind(StrEnum):
    """An error ended an operation; a short transfer moved fewer bytes than requested; a retry was submitted again."""

    ERROR = "error"
    SHORT = "short"
    RETRY = "retry"


class FailureKind(StrEnum):
    """Why a command was refused, or a cell failed.

    Most come from the engine. ``nothing_completed``: no requested operation completed in the measurement time, without
    an error. ``short`` and ``contradiction`` are for cells measured by fio: it ended early without an error, or its
    counts are inconsistent. ``nothing`` is the name of ``nothing_completed`` in older records.
    """

    PROTOCOL = "protocol"
    NO_TARGET = "no_target"
    TARGET_OPEN = "target_open"
    TARGET_MISSING = "target_missing"
    TARGET_EXISTS = "target_exists"
    NOT_REGULAR = "not_regular"
    NOT_DEVICE = "not_device"
    DEVICE_WRITE = "device_write"
    NO_NAMESPACE = "no_namespace"
    NO_RIGHTS = "no_rights"
    NO_SPACE = "no_space"
    DIRECT_REFUSED = "direct_refused"
    ALIGNMENT_UNKNOWN = "alignment_unknown"
    BAD_JOB = "bad_job"
    BAD_MODEL = "bad_model"
    ENGINE_REFUSED = "engine_refused"
    HELD = "held"
    CHANGED = "changed"
    STUCK = "stuck"
    NOTHING_COMPLETED = "nothing_completed"
    LEDGER = "ledger"
    IO = "io"
    SHORT = "short"
    CONTRADICTION = "contradiction"
    NOTHING = "nothing"


class DamageKind(StrEnum):
    """The damage of a block that was read back.

    It contains no data of the run, or an older write; its sectors are from different writes; it contains the data of
    another block; its data was changed, so that a checksum does not match; or it can't be read.
    """

    LOST = "lost"
    STALE = "stale"
    TORN = "torn"
    MISPLACED = "misplaced"
    CORRUPT = "corrupt"
    UNREADABLE = "unreadable"


class ListOrder(StrEnum):
    """The order of a listing: latest or best first, names alphabetically."""

    STARTED = "started"
    IOPS = "iops"
    LATENCY = "latency"
    DURATION = "duration"
    PATH = "path"


class Paper(StrEnum):
    """The size of a printed report's pages."""

    A4 = "a4"
    LETTER = "letter"


class ExportFormat(StrEnum):
    """The export formats of a run. ``archive`` is one file, which iosonde reads like the directory."""

    ARCHIVE = "archive"
