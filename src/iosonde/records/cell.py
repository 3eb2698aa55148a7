"""What one measurement of one cell gave, and how far its source vouches for it."""

from typing import TypeVar

from pydantic.dataclasses import dataclass

from iosonde.records.base import COMPACT, Record
from iosonde.records.engine_facts import EngineFacts, FioFacts, SourceFacts
from iosonde.records.interval import IntervalRecord, OperationTotals, Times
from iosonde.records.verification import Verification
from iosonde.records.workload import Timing, Workload
from iosonde.vocabulary import Experiment, FailureKind, FaultKind, Operation, Outcome, Provenance


class Fault(Record):
    """Operations on a target that went wrong in the same way; ``errno`` is 0 for a short transfer.

    ``offset_bytes_first`` is None where the engine does not tell it.
    """

    kind: FaultKind
    operation: Operation
    errno: int
    errno_name: str
    count: int
    offset_bytes_first: int | None = None
    target: int = 0


class Failure(Record):
    """Why a cell failed. ``message`` is a sentence."""

    kind: FailureKind
    message: str
    errno: int | None = None
    offset_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class SlowIo:
    """One of the slowest operations of a cell; ``target`` is its place among the targets, from 0."""

    operation: Operation
    latency_ns: int
    reap_ns: int
    offset_bytes: int
    length_bytes: int
    target: int = 0


class Censored(Record):
    """What was in flight when measuring ended: how many, how old then, and how long the longest took in the end.

    ``waiting_age_ns_max`` is how long the oldest operation had been wanted by then that the queue had no place for: 0
    where none waited, None in a closed loop. Of such operations nothing else is known; they were never submitted.
    """

    count: int
    age_ns_min: int
    age_ns_max: int
    latency_ns_max: int
    waiting_age_ns_max: int | None = None


class ThreadCpu(Record):
    """CPU time and context switches of one worker thread over the measuring window.

    ``migrations`` is how often it was moved to another CPU since its start, warm-up included; None where nobody knows.
    """

    worker: int
    cpu_pinned: int | None
    user_ns: int
    system_ns: int
    switches_voluntary: int
    switches_involuntary: int
    migrations: int | None = None


class CpuUse(Record):
    """CPU time over the measuring window, by worker and for the whole engine process (kernel workers included).

    ``kernel_workers_ns`` is that of the kernel's threads that io_uring handed operations to, and ``sqpoll_threads_ns``
    that of its submission threads; None for other engines. Older records have the sum of both in the first.
    """

    threads: tuple[ThreadCpu, ...]
    process_user_ns: int
    process_system_ns: int
    kernel_workers_ns: int | None = None
    sqpoll_threads_ns: int | None = None
    steal_ns: int


class ClockPair(Record):
    """One moment on three clocks: the engine's, the wall's (since 1970), and the undisciplined hardware clock."""

    engine_ns: int
    wall_ns: int
    raw_ns: int


class ShareTotals(Record):
    """What one class of operations gave on one target."""

    count: int
    bytes: int
    latency_ns_sum: int
    latency_ns_max: int


class TargetShare(Record):
    """What one target gave while it was measured, in the order of the run's targets."""

    in_flight_ns: int | None = None
    backlog_ns: int | None = None
    operations: dict[Operation, ShareTotals]


class RequestCounts(Record):
    """What the kernel counted of one class of requests at a device.

    ``merged`` requests became part of another one, so that ``count`` and ``merged`` together are what was asked for.
    ``request_ns`` is the time from when requests began to their completions, added up, in whole milliseconds.
    """

    count: int
    merged: int
    bytes: int
    request_ns: int


class DeviceCounts(Record):
    """What the kernel counted at one device while a cell was measured, whoever asked for it.

    ``targets`` are those on the device, by their numbers in the run. ``by_request`` says whether times are those of
    requests; other devices count in ticks of the kernel's timer. ``trim`` are discards.
    """

    device: str
    targets: tuple[int, ...]
    by_request: bool
    elapsed_ns: int
    read: RequestCounts
    write: RequestCounts
    trim: RequestCounts
    flush: RequestCounts


class DriveHealth(Record):
    """What a simulated drive says of itself, counted since it was made; 0 where its model has no such mechanism."""

    host_read_bytes: int
    host_written_bytes: int
    media_written_bytes: int
    erases: int
    wear_percent: int
    temperature_celsius: int
    throttled_ns: int


class DriveState(Record):
    """A simulated drive after a cell. Two drives with one ``state_hash`` do the same from then on."""

    state_hash: str
    health: DriveHealth


class Neighbour(Record):
    """Another run of iosonde that was at work on the same device: its engine's process number, and the device."""

    process: int
    device: str


class WithinRepeat(Record):
    """What one repeat says of itself, by its intervals.

    ``throughput_error`` and ``latency_error`` (of the mean) are standard errors as shares of the figure, and
    ``beyond_error`` is that of the share of operations beyond the repeat's own p99 (None where fewer than 10 lie
    there). ``effective`` is how many independent intervals would tell the throughput as well, and ``correlation`` is
    that between the means of neighbouring batches. ``warm_up_ns`` is when throughput had settled, from the start of the
    warm-up; ``settled`` is false where it still moved while it was measured. ``geweke`` is how far its start lay from
    its last half, in standard errors; None where the last half is worth too few values.
    """

    throughput_error: float
    latency_error: float
    beyond_error: float | None
    effective: float
    correlation: float
    warm_up_ns: int
    settled: bool
    geweke: float | None


class CellRecord(Record):
    """One measurement of one cell, or of one of its streams: each stream of a trial has a record of its own.

    ``stream`` is the name of the stream, empty where it is the only one. What is known of the trial as a whole (CPU,
    clocks, devices, drives, verification) stands in the record of its first stream.

    ``operations`` are the measured totals: the sum of the intervals whose phase is ``measure``.
    ``warmup`` are those of the warm-up. ``intervals`` may be left out where only totals are wanted.
    ``targets`` is what each of several targets gave; their sums are those of ``operations``.
    ``reap_granularity`` is the time from one look of a worker at what had come back to the next, in rounds in which it
    did not wait: how much later than it came a completion may have been stamped. One round in 64 is timed; None where a
    call to the kernel is the operation itself, and in virtual time.
    ``sweep_ns_max`` is the longest look at what had come back that was timed: all that a look finds has one stamp,
    behind it. ``backlog_ns`` is that of the intervals. ``devices`` is what the kernel counted meanwhile at the devices
    below the targets, where they are known; another engine's cells have none.
    ``neighbours`` are other runs that were seen on the same device meanwhile. ``drives`` is what simulated drives were
    like afterwards, in the order of the run's targets; ``cpu`` is None in their time, which costs nobody any.

    ``verification`` is what reading each target back has shown afterwards, where that was asked for.

    ``within`` is what its intervals say of it, where there are enough of them. ``host`` is the place of the host that
    measured it among those of the run, from 0.

    A source that does not know some of this leaves it None: a cell whose run was killed has its intervals and their
    totals, and nothing that is written down at a cell's end.
    """

    cell: str
    stream: str = ""
    experiments: tuple[Experiment, ...]
    repeat: int
    order: int
    round: int | None = None
    seed: int
    provenance: Provenance = Provenance.MEASURED
    workload: Workload
    timing: Timing
    outcome: Outcome
    failure: Failure | None
    measured_ns: int
    in_flight_ns: int | None = None
    backlog_ns: int | None = None
    operations: dict[Operation, OperationTotals]
    warmup: dict[Operation, OperationTotals]
    targets: tuple[TargetShare, ...] = ()
    censored: Censored | None = None
    slowest: tuple[SlowIo, ...] = ()
    faults: tuple[Fault, ...] = ()
    intervals_merged: int = 0
    reap_granularity: Times | None = None
    sweep_ns_max: int | None = None
    devices: tuple[DeviceCounts, ...] = ()
    cpu: CpuUse | None = None
    clock_start: ClockPair | None = None
    clock_end: ClockPair | None = None
    engine: SourceFacts | None = None
    neighbours: tuple[Neighbour, ...] = ()
    drives: tuple[DriveState, ...] = ()
    verification: tuple[Verification, ...] = ()
    within: WithinRepeat | None = None
    host: int = 0
    intervals: tuple[IntervalRecord, ...] = ()

    @property
    def is_preparation(self) -> bool:
        """Whether it prepared the targets, before anything was measured."""
        return self.order <= 0

    @property
    def is_silent(self) -> bool:
        """Whether it failed by nothing else than that something asked of it did not complete once in its time."""
        return self.failure is not None and self.failure.kind is FailureKind.NOTHING_COMPLETED

    @property
    def own_engine(self) -> EngineFacts | None:
        """What iosonde's own engine was granted; None where another program measured, and where nobody knows."""
        return self.engine if isinstance(self.engine, EngineFacts) else None

    @property
    def started_engine(self) -> EngineFacts | FioFacts | None:
        """What measured where iosonde started it, be it its own engine or fio."""
        return self.own_engine or self.by_fio

    @property
    def by_fio(self) -> FioFacts | None:
        """How fio measured; None where something else did."""
        return self.engine if isinstance(self.engine, FioFacts) else None

    @property
    def settled(self) -> bool:
        """Whether nothing is known of its figures still moving while they were measured."""
        return self.within is None or self.within.settled

    @property
    def queue_depth_achieved(self) -> float | None:
        """Operations in flight, averaged over the measured time; None where nobody measured it."""
        if self.in_flight_ns is None:
            return None
        return self.in_flight_ns / self.measured_ns if self.measured_ns else 0.0

    @property
    def queue_depth_device(self) -> float | None:
        """Operations in flight at the device, averaged over the measured time; None where nobody measured it.

        Without those that had completed and that the engine had not taken yet.
        """
        return device_depth(self.in_flight_ns, self.backlog_ns, self.measured_ns)

    @property
    def queue_depth_kept(self) -> float | None:
        """The depth that figures belong to: that at the device, or the achieved one where only the host's is known."""
        return depth_kept(self.queue_depth_achieved, self.queue_depth_device)

    @property
    def cpu_workers_ns(self) -> int | None:
        """CPU time of the worker threads, user and system; None where nobody measured it."""
        if self.cpu is None or not self.cpu.threads:
            return None
        return sum(thread.user_ns + thread.system_ns for thread in self.cpu.threads)


_Depth = TypeVar("_Depth")


def depth_kept(achieved: _Depth | None, device: _Depth | None) -> _Depth | None:
    """The depth that figures belong to: that at the device, or the achieved one where only the host's is known."""
    return achieved if device is None else device


def device_depth(in_flight_ns: int | None, backlog_ns: int | None, elapsed_ns: int) -> float | None:
    """The mean number of operations in flight that had not completed; None where one of the two is not known.

    The backlog is an estimate, and may come out above what was in flight where that was nearly all of it.
    """
    if in_flight_ns is None or backlog_ns is None:
        return None
    return max(in_flight_ns - backlog_ns, 0) / elapsed_ns if elapsed_ns else 0.0


def check_histograms(cell: CellRecord) -> None:
    """Raises ValueError if a histogram of the totals does not hold one latency for each operation."""
    for totals_by_operation in (cell.operations, cell.warmup):
        for operation, totals in totals_by_operation.items():
            held = sum(totals.latency.count)
            if held != totals.count:
                message = f"{cell.cell}: {totals.count} {operation} operations, and {held} latencies in their histogram"
                raise ValueError(message)
