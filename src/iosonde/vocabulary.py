"""The words that flags, fields, columns, charts and docs share. A leaf: it costs nothing to import."""

from enum import StrEnum


class Access(StrEnum):
    """Where the next block lies."""

    RANDOM = "random"
    SEQUENTIAL = "sequential"


class Sync(StrEnum):
    """When a write counts as done: at once, after an fdatasync of its own, or as an O_DSYNC write."""

    NONE = "none"
    FDATASYNC = "fdatasync"
    DSYNC = "dsync"


class Data(StrEnum):
    """What writes carry: random bytes, half random and half zeros (compresses two to one), or zeros."""

    RANDOM = "random"
    COMPRESSIBLE = "compressible"
    ZEROS = "zeros"


class Arrivals(StrEnum):
    """How the operations of an open loop come: independently of each other (a Poisson process), or evenly spaced."""

    POISSON = "poisson"
    CONSTANT = "constant"


class LatencyKind(StrEnum):
    """Where a latency begins: at the submission of an operation, or at the moment at which it was wanted.

    In a closed loop nothing is wanted at a moment, so that there is service latency only.
    """

    SERVICE = "service"
    RESPONSE = "response"


class Engine(StrEnum):
    """How I/O reaches the target. ``null`` reaches nothing: it completes at once, in process.

    ``nop`` goes through io_uring and does nothing there. ``passthrough`` hands commands of NVMe to a drive's driver,
    and only reads. ``simulation`` reaches a simulated drive, in virtual time. ``fio`` is another program: the same
    cells, measured by a second hand.
    """

    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"
    NOP = "nop"
    PASSTHROUGH = "passthrough"
    SIMULATION = "simulation"
    FIO = "fio"


class SourceKind(StrEnum):
    """Who measured: iosonde's own engine, fio that iosonde started, or another tool whose result was imported."""

    IOSONDE = "iosonde"
    FIO = "fio"
    IMPORT = "import"


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
    MATRIX = "matrix"
    PROBE = "probe"
    FILL = "fill"


class EngineChoice(StrEnum):
    """What the user asked for; ``auto`` leaves it to iosonde, which says what it took."""

    AUTO = "auto"
    IO_URING = "io_uring"
    PSYNC = "psync"
    NULL = "null"
    NOP = "nop"
    PASSTHROUGH = "passthrough"
    SIMULATION = "simulation"
    FIO = "fio"


class Poll(StrEnum):
    """How io_uring finds out what is done: the device interrupts, or is asked again and again (``iopoll``).

    With ``sqpoll`` a thread of the kernel looks for what is handed over, and the device interrupts.
    """

    INTERRUPT = "interrupt"
    IOPOLL = "iopoll"
    SQPOLL = "sqpoll"


class Phase(StrEnum):
    """Warm-up is recorded and not counted; measure is what the figures come from."""

    WARMUP = "warmup"
    MEASURE = "measure"


class Quantity(StrEnum):
    """What a figure is of, under the name of its column, which ends in its unit."""

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
        """The percentile that it is; None for a mean."""
        _, found, digits = self.value.partition("_p")
        return float(digits.replace("_", ".")) if found and digits[:1].isdigit() else None


class Provenance(StrEnum):
    """What kind of number the quantities of a cell are."""

    MEASURED = "measured"
    PRINTED = "printed"
    DERIVED = "derived"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How a cell ended: as planned, broken off (its intervals are kept), or without what was asked."""

    FINISHED = "finished"
    CUT = "cut"
    FAILED = "failed"


class Fate(StrEnum):
    """What becomes of a repeat: its figures are ``used``, or it is discarded, and why.

    ``contaminated``: another run of iosonde was at work on the same device. ``steal``: the hypervisor gave CPU time of
    this machine to others. ``initial_state``: the target left a first state behind it. ``warming_up``: its warm-up was
    too short. ``failed`` and ``interrupted`` repeats have no figures. A repeat in which nothing completed is used, with
    a throughput of 0, where others of its cell completed something.
    """

    USED = "used"
    CONTAMINATED = "contaminated"
    STEAL = "steal"
    INITIAL_STATE = "initial_state"
    WARMING_UP = "warming_up"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class FaultKind(StrEnum):
    """An error ended an operation; a short transfer moved too little; a retry was submitted again."""

    ERROR = "error"
    SHORT = "short"
    RETRY = "retry"


class FailureKind(StrEnum):
    """Why a command was refused, or a cell failed.

    Most are the engine's words. ``nothing_completed``: what was asked did not complete once in the measured time, and
    without an error. ``short`` and ``contradiction`` are of cells that fio measured: it ended early without an error,
    or its counts can't all be true. ``nothing`` is how older records of such cells say that nothing completed.
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
    """What is wrong with a block that was read back.

    It holds nothing of the run, or an older write of it; its sectors are not of one write; it holds what belongs
    elsewhere; it was changed, so that a checksum does not fit; or it can't be read.
    """

    LOST = "lost"
    STALE = "stale"
    TORN = "torn"
    MISPLACED = "misplaced"
    CORRUPT = "corrupt"
    UNREADABLE = "unreadable"


class ListOrder(StrEnum):
    """What a listing is sorted by: time and figures best first, names from the first letter on."""

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
    """The forms in which other hands take a run. ``archive`` is one file, which iosonde reads like the directory."""

    ARCHIVE = "archive"
