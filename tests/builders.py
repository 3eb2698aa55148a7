"""Builders of synthetic records and runs with chosen figures.

Nothing here measures. Every record has all fields, as a measured one has.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from iosonde.analysis.histogram import bucket_of
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.plans import cell_name
from iosonde.records import (
    Access,
    Alignment,
    CellPlan,
    CellRecord,
    Censored,
    ClockPair,
    CpuFrequency,
    CpuUse,
    DeviceFacts,
    DriveHealth,
    DriveState,
    Engine,
    EngineFacts,
    EngineHello,
    Experiment,
    Failure,
    FileSystemFacts,
    FioFacts,
    Histogram,
    HostFacts,
    Identity,
    IntervalRecord,
    Layout,
    Operation,
    OperationTotals,
    Outcome,
    Plan,
    RunHeader,
    RunRecord,
    Session,
    Sync,
    TargetFacts,
    ThreadCpu,
    Timing,
    Workload,
    one_stream,
)
from iosonde.vocabulary import FailureKind, FrequencySource

SECOND_NS = 10**9
TIMING = Timing(warmup_ns=SECOND_NS, measure_ns=5 * SECOND_NS, interval_ns=SECOND_NS // 2)
QUICK_TIMING = Timing(warmup_ns=SECOND_NS // 5, measure_ns=SECOND_NS // 2, interval_ns=SECOND_NS // 10)


def histogram_of(latencies_ns: Sequence[int], buckets_per_octave: int = 128) -> Histogram:
    """The histogram of exactly these latencies."""
    layout = Layout(buckets_per_octave=buckets_per_octave)
    counts: Counter[int] = Counter()
    # Most tests have a few latencies thousands of times.
    for latency_ns, count in Counter(latencies_ns).items():
        counts[bucket_of(layout, latency_ns)] += count
    return Histogram(layout=layout, bucket=tuple(sorted(counts)), count=tuple(counts[each] for each in sorted(counts)))


def totals_of(latencies_ns: Sequence[int], block_size_bytes: int = 4096) -> OperationTotals:
    """The totals of operations with exactly these latencies."""
    return OperationTotals(
        count=len(latencies_ns),
        bytes=len(latencies_ns) * block_size_bytes,
        latency_ns_sum=sum(latencies_ns),
        latency_ns_min=min(latencies_ns),
        latency_ns_max=max(latencies_ns),
        latency=histogram_of(latencies_ns),
    )


def no_operations() -> OperationTotals:
    """The totals of an operation type that completed nothing."""
    return OperationTotals(
        count=0, bytes=0, latency_ns_sum=0, latency_ns_min=0, latency_ns_max=0, latency=Histogram(bucket=(), count=())
    )


def workload(
    pattern: Access | str = Access.RANDOM,
    read_percent: int = 100,
    block_size_bytes: int = 4096,
    queue_depth: int = 8,
    sync: Sync = Sync.NONE,
    **shape: Any,
) -> Workload:
    """A workload; by default 4 KiB random reads at depth 8. ``shape`` sets its other fields."""
    asked = {
        "pattern": pattern,
        "read_percent": read_percent,
        "block_size_bytes": block_size_bytes,
        "queue_depth": queue_depth,
        "sync": sync,
    }
    return Workload.model_validate(asked | shape)


def cell_plan(asked: Workload, *experiments: Experiment, timing: Timing = TIMING) -> CellPlan:
    """A planned cell, named after its workload."""
    return CellPlan(cell=cell_name(asked), experiments=experiments, streams=one_stream(asked), timing=timing)


def silent_repeat(plan: CellPlan, repeat: int, **others: Any) -> CellRecord:
    """A failed repeat in which no operation completed within the measurement time."""
    why = Failure(kind=FailureKind.NOTHING_COMPLETED, message="no read completed within the measurement time")
    return cell_record(plan, {}, repeat=repeat, outcome=Outcome.FAILED, failure=why, **others)


def cell_record(
    plan: CellPlan,
    operations: Mapping[Operation, OperationTotals],
    *,
    repeat: int = 0,
    outcome: Outcome = Outcome.FINISHED,
    failure: Failure | None = None,
    measured_ns: int | None = None,
    queue_depth_achieved: float | None = None,
    cpu_ns: int = 0,
    **others: Any,
) -> CellRecord:
    """One repeat of a cell with these totals. ``others`` sets other fields by name."""
    measured = plan.timing.measure_ns if measured_ns is None else measured_ns
    depth = plan.workload.queue_depth if queue_depth_achieved is None else queue_depth_achieved
    fields: dict[str, Any] = {
        "cell": plan.cell,
        "experiments": plan.experiments,
        "repeat": repeat,
        "order": repeat,
        "seed": 1000 + repeat,
        "workload": plan.workload,
        "timing": plan.timing,
        "outcome": outcome,
        "failure": failure,
        "measured_ns": measured,
        "in_flight_ns": round(depth * measured),
        "operations": dict(operations),
        "warmup": {},
        "censored": Censored(count=0, age_ns_min=0, age_ns_max=0, latency_ns_max=0),
        "slowest": (),
        "faults": (),
        "intervals_merged": 0,
        "cpu": cpu_use(cpu_ns),
        "clock_start": ClockPair(engine_ns=0, wall_ns=0, raw_ns=0),
        "clock_end": ClockPair(engine_ns=measured, wall_ns=measured, raw_ns=measured),
        "engine": engine_facts(),
    }
    return CellRecord(**(fields | others))


def cpu_use(cpu_ns: int = 0) -> CpuUse:
    """One worker thread that used this much CPU time, a quarter of it in user mode."""
    worker = ThreadCpu(
        worker=0,
        cpu_pinned=1,
        user_ns=cpu_ns // 4,
        system_ns=cpu_ns - cpu_ns // 4,
        switches_voluntary=12,
        switches_involuntary=3,
    )
    return CpuUse(threads=(worker,), process_user_ns=cpu_ns // 4, process_system_ns=cpu_ns, steal_ns=0)


def cpu_at(hz: int, busy: float = 0.6, source: FrequencySource = FrequencySource.CPUFREQ) -> CpuUse:
    """One worker thread that used this share of five seconds of its CPU, at this frequency."""
    frequency = CpuFrequency(
        source=source, cpus=1, readings=6, frequency_hz_mean=hz, frequency_hz_min=hz - 10**8, frequency_hz_max=hz
    )
    return cpu_use(round(busy * 5 * SECOND_NS)).model_copy(update={"frequency": frequency})


def drive_state(**counters: int) -> DriveState:
    """A simulated drive with these counters. The others are 0."""
    names = ("host_read_bytes", "host_written_bytes", "media_written_bytes", "erases", "wear_percent")
    zero = dict.fromkeys((*names, "temperature_celsius", "throttled_ns"), 0)
    return DriveState(state_hash="0" * 16, health=DriveHealth.model_validate(zero | counters))


def engine_facts(engine: Engine = Engine.IO_URING, fallbacks: tuple[str, ...] = ()) -> EngineFacts:
    """The facts of an engine on a typical NVMe host."""
    return EngineFacts(
        engine=engine,
        workers=1,
        ring_flags=("SINGLE_ISSUER", "DEFER_TASKRUN") if engine is Engine.IO_URING else (),
        poll_mode="interrupt",
        fixed_buffers=engine is Engine.IO_URING,
        fixed_file=engine is Engine.IO_URING,
        batch_max=32,
        clock_source="tsc",
        kernel_workers=0,
        fallbacks=fallbacks,
    )


def fio_facts() -> FioFacts:
    """The facts of fio, for a cell that fio measured."""
    return FioFacts(
        version="fio-3.33", ioengine="io_uring", workers=1, poll_mode="interrupt", arguments=("--name=target-1",)
    )


def failed(kind: FailureKind = FailureKind.IO, message: str = "write at offset 4096 failed: EIO") -> Failure:
    """Why a cell failed."""
    return Failure(kind=kind, message=message, errno=5, offset_bytes=4096)


def target_facts(path: str = "/srv/data/iosonde.dat", span_bytes: int = 8 * 2**30) -> TargetFacts:
    """A file on ext4 on an NVMe drive."""
    return TargetFacts(
        kind="file",
        path=path,
        created=True,
        direct=True,
        written="filled",
        span_bytes=span_bytes,
        identity=Identity(device_major=259, device_minor=2, inode=1_310_722, size_bytes=span_bytes),
        alignment=Alignment(memory_bytes=4, offset_bytes=512, source="statx"),
        file_system=FileSystemFacts(
            kind="ext4",
            mount_point="/srv",
            mount_options="rw,noatime",
            size_bytes=500 * 10**9,
            available_bytes=321 * 10**9,
        ),
        device=DeviceFacts(
            name="nvme0n1",
            model="Example NVMe 512 GB",
            serial="S000EXAMPLE",
            firmware="1.2.3",
            size_bytes=512_110_190_592,
            rotational=False,
            scheduler="none",
            queue_tags=1023,
            write_cache="write back",
            logical_block_size_bytes=512,
            physical_block_size_bytes=4096,
            request_size_bytes_max=1_310_720,
        ),
    )


def host_facts() -> HostFacts:
    """The facts of a small server."""
    return HostFacts(
        hostname="bench-01",
        kernel="6.12.9-amd64",
        architecture="x86_64",
        cpu_model="Example CPU @ 3.20 GHz",
        cpus_online=16,
        cpus_allowed=16,
        memory_bytes=64 * 2**30,
        governor="performance",
        virtual_machine="",
        python="3.11.7",
    )


def session(host: HostFacts | None = None, *, made_anew: bool = False) -> Session:
    """A resumption of a run, by default on the host of ``host_facts`` with the existing file."""
    return Session(
        resumed_at="2026-11-20T15:00:00+00:00",
        made_anew=made_anew,
        iosonde_version="0.1.0",
        command=("iosonde", "resume", "run"),
        target=target_facts(span_bytes=100 * 2**30),
        host=host or host_facts(),
        hello=engine_hello(),
    )


def engine_hello(build_profile: str = "release") -> EngineHello:
    """The hello message of an engine of this version."""
    return EngineHello(
        version="0.1.0",
        protocol=1,
        build_profile=build_profile,
        engines=(Engine.IO_URING, Engine.PSYNC, Engine.NULL),
        io_uring_refused=None,
        overhead_ns_per_io=212,
    )


def run_record(
    plans: Sequence[CellPlan],
    records: Sequence[CellRecord],
    *,
    quick: bool = False,
    finished: bool = True,
    build_profile: str = "release",
    target: TargetFacts | None = None,
    repeats: int = 3,
) -> RunRecord:
    """A run of these cells."""
    header = RunHeader(
        run="20261120-1432-4f7a",
        created_at="2026-11-20T14:32:05+00:00",
        iosonde_version="0.1.0",
        command=("iosonde", "run", "/srv/data"),
        engine_asked="auto",
        engine=Engine.IO_URING,
        plan=Plan(
            profile="lab",
            quick=quick,
            seed=7,
            repeats=repeats,
            span_bytes=8 * 2**30,
            cells=tuple(plans),
            turns=(),
        ),
        target=target or target_facts(),
        host=host_facts(),
        hello=engine_hello(build_profile),
    )
    return RunRecord(header=header, cells=tuple(records), finished=finished)


def finding(
    identity: str = "span-fits-cache",
    severity: Severity = Severity.DOUBTFUL,
    cells: tuple[str, ...] = (),
    statement: str = "The span of 8 GiB fits the host's memory of 64 GiB.",
) -> Finding:
    """A finding with all fields set."""
    return Finding(
        id=identity,
        severity=severity,
        confidence=Confidence.CERTAIN,
        statement=statement,
        evidence=(("span", "8 GiB"), ("memory", "64 GiB")),
        advice="Measure a span of at least twice the memory.",
        deciding_test="Repeat the random reads with --size 128GiB and compare.",
        cells=cells,
    )


def interval_record(index: int, operations: Mapping[Operation, OperationTotals], **others: Any) -> IntervalRecord:
    """A measured interval of half a second with these totals."""
    fields: dict[str, Any] = {
        "phase": "measure",
        "interval_first": index,
        "interval_last": index,
        "start_ns": index * SECOND_NS // 2,
        "end_ns": (index + 1) * SECOND_NS // 2,
        "in_flight_ns": 8 * SECOND_NS // 2,
        "operations": dict(operations),
    }
    return IntervalRecord(**(fields | others))
