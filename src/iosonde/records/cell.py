"""The record of one trial of a cell."""

from typing import TypeVar

from pydantic.dataclasses import dataclass

from iosonde.records.base import COMPACT, Record
from iosonde.records.engine_facts import EngineFacts, FioFacts, SourceFacts
from iosonde.records.health import DriveState
from iosonde.records.interval import IntervalRecord, OperationTotals, Times
from iosonde.records.power import Power
from iosonde.records.verification import Verification
from iosonde.records.workload import Timing, Workload
from iosonde.vocabulary import Experiment, FailureKind, FaultKind, FrequencySource, Operation, Outcome, Provenance


class Fault(Record):
    """Operations on a target that failed in the same way. ``errno`` is 0 for a short transfer.

    ``offset_bytes_first`` is None if the engine does not report it.
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
class ProcessorPart:
    """What a CPU did around an operation besides running threads, in whole clock ticks (usually 10 ms).

    ``window_ns`` is the time between the two readings of the counters.
    """

    window_ns: int
    steal_ns: int
    interrupt_ns: int


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class HostPart:
    """What the host did around an operation, from the last reading of the counters before its submission.

    ``window_ns`` is the time from that reading to the end of the operation. ``run_delay_ns`` is the part of it in which
    the worker was runnable but not on a CPU. ``unpolled_ns`` is the time before the reaping poll, and after the
    submission, in which the worker neither waited for completions nor looked at them. ``processor`` is what its CPU
    did; None if the kernel does not report it. ``contended_ns`` are waits for a CPU of more than 0.5 ms in the second
    before the end: other threads used the worker's CPU, and may have delayed the kernel's own threads as well.
    """

    window_ns: int
    run_delay_ns: int
    switches_involuntary: int
    unpolled_ns: int
    contended_ns: int
    cpu: int
    processor: ProcessorPart | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class SlowIo:
    """One of the slowest operations of a cell.

    ``target`` is its index among the targets, from 0. ``host`` is None if the source does not report it.
    """

    operation: Operation
    latency_ns: int
    reap_ns: int
    offset_bytes: int
    length_bytes: int
    target: int = 0
    host: HostPart | None = None


class Censored(Record):
    """Operations in flight at the end of the measurement: their number, their ages then, and the longest final latency.

    ``waiting_age_ns_max`` is how long the oldest operation without a place in the queue had waited since its intended
    start: 0 if none waited, None in a closed loop. Such operations were never submitted, so nothing else is known.
    ``drain_ns`` is the time from the end of the measurement to the last completion; None if unknown.
    """

    count: int
    age_ns_min: int
    age_ns_max: int
    latency_ns_max: int
    waiting_age_ns_max: int | None = None
    drain_ns: int | None = None


class ThreadCpu(Record):
    """CPU time and context switches of one worker thread over the measurement time.

    ``migrations`` is the number of CPU migrations since its start, including the warm-up; None if unknown.
    """

    worker: int
    cpu_pinned: int | None
    user_ns: int
    system_ns: int
    switches_voluntary: int
    switches_involuntary: int
    migrations: int | None = None


class CpuFrequency(Record):
    """The frequency of the CPUs of the workers, read once a second and at both ends of the measurement time.

    The mean is that over all ``cpus`` and ``readings``. If the scheduler chooses the CPUs of the workers, they are all
    CPUs that it may choose.
    """

    source: FrequencySource
    cpus: int
    readings: int
    frequency_hz_mean: int
    frequency_hz_min: int
    frequency_hz_max: int


class CpuUse(Record):
    """CPU time over the measurement time, by worker and for the whole engine process (including io-wq workers).

    ``kernel_workers_ns`` is that of the io-wq workers of io_uring, and ``sqpoll_threads_ns`` that of the SQPOLL
    threads; None for other engines. Older records have the sum of both in the first. ``frequency`` is None if the
    kernel does not report it.
    """

    threads: tuple[ThreadCpu, ...]
    process_user_ns: int
    process_system_ns: int
    kernel_workers_ns: int | None = None
    sqpoll_threads_ns: int | None = None
    steal_ns: int
    frequency: CpuFrequency | None = None


class ClockPair(Record):
    """One time on three clocks: the engine's, the wall clock (since 1970), and the undisciplined hardware clock."""

    engine_ns: int
    wall_ns: int
    raw_ns: int


class ShareTotals(Record):
    """The totals of one operation on one target."""

    count: int
    bytes: int
    latency_ns_sum: int
    latency_ns_max: int


class TargetShare(Record):
    """The totals of one target over the measurement time, in the order of the run's targets."""

    in_flight_ns: int | None = None
    backlog_ns: int | None = None
    operations: dict[Operation, ShareTotals]


class RequestCounts(Record):
    """The kernel's counts of one kind of request at a device.

    ``merged`` requests became part of another one, so ``count`` plus ``merged`` requests were submitted.
    ``request_ns`` is the total time of requests from start to completion, in whole milliseconds.
    """

    count: int
    merged: int
    bytes: int
    request_ns: int


class DeviceCounts(Record):
    """The kernel's counts at one device over the measurement time, for all users of the device.

    ``targets`` are the indices of the targets on the device. ``by_request`` is true if times are those of requests;
    other devices count in ticks of the kernel timer. ``trim`` counts discards.
    """

    device: str
    targets: tuple[int, ...]
    by_request: bool
    elapsed_ns: int
    read: RequestCounts
    write: RequestCounts
    trim: RequestCounts
    flush: RequestCounts


class Neighbour(Record):
    """Another run of iosonde on the same device: the process number of its engine, and the device."""

    process: int
    device: str


class WithinRepeat(Record):
    """Within-repeat variation, estimated from the intervals of a repeat.

    ``throughput_error`` and ``latency_error`` (of the mean) are standard errors as shares of the value.
    ``beyond_error`` is the standard error of the share of operations above the repeat's own p99, None if fewer than 10
    are above it. ``effective`` is the equivalent number of independent intervals, and ``correlation`` is that between
    the means of adjacent batches. ``warm_up_ns`` is the time from the start of the warm-up until throughput settled;
    ``settled`` is false if it still moved during the measurement. ``geweke`` is the distance of the start from the last
    half in standard errors, None if the last half has too few effective values.
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
    """One trial of a cell, or of one of its streams: each stream of a trial has its own record.

    ``stream`` is the name of the stream, empty if it is the only one. Facts about the trial as a whole (CPU, clocks,
    devices, drives, power, verification) are in the record of its first stream.

    ``phase`` is the name of the phase in which a procedure measured the trial. ``round`` starts at 1 in each phase.

    ``operations`` are the measured totals: the sum of the intervals whose phase is ``measure``. ``warmup`` are those of
    the warm-up. ``intervals`` may be omitted if only totals are needed. ``targets`` are the totals of each of several
    targets; their sums are ``operations``.

    ``reap_granularity`` is the reap interval: the time from one completion-queue poll of a worker to the next, in loops
    in which it did not wait. A completion may be stamped this much too late. One loop in 64 is timed. None if a system
    call is the operation itself, and in virtual time. ``sweep_ns_max`` is the longest timed poll: all completions of a
    poll have one timestamp, taken after it. ``backlog_ns`` is the sum over the intervals.

    ``devices`` are the kernel's counts at the devices of the targets, if these are known; cells of other engines have
    none. ``neighbours`` are other runs that used the same device during the trial. ``drives`` are the disks below the
    targets, or the simulated drives in the order of the run's targets; for these ``cpu`` is None, because virtual time
    costs no CPU time. ``power`` has each source that was sampled. ``verification`` is the result of reading each target
    back after the trial, if requested. ``within`` is the within-repeat variation, if there are enough intervals.
    ``host`` is the index of the host that measured, from 0.

    Values that a source does not know are None. A cell of a killed run has its intervals and their totals, but none of
    the values that are recorded at the end of a cell.
    """

    cell: str
    stream: str = ""
    experiments: tuple[Experiment, ...]
    repeat: int
    order: int
    round: int | None = None
    phase: str | None = None
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
    power: tuple[Power, ...] = ()
    verification: tuple[Verification, ...] = ()
    within: WithinRepeat | None = None
    host: int = 0
    intervals: tuple[IntervalRecord, ...] = ()

    @property
    def is_simulated(self) -> bool:
        """Whether it was measured on simulated drives. Only these have a state."""
        return any(drive.state_hash for drive in self.drives)

    @property
    def is_preparation(self) -> bool:
        """Whether it is a preconditioning write."""
        return self.order <= 0

    @property
    def is_silent(self) -> bool:
        """Whether it failed only because a requested operation never completed in the measurement time."""
        return self.failure is not None and self.failure.kind is FailureKind.NOTHING_COMPLETED

    @property
    def own_engine(self) -> EngineFacts | None:
        """The facts of iosonde's own engine; None if another program measured, or if they are unknown."""
        return self.engine if isinstance(self.engine, EngineFacts) else None

    @property
    def started_engine(self) -> EngineFacts | FioFacts | None:
        """The facts of the engine that iosonde started: its own engine, or fio."""
        return self.own_engine or self.by_fio

    @property
    def by_fio(self) -> FioFacts | None:
        """The facts of fio; None if another engine measured."""
        return self.engine if isinstance(self.engine, FioFacts) else None

    @property
    def settled(self) -> bool:
        """Whether there is no evidence that throughput still moved during the measurement."""
        return self.within is None or self.within.settled

    @property
    def queue_depth_achieved(self) -> float | None:
        """The mean number of operations in flight over the measurement time; None if it was not measured."""
        if self.in_flight_ns is None:
            return None
        return self.in_flight_ns / self.measured_ns if self.measured_ns else 0.0

    @property
    def queue_depth_device(self) -> float | None:
        """The mean number of operations in flight at the device; None if it was not measured.

        It does not include operations that had completed but were not yet reaped.
        """
        return device_depth(self.in_flight_ns, self.backlog_ns, self.measured_ns)

    @property
    def queue_depth_kept(self) -> float | None:
        """The depth that results apply to: that at the device or, if it is unknown, the achieved one."""
        return depth_kept(self.queue_depth_achieved, self.queue_depth_device)

    @property
    def cpu_workers_ns(self) -> int | None:
        """CPU time of the worker threads, user and system; None if it was not measured."""
        if self.cpu is None or not self.cpu.threads:
            return None
        return sum(thread.user_ns + thread.system_ns for thread in self.cpu.threads)

    @property
    def cpu_io_ns(self) -> int | None:
        """CPU time of worker threads, io-wq workers and SQPOLL threads; None if it was not measured."""
        if self.cpu is None or self.cpu_workers_ns is None:
            return None
        return self.cpu_workers_ns + (self.cpu.kernel_workers_ns or 0) + (self.cpu.sqpoll_threads_ns or 0)


_Depth = TypeVar("_Depth")


def depth_kept(achieved: _Depth | None, device: _Depth | None) -> _Depth | None:
    """The depth that results apply to: that at the device or, if it is unknown, the achieved one."""
    return achieved if device is None else device


def device_depth(in_flight_ns: int | None, backlog_ns: int | None, elapsed_ns: int) -> float | None:
    """The mean number of operations in flight that had not completed; None if one of the two is unknown.

    The backlog is an estimate, and may exceed the number in flight if it is nearly all of it.
    """
    if in_flight_ns is None or backlog_ns is None:
        return None
    return max(in_flight_ns - backlog_ns, 0) / elapsed_ns if elapsed_ns else 0.0


def check_histograms(cell: CellRecord) -> None:
    """Raises ValueError if a histogram does not have one latency for each operation."""
    for totals_by_operation in (cell.operations, cell.warmup):
        for operation, totals in totals_by_operation.items():
            held = sum(totals.latency.count)
            if held != totals.count:
                message = f"{cell.cell}: {totals.count} {operation} operations, but {held} latencies in the histogram"
                raise ValueError(message)
