"""The words of results: quantities, outcomes, and what went wrong."""

from enum import StrEnum


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
    was too short. ``outside_window``: a round of a standard procedure that is not in its measurement window.
    ``earlier_phase``: one in the window of a phase before the last one that measured the cell. ``failed`` and
    ``interrupted`` repeats have no results. A repeat in which nothing completed is used, with a throughput of 0, if
    operations completed in other repeats of its cell.
    """

    USED = "used"
    CONTAMINATED = "contaminated"
    STEAL = "steal"
    INITIAL_STATE = "initial_state"
    WARMING_UP = "warming_up"
    OUTSIDE_WINDOW = "outside_window"
    EARLIER_PHASE = "earlier_phase"
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
