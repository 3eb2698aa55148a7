"""The names that flags, fields, columns, charts and docs share. A leaf module that is fast to import."""

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


class ProcedureKind(StrEnum):
    """The kind of a standard procedure: one of the eight of the SNIA PTS, or any other that repeats rounds."""

    IOPS = "iops"
    THROUGHPUT = "throughput"
    LATENCY = "latency"
    WRITE_SATURATION = "write_saturation"
    HOST_IDLE_RECOVERY = "host_idle_recovery"
    CROSS_STIMULUS_RECOVERY = "cross_stimulus_recovery"
    COMPOSITE_BLOCK_SIZE = "composite_block_size"
    DEMAND_INTENSITY = "demand_intensity"
    ROUNDS = "rounds"


class Mode(StrEnum):
    """The mode of a SNIA procedure: its write cache, active range and demand."""

    ENTERPRISE = "enterprise"
    CLIENT = "client"


class PhaseRole(StrEnum):
    """What a phase is for; ``screening`` are short rounds of tracking variables, ``stimulus`` a long workload."""

    PRECONDITIONING = "preconditioning"
    ROUNDS = "rounds"
    SCREENING = "screening"
    SATURATION = "saturation"
    HISTOGRAM = "histogram"
    STIMULUS = "stimulus"
    IDLE_RECOVERY = "idle_recovery"
    BASELINE = "baseline"
    OPERATING_POINTS = "operating_points"


class PurgeState(StrEnum):
    """How far a purge is known to have happened; ``simulated`` drives were put back to their fresh state."""

    VERIFIED = "verified"
    SIMULATED = "simulated"
    FAILED = "failed"
    SKIPPED = "skipped"


class SampleOf(StrEnum):
    """Which sample of a block is judged."""

    FIRST = "first"
    LAST = "last"


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


class Phase(StrEnum):
    """The warm-up is recorded but is in no result. Results are from the measurement only."""

    WARMUP = "warmup"
    MEASURE = "measure"


class FrequencySource(StrEnum):
    """Where the frequency of a CPU comes from: the kernel's frequency driver, or ``/proc/cpuinfo``.

    In a virtual machine, ``/proc/cpuinfo`` usually has the nominal frequency of the host.
    """

    CPUFREQ = "cpufreq"
    CPUINFO = "cpuinfo"


class Quantity(StrEnum):
    """A measured quantity, named like its column, with the unit at the end."""

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
        """The percentile; None for a mean."""
        _, found, digits = self.value.partition("_p")
        return float(digits.replace("_", ".")) if found and digits[:1].isdigit() else None


def percentile_quantity(percent: float) -> Quantity | None:
    """The quantity of a latency percentile; None for a percentile that has no column."""
    return next((each for each in Quantity if each.percent == percent), None)


class Provenance(StrEnum):
    """The origin of a value."""

    MEASURED = "measured"
    PRINTED = "printed"
    DERIVED = "derived"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How a trial ended: as planned, interrupted (its intervals are kept), or failed."""

    FINISHED = "finished"
    CUT = "cut"
    FAILED = "failed"


class DiscardReason(StrEnum):
    """The fate of a repeat: it is ``used``, or discarded for a reason.

    ``contaminated``: another run of iosonde used the same device. ``steal``: the hypervisor gave CPU time of this
    machine to other guests. ``initial_state``: the target was still in its initial state. ``warming_up``: the warm-up
    was too short. ``outside_window``: a round of a standard procedure that is not in its measurement window. ``failed``
    and ``interrupted`` repeats have no results. A repeat in which nothing completed is used,
    with a throughput of 0, if operations completed in other repeats of its cell.
    """

    USED = "used"
    CONTAMINATED = "contaminated"
    STEAL = "steal"
    INITIAL_STATE = "initial_state"
    WARMING_UP = "warming_up"
    OUTSIDE_WINDOW = "outside_window"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class FaultKind(StrEnum):
    """An operation failed with an error, transferred less than requested, or was submitted again."""

    ERROR = "error"
    SHORT = "short"
    RETRY = "retry"


class FailureKind(StrEnum):
    """Why a command was refused, or a cell failed.

    Most are reported by the engine. ``nothing_completed``: a requested operation never completed in the measurement
    time, without an error. ``short`` and ``contradiction`` are for cells measured by fio: it ended early without an
    error, or its counts contradict each other. ``nothing`` is ``nothing_completed`` in older records of such cells.
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
    GONE = "gone"
    STUCK = "stuck"
    NOTHING_COMPLETED = "nothing_completed"
    LIMIT = "limit"
    LEDGER = "ledger"
    PURGE_REFUSED = "purge_refused"
    CACHE_REFUSED = "cache_refused"
    IO = "io"
    SHORT = "short"
    CONTRADICTION = "contradiction"
    NOTHING = "nothing"


class PurgeMethod(StrEnum):
    """A way to purge a device: a discard, or a command of the drive.

    hdparm carries out those of ATA drives, and sg3_utils those of SCSI drives.
    """

    DISCARD = "discard"
    FORMAT = "format"
    CRYPTO_FORMAT = "crypto-format"
    SANITIZE_BLOCK = "sanitize-block"
    SANITIZE_CRYPTO = "sanitize-crypto"
    SANITIZE_OVERWRITE = "sanitize-overwrite"
    ATA_SECURE_ERASE = "ata-secure-erase"
    ATA_ENHANCED_ERASE = "ata-enhanced-erase"
    SCSI_SANITIZE_BLOCK = "scsi-sanitize-block"
    SCSI_SANITIZE_CRYPTO = "scsi-sanitize-crypto"
    SCSI_SANITIZE_OVERWRITE = "scsi-sanitize-overwrite"
    SCSI_FORMAT = "scsi-format"


class PurgeOutcome(StrEnum):
    """What became of a purge.

    ``purged``: the drive reports success, and nothing that was there before was read again. ``not-purged``: it failed
    or did not finish, or data survived that it had to erase. ``not-verified``: the drive reports success, and reading
    back does not confirm it.
    """

    PURGED = "purged"
    NOT_PURGED = "not-purged"
    NOT_VERIFIED = "not-verified"


class DamageKind(StrEnum):
    """The damage of a block that was read back.

    ``lost``: it has no data of this run. ``stale``: it has an older write of this run. ``torn``: its sectors are from
    different writes. ``misplaced``: its data belongs elsewhere. ``corrupt``: it was changed, so its checksum is wrong.
    ``unreadable``: it could not be read.
    """

    LOST = "lost"
    STALE = "stale"
    TORN = "torn"
    MISPLACED = "misplaced"
    CORRUPT = "corrupt"
    UNREADABLE = "unreadable"


class ListOrder(StrEnum):
    """The order of a list: newest or best first, or names in alphabetical order."""

    STARTED = "started"
    IOPS = "iops"
    LATENCY = "latency"
    DURATION = "duration"
    PATH = "path"


class Paper(StrEnum):
    """The page size of a printed report."""

    A4 = "a4"
    LETTER = "letter"


class ExportFormat(StrEnum):
    """The export formats of a run. ``archive`` is a single file, which iosonde reads like the run directory."""

    ARCHIVE = "archive"
