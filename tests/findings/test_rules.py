"""Every finding: a run that must set it off, and a sound run, and near misses, that must not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.within import within_repeat
from iosonde.findings import RULES, Case, Confidence, Finding, Severity
from iosonde.records import (
    CellRecord,
    Censored,
    ClockPair,
    CpuUse,
    Damage,
    DamageKind,
    DeviceCounts,
    Engine,
    Fault,
    FaultKind,
    IntervalRecord,
    Neighbour,
    Operation,
    Outcome,
    RequestCounts,
    RunRecord,
    ShareTotals,
    SlowIo,
    Sync,
    TargetShare,
    Verification,
    Workload,
)
from iosonde.records.workload import AIM_REPEATS_MIN
from tests.analysis.test_states import SETTLED
from tests.builders import (
    cell_plan,
    cell_record,
    cpu_use,
    engine_facts,
    failed,
    fio_facts,
    host_facts,
    interval_record,
    no_operations,
    run_record,
    session,
    silent_repeat,
    target_facts,
    totals_of,
    workload,
)
from tests.judging import findings_of
from tests.pace_builder import paced_repeat, paced_run

MS = 1_000_000
SECOND_NS = 10**9
# 5 s at depth 8 with 1 ms each: 40,000 operations.
FULL_COUNT = 40_000


def repeat(number: int = 1, asked: Workload | None = None, count: int | None = None, **others: Any) -> CellRecord:
    asked = asked or workload()
    latency_ns = MS
    if count is None:
        # As many and as slow as fit by Little's law.
        share = (others.get("queue_depth_achieved") or asked.queue_depth) / 8
        count = round(FULL_COUNT * min(share, 1.0)) // (2 if asked.sync is Sync.FDATASYNC else 1)
        latency_ns = round(MS * max(share, 1.0))
    direction = Operation.READ if asked.read_percent else Operation.WRITE
    operations = {direction: totals_of([latency_ns] * count)}
    if asked.sync is Sync.FDATASYNC:
        operations |= {Operation.FLUSH: totals_of([MS] * count), Operation.COMMIT: totals_of([2 * MS] * count)}
    return cell_record(cell_plan(asked), operations, repeat=number, **others)


def course(counts: Sequence[int]) -> tuple[IntervalRecord, ...]:
    """Half-seconds with so many reads each, give or take a percent."""
    noise = np.random.default_rng(1).normal(1.0, 0.01, len(counts))
    return tuple(
        interval_record(index, {Operation.READ: totals_of([MS] * round(count * factor)) if count else no_operations()})
        for index, (count, factor) in enumerate(zip(counts, noise, strict=True))
    )


def fine(counts: Sequence[int]) -> tuple[IntervalRecord, ...]:
    """The same in intervals of 17 ms, as an adaptive repeat of a second has them."""
    every_ns = 17 * MS
    return tuple(
        replace(each, start_ns=index * every_ns, end_ns=(index + 1) * every_ns)
        for index, each in enumerate(course(counts))
    )


def judged(counts: Sequence[int], number: int = 1) -> CellRecord:
    """A repeat that says of itself what its intervals say."""
    record = repeat(number, intervals=course(counts))
    return record.model_copy(update={"within": within_repeat(record)})


def warmed_longer(record: CellRecord) -> CellRecord:
    """The same after ten times as long a warm-up."""
    timing = record.timing.model_copy(update={"warmup_ns": 10 * (record.timing.warmup_ns or SECOND_NS)})
    return record.model_copy(update={"timing": timing})


def read_back(*, damaged: int = 0) -> Verification:
    """A target of a thousand blocks, of which so many are lost."""
    first = tuple(
        Damage(kind=DamageKind.LOST, offset_bytes=4096 * each, sequence_expected=7) for each in range(damaged)
    )
    return Verification(
        finished=True,
        step_bytes=4096,
        steps_checked=1000,
        steps_free=0,
        damaged={DamageKind.LOST: damaged} if damaged else {},
        first=first,
        duration_ns=MS,
    )


BESIDE = (Neighbour(process=71, device="sda"),)


def under_way(age_ns: int, count: int = 1) -> Censored:
    """Operations that had been under way for so long when measuring ended."""
    return Censored(count=count, age_ns_min=age_ns, age_ns_max=age_ns, latency_ns_max=age_ns)


def run_of(*records: CellRecord, header: dict[str, Any] | None = None, **others: Any) -> RunRecord:
    """A sound run of these cells; ``header`` changes its header, at any depth by nested dicts."""
    plans = {record.cell: cell_plan(record.workload) for record in records}
    whole_device = target_facts(span_bytes=100 * 2**30)
    repeats = max((sum(each.cell == cell for each in records) for cell in plans), default=1)
    run = run_record(list(plans.values()), records, target=whole_device, **{"repeats": repeats, **others})
    changed = _deep_update(run.header.model_dump(), header or {})
    return run.model_copy(update={"header": type(run.header).model_validate(changed)})


def _deep_update(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    for name, change in changes.items():
        nested = isinstance(change, dict) and isinstance(values[name], dict)
        values[name] = _deep_update(values[name], change) if nested else change
    return values


def three(**others: Any) -> list[CellRecord]:
    return [repeat(number, **others) for number in (1, 2, 3)]


MIX = workload(read_percent=50)
RESTING = workload(burst_operations=16, think_ns=100 * MS)
MIXED = {each: totals_of([MS] * 20_000) for each in (Operation.READ, Operation.WRITE)}


def slow_ones(
    ended: Sequence[int] | None = None, places: Sequence[int] | None = None, **others: Any
) -> tuple[SlowIo, ...]:
    """64 slow operations at any moment and in any place, but for what is said of them."""
    random = np.random.default_rng(2)
    times = random.integers(5 * SECOND_NS, size=64).tolist() if ended is None else ended
    blocks = random.integers(2**20, size=64).tolist() if places is None else places
    fields: dict[str, Any] = {"operation": Operation.READ, "latency_ns": 50 * MS, "length_bytes": 4096} | others
    return tuple(
        SlowIo(reap_ns=time, offset_bytes=4096 * block, **fields) for time, block in zip(times, blocks, strict=True)
    )


FEW_VALUES = SETTLED.model_copy(update={"effective": 8.0, "correlation": 0.5})


def aimed(*records: CellRecord, **others: Any) -> RunRecord:
    """A run that was to know its figures to 2 %."""
    return run_of(*records, header={"plan": {"aim": {"precision_percent": 2.0, "budget_ns": 60 * SECOND_NS}}}, **others)


def sound(**others: Any) -> RunRecord:
    return run_of(*three(), **others)


def error(kind: FaultKind = FaultKind.ERROR) -> Fault:
    return Fault(kind=kind, operation=Operation.READ, errno=5, errno_name="EIO", count=3, offset_bytes_first=4096)


def clocks(engine_ns: int, raw_ns: int, wall_ns: int) -> dict[str, Any]:
    return {
        "clock_start": ClockPair(engine_ns=0, wall_ns=0, raw_ns=0),
        "clock_end": ClockPair(engine_ns=engine_ns, wall_ns=wall_ns, raw_ns=raw_ns),
    }


def commits(engine: Engine, achieved: float = 1.0, workers: int = 0) -> list[CellRecord]:
    asked = workload(read_percent=0, queue_depth=1, sync=Sync.FDATASYNC)
    facts = engine_facts(engine).model_copy(update={"kernel_workers": workers})
    return [repeat(number, asked, count=2_500, queue_depth_achieved=achieved, engine=facts) for number in (1, 2, 3)]


def granted(**changes: Any) -> dict[str, Any]:
    return {"engine": engine_facts().model_copy(update=changes)}


def device(**changes: Any) -> dict[str, Any]:
    return {"target": {"device": changes}}


def counted(share: float = 1.0, latency_ns: int = MS, merged: int = 0) -> dict[str, Any]:
    """What the kernel counted, against the reads of a sound repeat."""
    none = RequestCounts(count=0, merged=0, bytes=0, request_ns=0)
    count = round(FULL_COUNT * share)
    read = RequestCounts(count=count - merged, merged=merged, bytes=4096 * count, request_ns=latency_ns * count)
    counts = DeviceCounts(
        device="sda",
        targets=(0,),
        by_request=True,
        elapsed_ns=5 * SECOND_NS,
        read=read,
        write=none,
        trim=none,
        flush=none,
    )
    return {"devices": (counts,)}


def alone(*records: CellRecord, **target: Any) -> RunRecord:
    """A run on a whole device that nobody else uses."""
    return run_of(*records, header={"target": {"kind": "device", **target}})


def handed_over(kernel_workers_ns: int) -> CpuUse:
    """A second of the engine's own, and so much of the kernel's threads."""
    return cpu_use(SECOND_NS).model_copy(update={"kernel_workers_ns": kernel_workers_ns})


def on_node(node: int, cpus_near: tuple[int, ...]) -> dict[str, Any]:
    return {"target": {"device": {"numa_node": node}, "cpus_near": cpus_near}}


def stolen(share: float) -> CpuUse:
    """So much of the time of the one worker, over five seconds."""
    return cpu_use().model_copy(update={"steal_ns": round(share * 5 * SECOND_NS)})


def by_fio(**asked: Any) -> RunRecord:
    """A run that fio measured, which knows neither depth nor CPU nor what was in flight."""
    unknown = {"in_flight_ns": None, "cpu": None, "censored": None, "engine": fio_facts()}
    header = {"engine": "fio", "engine_asked": "fio", "hello": {"engines": ["io_uring", "psync", "fio"]}}
    return run_of(*three(asked=workload(**asked), **unknown), header=header)


WRITES = workload(read_percent=0)
MOUNTED = {"device": "nvme0n1p2", "use": "mounted", "by": "/srv"}
BUFFERED = {"target": {"direct": False}}
NOT_DONE: dict[str, Any] = {"outcome": Outcome.FAILED, "failure": failed(), "count": 10}


def shares(*counts: int) -> dict[str, Any]:
    """Targets that did so many reads each."""
    totals = [
        ShareTotals(count=each, bytes=each * 4096, latency_ns_sum=each * MS, latency_ns_max=MS) for each in counts
    ]
    found = tuple(TargetShare(in_flight_ns=0, operations={Operation.READ: each}) for each in totals)
    asked = workload().model_copy(update={"targets": len(counts)})
    return {"targets": found, "asked": asked, "queue_depth_achieved": 8.0 * len(counts)}


def deep_on(targets: int) -> list[CellRecord]:
    """Two thirds of what a device's queue takes, on each of so many targets."""
    asked = workload(queue_depth=680).model_copy(update={"targets": targets})
    return three(asked=asked, queue_depth_achieved=680.0 * targets)


def on_devices(*names: str, records: Sequence[CellRecord] = ()) -> RunRecord:
    """A run on a target on each of these devices."""
    run = run_of(*(records or three()))
    first = run.header.target
    assert first.device is not None
    targets = [
        first.model_copy(update={"path": f"/srv/{number}", "device": first.device.model_copy(update={"name": name})})
        for number, name in enumerate(names, start=1)
    ]
    header = run.header.model_copy(update={"target": targets[0], "more_targets": tuple(targets[1:])})
    return run.model_copy(update={"header": header})


FIRES: dict[str, Callable[[], RunRecord]] = {
    "targets-share-device": lambda: on_devices("sda", "sdb", "sda"),
    "targets-uneven": lambda: on_devices("sda", "sdb", records=three(**shares(30_000, 10_000))),
    "debug-build": lambda: sound(build_profile="debug"),
    "quick-run": lambda: sound(quick=True),
    "run-unfinished": lambda: sound(finished=False),
    "journal-damaged": lambda: sound().model_copy(update={"damage": "a frame's checksum does not fit, at byte 99"}),
    "run-resumed": lambda: sound().model_copy(update={"sessions": (session(),)}),
    "neighbours": lambda: run_of(*three(neighbours=(Neighbour(process=77, device="nvme0n1"),))),
    "cpu-quota": lambda: sound(header={"host": {"cpu_quota": 2.0}}),
    "one-cpu": lambda: sound(header={"host": {"cpus_allowed": 1}}),
    "engine-fallback": lambda: run_of(
        *three(engine=engine_facts(Engine.PSYNC)),
        header={"engine": "psync", "hello": {"engines": ["psync", "null"], "io_uring_refused": "EPERM"}},
    ),
    "engine-by-cell": lambda: run_of(*three(), *commits(Engine.PSYNC)),
    "measured-by-fio": by_fio,
    "waiting-not-counted": lambda: by_fio(rate_per_s=5_000, arrivals="poisson"),
    "polling-refused": lambda: run_of(
        *three(**granted(fallbacks=("polled completions refused: EOPNOTSUPP",))), header={"poll_asked": "iopoll"}
    ),
    "registration-refused": lambda: run_of(*three(**granted(fallbacks=("registered buffers refused: ENOMEM",)))),
    "clock-drift": lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS + MS, SECOND_NS))),
    "slow-clock": lambda: sound(
        header={"hello": {"clock_read_ns": 1_140}, "host": {"clock_source": "acpi_pm"}},
    ),
    "wall-clock-set": lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS, -60 * SECOND_NS))),
    "buffered-io": lambda: sound(header=BUFFERED),
    "span-fits-cache": lambda: sound(header={"target": {"span_bytes": 8 * 2**30}}),
    "content-unknown": lambda: sound(header={"target": {"written": "data"}}),
    "written-unknown": lambda: sound(header={"target": {"kind": "device", "written": "unknown"}}),
    "device-in-use": lambda: sound(header={"target": {"uses": (MOUNTED,)}}),
    "virtual-disk": lambda: sound(header={"host": {"virtual_machine": "QEMU"}}),
    "volatile-write-cache": lambda: run_of(*three(asked=WRITES)),
    "depth-over-tags": lambda: sound(header=device(queue_tags=7)),
    "request-split": lambda: sound(header=device(request_size_bytes_max=2048)),
    "cell-failed": lambda: run_of(repeat(1), repeat(2), repeat(3, **NOT_DONE)),
    "slowest-not-counted": lambda: run_of(repeat(1), repeat(2), repeat(3, censored=under_way(4 * SECOND_NS, 8))),
    "io-errors": lambda: run_of(repeat(1), repeat(2), repeat(3, faults=(error(),))),
    # A quarter more than 8 in flight have time for, and no edge that would explain it.
    "littles-law-off": lambda: run_of(*three(count=FULL_COUNT * 5 // 4)),
    "device-counts-differ": lambda: run_of(*three(**counted(0.9))),
    "device-times-differ": lambda: alone(*three(**counted(latency_ns=2 * MS))),
    "depth-not-reached": lambda: run_of(*three(queue_depth_achieved=7.0)),
    "not-settled": lambda: run_of(judged([20_000] * 2 + [8_000] * 58)),
    "level-changed": lambda: run_of(repeat(intervals=course([8_000] * 12 + [2_000] * 28))),
    "stalled": lambda: run_of(repeat(intervals=fine([160] * 20 + [0] * 7 + [160] * 33))),
    "nothing-completed": lambda: run_of(*three(), silent_repeat(cell_plan(workload()), 4)),
    "slowest-by-time": lambda: run_of(repeat(slowest=slow_ones(ended=[SECOND_NS + each for each in range(64)]))),
    "slowest-by-group": lambda: run_of(
        repeat(slowest=slow_ones(ended=[each // 8 * SECOND_NS // 2 + each for each in range(64)], latency_ns=5 * MS))
    ),
    "slowest-by-offset": lambda: run_of(repeat(slowest=slow_ones(places=range(64)))),
    "slowest-by-operation": lambda: run_of(
        cell_record(cell_plan(MIX), MIXED, repeat=1, slowest=slow_ones(operation=Operation.WRITE))
    ),
    "slowest-by-target": lambda: on_devices(
        "sda", "sdb", records=three(**shares(20_000, 20_000), slowest=slow_ones(target=1))
    ),
    "precision-missed": lambda: aimed(repeat(1, count=39_000), repeat(2), repeat(3, count=41_000)),
    "not-established": lambda: run_of(repeat(1, count=20_000), repeat(2)),
    "state-left": lambda: run_of(
        repeat(1, count=90_000), *(repeat(each, count=40_000 + each) for each in (2, 3, 4, 5))
    ),
    "repeats-discarded": lambda: run_of(*three(), repeat(4, neighbours=(Neighbour(process=71, device="sda"),))),
    "repeats-differ": lambda: run_of(repeat(1, count=30_000), repeat(2), repeat(3, count=50_000)),
    "host-limited": lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS))),
    "busy-by-design": lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS), **granted(poll_mode="iopoll"))),
    "far-from-device": lambda: run_of(*three(), header=on_node(1, (2, 3))),
    "kernel-workers": lambda: run_of(*three(**granted(kernel_workers=2))),
    "steal": lambda: run_of(*three(cpu=stolen(0.03))),
    "intervals-merged": lambda: run_of(*three(intervals_merged=1)),
    "not-as-written": lambda: run_of(
        *(repeat(each, verification=(read_back(damaged=each - 1),)) for each in (1, 2, 3)),
    ),
    "reads-of-holes": lambda: run_of(
        *(repeat(each, workload(read_percent=65, trim_percent=5)) for each in (1, 2, 3)),
    ),
    "saturated": lambda: paced_run(*(paced_repeat(each, count=4_700, waiting_ns=300 * MS) for each in (1, 2, 3))),
    "submitted-late": lambda: paced_run(*(paced_repeat(each, host_lag_ns=MS // 5) for each in (1, 2, 3))),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("targets-share-device", lambda: on_devices("sda", "sdb", "sdc")),
    ("targets-uneven", lambda: on_devices("sda", "sdb", records=three(**shares(21_000, 19_000)))),
    ("depth-over-tags", lambda: on_devices("sda", "sdb", records=deep_on(2))),
    ("engine-fallback", lambda: sound(header={"engine_asked": "psync", "engine": "psync"})),
    ("engine-by-cell", lambda: run_of(*three(), *commits(Engine.IO_URING))),
    ("measured-by-fio", sound),
    ("waiting-not-counted", by_fio),
    ("waiting-not-counted", lambda: paced_run(*(paced_repeat(each) for each in (1, 2, 3)))),
    # What fio does not tell is no reason to speak.
    *((each, by_fio) for each in ("depth-not-reached", "host-limited", "kernel-workers", "slowest-not-counted")),
    ("saturated", lambda: by_fio(rate_per_s=5_000_000, arrivals="constant")),
    ("polling-refused", lambda: run_of(*three(**granted(poll_mode="iopoll")), header={"poll_asked": "iopoll"})),
    ("polling-refused", lambda: run_of(*commits(Engine.IO_URING), header={"poll_asked": "iopoll"})),
    ("registration-refused", lambda: run_of(*three(**granted(fallbacks=("polled completions refused: EOPNOTSUPP",))))),
    ("cpu-quota", lambda: sound(header={"host": {"cpu_quota": 16.0}})),
    ("one-cpu", lambda: sound(header={"host": {"cpus_allowed": 1}, "target": {"kind": "null"}})),
    ("clock-drift", lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS + MS // 10, SECOND_NS)))),
    ("clock-drift", lambda: run_of(*three(clock_start=None, clock_end=None))),
    ("slow-clock", lambda: sound(header={"hello": {"clock_read_ns": 200}, "host": {"clock_source": "kvm-clock"}})),
    ("slow-clock", lambda: sound(header={"hello": {"clock_read_ns": None}, "host": {"clock_source": "hpet"}})),
    ("host-limited", lambda: run_of(*three(cpu=None))),
    ("engine-by-cell", lambda: run_of(*three(engine=None))),
    ("wall-clock-set", lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS, SECOND_NS + MS)))),
    ("span-fits-cache", lambda: sound(header={"target": {"kind": "null", "span_bytes": 2**30}})),
    ("written-unknown", lambda: sound(header={"target": {"kind": "null", "written": "unknown"}})),
    ("device-in-use", lambda: sound(header={"target": {"kind": "device", "written": "unknown"}})),
    ("content-unknown", lambda: sound(header={"target": {"kind": "device", "written": "unknown"}})),
    ("volatile-write-cache", lambda: run_of(*three(asked=WRITES), header=device(write_cache="write through"))),
    ("volatile-write-cache", lambda: run_of(*commits(Engine.IO_URING))),
    ("depth-over-tags", lambda: sound(header=device(queue_tags=8))),
    ("depth-over-tags", lambda: sound(header={"target": {"device": None}})),
    ("request-split", lambda: sound(header=device(request_size_bytes_max=4096))),
    ("cell-failed", lambda: run_of(repeat(1), repeat(2, outcome=Outcome.CUT), repeat(3))),
    ("slowest-not-counted", lambda: run_of(*three(censored=under_way(9 * MS)))),
    ("slowest-not-counted", lambda: run_of(*three(censored=under_way(400 * MS), outcome=Outcome.FAILED))),
    ("io-errors", lambda: run_of(*three(faults=(error(FaultKind.RETRY),)))),
    ("depth-not-reached", lambda: run_of(*three(queue_depth_achieved=7.3))),
    ("depth-not-reached", lambda: run_of(*commits(Engine.IO_URING, achieved=0.8))),
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT * 101 // 100))),
    # One operation that had been under way for a fifth of the window is in the depth, and in no latency.
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT * 39 // 40, censored=under_way(SECOND_NS)))),
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT // 2, faults=(error(FaultKind.RETRY),)))),
    ("littles-law-off", by_fio),
    ("littles-law-off", lambda: paced_run(*(paced_repeat(each) for each in (1, 2, 3)))),
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT // 2), header={"target": {"kind": "null"}})),
    ("device-counts-differ", lambda: run_of(*three(**counted(0.985)))),
    # Others may use the device of a file.
    ("device-counts-differ", lambda: run_of(*three(**counted(1.5)))),
    ("device-counts-differ", lambda: alone(*three(**counted(1.5)), uses=(MOUNTED,))),
    ("device-counts-differ", lambda: run_of(*three(**counted(0.1)), header=BUFFERED)),
    ("device-counts-differ", lambda: run_of(*commits(Engine.IO_URING))),
    ("device-counts-differ", lambda: run_of(*three(**counted(0.1), **granted(engine=Engine.PASSTHROUGH)))),
    # The host has a part in what the engine sees, and the kernel's own time is a little below it.
    ("device-times-differ", lambda: alone(*three(**counted(latency_ns=MS * 97 // 100)))),
    ("device-times-differ", lambda: run_of(*three(**counted(latency_ns=2 * MS)))),
    ("device-times-differ", lambda: alone(*three(**counted(latency_ns=2 * MS)), uses=(MOUNTED,))),
    ("device-times-differ", lambda: alone(*three(**counted(latency_ns=2 * MS, merged=FULL_COUNT // 2)))),
    ("not-as-written", lambda: run_of(*(repeat(each, verification=(read_back(),)) for each in (1, 2)))),
    ("reads-of-holes", lambda: run_of(*(repeat(each, workload(read_percent=0, trim_percent=50)) for each in (1, 2)))),
    (
        "depth-not-reached",
        lambda: run_of(*three(asked=workload(burst_operations=64, think_ns=10**7), queue_depth_achieved=1.0)),
    ),
    ("saturated", lambda: paced_run(*(paced_repeat(each, count=4_980, waiting_ns=5 * MS) for each in (1, 2, 3)))),
    # All of it waits for a place in the queue: the target was slow, and the engine was not.
    ("submitted-late", lambda: paced_run(*(paced_repeat(each, lag_ns=9 * MS) for each in (1, 2, 3)))),
    ("level-changed", lambda: run_of(repeat(intervals=course([8_000] * 40)))),
    ("level-changed", lambda: run_of(repeat(intervals=course([8_000] * 20 + [7_700] * 20)))),
    ("level-changed", lambda: run_of(repeat(intervals=course([8_000] * 38 + [2_000] * 2)))),
    ("level-changed", lambda: run_of(repeat(intervals=()))),
    ("level-changed", FIRES["stalled"]),
    ("level-changed", lambda: run_of(repeat(intervals=fine([160] * 30 + [80] * 30)))),
    ("level-changed", lambda: run_of(repeat(intervals=course([8_000] * 400 + [7_000] * 6)))),
    ("stalled", FIRES["level-changed"]),
    ("nothing-completed", lambda: run_of(*(silent_repeat(cell_plan(workload()), each) for each in (1, 2)))),
    ("cell-failed", FIRES["nothing-completed"]),
    ("stalled", lambda: run_of(repeat(intervals=fine([160] * 20 + [40] * 7 + [160] * 33)))),
    ("stalled", lambda: run_of(repeat(intervals=fine([2] * 20 + [0] * 7 + [2] * 33)))),
    ("stalled", lambda: run_of(repeat(1, RESTING, intervals=fine([160] * 20 + [0] * 7 + [160] * 33)))),
    ("not-settled", lambda: run_of(judged([8_000] * 60))),
    # A hundredth at the start changes nobody's mind.
    ("not-settled", lambda: run_of(judged([8_080] * 6 + [8_000] * 54))),
    # Three repeats with a longer warm-up are enough: what moved is discarded.
    (
        "not-settled",
        lambda: run_of(
            *(judged([20_000] * 2 + [8_000] * 58, number) for number in (1, 2, 3)),
            *(warmed_longer(judged([8_000] * 60, number)) for number in (4, 5, 6)),
        ),
    ),
    # Its levels are told by themselves.
    ("not-settled", lambda: run_of(judged([8_000] * 20 + [2_000] * 40))),
    ("slowest-by-time", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-group", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-time", lambda: run_of(repeat(slowest=slow_ones(ended=range(64), latency_ns=2 * MS - 1)))),
    ("slowest-by-offset", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-operation", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-target", lambda: run_of(repeat(slowest=slow_ones()))),
    ("precision-missed", lambda: aimed(*(repeat(each) for each in range(1, AIM_REPEATS_MIN + 1)))),
    ("precision-missed", lambda: run_of(repeat(1, count=38_000), repeat(2), repeat(3, count=42_000))),
    ("precision-missed", lambda: aimed(repeat(1, count=38_000), repeat(2), repeat(3), finished=False)),
    ("precision-missed", lambda: aimed(*(repeat(each, within=FEW_VALUES) for each in range(1, AIM_REPEATS_MIN + 1)))),
    ("not-established", lambda: run_of(*(repeat(each, within=FEW_VALUES) for each in (1, 2, 3)))),
    ("not-established", lambda: aimed(repeat(1, count=39_000), repeat(2), repeat(3, count=41_000))),
    ("not-established", lambda: run_of(repeat(1))),
    ("not-established", lambda: run_of(repeat(1), repeats=3, finished=False)),
    # Fewer than three would be left, so that what is contaminated stays in, and is told as such.
    (
        "repeats-discarded",
        lambda: run_of(repeat(1), repeat(2), repeat(3, neighbours=(Neighbour(process=71, device="sda"),))),
    ),
    ("repeats-discarded", lambda: run_of(*three(), repeat(4, **NOT_DONE))),
    ("neighbours", lambda: run_of(*three(), repeat(4, neighbours=(Neighbour(process=71, device="sda"),)))),
    ("repeats-differ", lambda: aimed(repeat(1, count=30_000), repeat(2), repeat(3, count=50_000))),
    ("state-left", lambda: run_of(repeat(1, count=90_000), *(repeat(each, count=40_000 + each) for each in (2, 3, 4)))),
    ("state-left", lambda: run_of(*(repeat(each, count=40_000 + 300 * each) for each in (1, 2, 3, 4)))),
    ("repeats-differ", lambda: paced_run(*(paced_repeat(each, count=3_000 + 1_000 * each) for each in (1, 2, 3)))),
    ("depth-not-reached", lambda: paced_run(*(paced_repeat(each) for each in (1, 2, 3)))),
    (
        "host-limited",
        lambda: paced_run(
            *(paced_repeat(each).model_copy(update={"cpu": cpu_use(round(4.8 * SECOND_NS))}) for each in (1, 2, 3))
        ),
    ),
    ("repeats-differ", lambda: run_of(repeat(1, count=39_000), repeat(2), repeat(3, count=41_000))),
    ("repeats-differ", lambda: run_of(repeat(1))),
    ("busy-by-design", lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS), **granted(poll_mode="sqpoll")))),
    ("host-limited", lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS), **granted(poll_mode="iopoll")))),
    ("far-from-device", lambda: run_of(*three(), header=on_node(0, (0, 1)))),
    ("far-from-device", lambda: run_of(*three(), header=on_node(0, ()))),
    ("host-limited", lambda: run_of(*three(cpu_ns=round(4.4 * SECOND_NS)))),
    ("depth-not-reached", lambda: run_of(*three(queue_depth_achieved=2.0), header={"target": {"kind": "null"}})),
    ("host-limited", lambda: run_of(*three(cpu_ns=5 * SECOND_NS, engine=engine_facts(Engine.NULL)))),
    ("kernel-workers", lambda: run_of(*commits(Engine.IO_URING, workers=1))),
    ("kernel-workers", lambda: run_of(*three(**granted(kernel_workers=1), cpu=handed_over(MS)))),
    (
        "kernel-workers",
        lambda: run_of(*three(**granted(kernel_workers=1), asked=workload(read_percent=0, trim_percent=30))),
    ),
    (
        "kernel-workers",
        lambda: run_of(*three(**granted(kernel_workers=1, poll_mode="sqpoll"), cpu=handed_over(SECOND_NS))),
    ),
    (
        "kernel-workers",
        lambda: run_of(*three(**granted(kernel_workers=1, poll_mode="sqpoll", sqpoll_threads=1), cpu=handed_over(MS))),
    ),
    ("steal", lambda: run_of(*three(cpu=stolen(0.01)))),
    ("steal", lambda: run_of(*three(), repeat(4, cpu=stolen(0.5)))),
]


def ids(findings: Sequence[Finding]) -> set[str]:
    return {finding.id for finding in findings}


def only(run: RunRecord, identity: str) -> Finding:
    return next(finding for finding in findings_of(run) if finding.id == identity)


def test_a_sound_run_has_nothing_to_be_said_of_it() -> None:
    assert findings_of(sound()) == ()


@pytest.mark.parametrize("identity", FIRES)
def test_each_finding_is_found_where_its_reason_is(identity: str) -> None:
    found = only(FIRES[identity](), identity)
    assert found.statement.endswith(".")
    assert found.advice.endswith(".")


@pytest.mark.parametrize(("identity", "run"), NEAR_MISSES)
def test_a_near_miss_does_not_set_it_off(identity: str, run: Callable[[], RunRecord]) -> None:
    assert identity not in ids(findings_of(run()))


@pytest.mark.parametrize("identity", FIRES)
def test_a_finding_comes_alone_where_its_reason_is_alone(identity: str) -> None:
    companions = {
        "buffered-io": set(),
        "device-times-differ": {"written-unknown"},
        "engine-by-cell": {"volatile-write-cache"},
        "waiting-not-counted": {"measured-by-fio"},
        **{each: {"littles-law-off"} for each in ("repeats-differ", "precision-missed", "not-established")},
        "state-left": {"littles-law-off", "repeats-discarded"},
        "nothing-completed": {"not-established"},
        "reads-of-holes": {"volatile-write-cache"},
        "slowest-by-operation": {"volatile-write-cache"},
    }
    found = ids(findings_of(FIRES[identity]()))
    assert found - companions.get(identity, set()) <= {identity}, found


def test_every_rule_is_set_off_by_some_run_here() -> None:
    cases = [Case.of(RunAnalysis(make())) for make in FIRES.values()]
    silent = [rule.__name__ for rule in RULES if not any(list(rule(case)) for case in cases)]
    assert silent == []


def test_a_busy_thread_is_told_with_user_and_system_apart() -> None:
    found = only(run_of(*three(cpu_ns=round(4.8 * SECOND_NS))), "host-limited")
    assert "96% (24% user, 72% system) of the time in random-read-4KiB-qd8" in found.statement


def test_what_would_decide_about_a_depth_is_another_way_than_the_one_taken() -> None:
    def told(engine: Engine) -> str:
        short = three(queue_depth_achieved=2.0, engine=engine_facts(engine))
        return only(run_of(*short), "depth-not-reached").deciding_test

    assert told(Engine.PSYNC) == "The same cell with --engine io_uring."
    assert told(Engine.IO_URING) == "The same cell with more CPUs, or more jobs of a lower depth."


def test_with_sqpoll_as_well_kernel_threads_are_told_where_each_kind_is_counted() -> None:
    deep = three(**granted(kernel_workers=3, poll_mode="sqpoll", sqpoll_threads=1), cpu=handed_over(SECOND_NS))
    assert "3 kernel threads" in only(run_of(*deep), "kernel-workers").statement


def test_kernel_threads_are_told_with_their_share_of_the_time_and_the_way_out() -> None:
    deep = three(**granted(kernel_workers=3), cpu=handed_over(SECOND_NS), asked=workload(queue_depth=256))
    found = only(run_of(*deep, header=device(queue_tags=64)), "kernel-workers")
    assert "up to 3 kernel threads" in found.statement
    assert ("requests a queue of the device", "64") in found.evidence
    assert "3 threads with 50% of the cell's CPU time" in dict(found.evidence).values()
    assert found.advice.startswith("Keep at most 64 operations in flight")


def test_a_cache_that_surely_holds_the_span_weighs_more_than_one_that_might() -> None:
    direct = only(sound(header={"target": {"span_bytes": 8 * 2**30}}), "span-fits-cache")
    assert (direct.severity, direct.confidence) == (Severity.NOTE, Confidence.POSSIBLE)
    buffered = only(sound(header={"target": {"direct": False, "span_bytes": 8 * 2**30}}), "span-fits-cache")
    assert (buffered.severity, buffered.confidence) == (Severity.INVALID, Confidence.LIKELY)
    assert "128GiB" in buffered.deciding_test


def test_a_queue_that_is_far_from_full_makes_the_figure_invalid_and_names_the_cell() -> None:
    half_empty = only(run_of(*three(queue_depth_achieved=2.3)), "depth-not-reached")
    assert half_empty.severity is Severity.INVALID
    assert "random-read-4KiB-qd8 kept 2.3 of 8" in half_empty.statement


def test_a_resumption_on_another_kernel_makes_the_run_doubtful_and_a_new_file_is_told() -> None:
    other_kernel = session(host=host_facts().model_copy(update={"kernel": "7.1.0-amd64"}))
    found = only(sound().model_copy(update={"sessions": (session(), other_kernel)}), "run-resumed")
    assert found.severity is Severity.DOUBTFUL
    assert "went on 2 times with another kernel" in found.statement
    same = only(sound().model_copy(update={"sessions": (session(),)}), "run-resumed")
    assert (same.severity, "made and filled anew" in same.statement) == (Severity.NOTE, False)
    anew = sound().model_copy(update={"sessions": (session(made_anew=True),)})
    assert "made and filled anew" in only(anew, "run-resumed").statement


def test_of_many_neighbours_a_few_are_named() -> None:
    busy = [repeat(number, neighbours=(Neighbour(process=70 + number, device="sda"),)) for number in range(1, 6)]
    found = only(run_of(*busy), "neighbours")
    assert "(process 71, process 72, process 73 and 2 more) was measuring" in found.statement


def test_levels_are_named_with_their_times() -> None:
    falls = [8_000] * 12 + [2_000] * 28
    found = only(run_of(*(repeat(each, intervals=course(falls)) for each in (1, 2, 3))), "level-changed")
    assert (
        "changed its regime within repeat 1: 16,038 IOPS at first, 3,996 from 6.0 s; so did that of 2 "
        in found.statement
    )


def test_a_wide_interval_is_a_fact_and_no_doubt_and_a_missing_one_is_a_doubt() -> None:
    assert only(FIRES["precision-missed"](), "precision-missed").severity is Severity.NOTE
    assert only(FIRES["repeats-differ"](), "repeats-differ").severity is Severity.NOTE
    assert only(FIRES["not-established"](), "not-established").severity is Severity.DOUBTFUL


def test_the_widest_interval_is_told_of_a_figure_that_has_one() -> None:
    thin = aimed(repeat(1, count=98), repeat(2, count=100), repeat(3, count=108))
    found = only(thin, "precision-missed")
    assert found.statement.endswith("of its throughput, no interval of its p99.")


def test_cells_that_never_settled_are_not_established_where_they_were_to_be_known() -> None:
    moving = FEW_VALUES.model_copy(update={"effective": 60.0, "settled": False, "geweke": 2.5})
    run = aimed(*(repeat(each, within=moving) for each in (1, 2, 3)))
    assert "1 because its longest warm-up was too short" in only(run, "not-established").statement
    assert "precision-missed" not in ids(findings_of(run))


def test_what_was_not_counted_is_a_note_where_the_mean_hardly_misses_it() -> None:
    few = only(run_of(repeat(1), repeat(2), repeat(3, censored=under_way(400 * MS))), "slowest-not-counted")
    assert few.severity is Severity.NOTE
    deep = workload(queue_depth=16)
    many = [repeat(1, deep), repeat(2, deep), repeat(3, deep, censored=under_way(4 * SECOND_NS, 16))]
    both = only(run_of(repeat(1, censored=under_way(400 * MS)), *many), "slowest-not-counted")
    assert (both.severity, both.cells) == (Severity.INVALID, ("random-read-4KiB-qd16",))


def test_what_was_not_counted_of_a_discarded_repeat_is_missed_by_no_figure() -> None:
    gone = repeat(4, neighbours=BESIDE, censored=under_way(4 * SECOND_NS, 8))
    assert "slowest-not-counted" not in ids(findings_of(run_of(*three(), gone)))


def test_a_cell_without_any_figure_is_missed_and_told_as_that() -> None:
    found = only(aimed(*(repeat(each, **NOT_DONE) for each in (1, 2, 3))), "precision-missed")
    assert found.evidence == (("random-read-4KiB-qd8", "no interval of its throughput"),)


def test_discarded_repeats_are_told_with_their_reasons_and_with_the_mean_of_all() -> None:
    busy: dict[str, Any] = {"neighbours": (Neighbour(process=71, device="sda"),), "count": 20_000}
    found = only(run_of(*three(), repeat(4, **busy)), "repeats-discarded")
    assert found.statement == (
        "random-read-4KiB-qd8 discarded 1 of 4 repeats (1 because another run was at work on the device); "
        "8,000 IOPS without them, 7,000 with all."
    )
    assert (found.severity, found.cells) == (Severity.NOTE, ("random-read-4KiB-qd8",))


def test_a_cell_that_lost_more_than_a_third_of_its_repeats_by_what_they_show_is_doubtful_and_no_other_is() -> None:
    deep = workload(queue_depth=16)
    lost_many = [repeat(each, count=90_000 if each < 4 else 40_000 + each) for each in range(1, 8)]
    lost_one = [*(repeat(each, deep) for each in (1, 2, 3)), repeat(4, deep, neighbours=BESIDE)]
    found = only(run_of(*lost_many, *lost_one), "repeats-discarded")
    assert (found.severity, found.cells) == (Severity.DOUBTFUL, ("random-read-4KiB-qd8",))
    assert [cell for cell, _ in found.evidence] == ["random-read-4KiB-qd8", "random-read-4KiB-qd16"]
    assert "4 repeats of 2 cells in all" in found.statement


@pytest.mark.parametrize("others", [{"neighbours": BESIDE}, {"cpu": stolen(0.5)}])
def test_repeats_that_others_spoilt_are_no_choice_however_many_they_are(others: dict[str, Any]) -> None:
    found = only(run_of(*three(), *(repeat(each, **others) for each in (4, 5, 6))), "repeats-discarded")
    assert found.severity is Severity.NOTE


def test_findings_come_gravest_first() -> None:
    run = run_of(*three(queue_depth_achieved=2.0), header={"host": {"virtual_machine": "QEMU"}}, quick=True)
    assert [finding.severity for finding in findings_of(run)] == [
        Severity.INVALID,
        Severity.DOUBTFUL,
        Severity.NOTE,
    ]


def test_a_failed_measurement_is_named_with_its_reason() -> None:
    found = only(FIRES["cell-failed"](), "cell-failed")
    assert found.cells == ("random-read-4KiB-qd8",)
    assert "write at offset 4096 failed: EIO" in found.statement


def test_a_saturated_cell_names_both_rates_and_how_far_it_was_behind() -> None:
    found = only(FIRES["saturated"](), "saturated")
    assert found.severity is Severity.INVALID
    assert "gave 940 of 1,000 operations a second, 300 ms behind at its end" in found.statement
    assert found.evidence[0] == ("random-read-4KiB-rate1k", "94.0% of the rate, about 300 waiting at the end")


def test_an_engine_that_was_late_is_named_with_its_own_part_of_the_response() -> None:
    found = only(FIRES["submitted-late"](), "submitted-late")
    assert "the p99 of its own lag is 200 us, and the p99 response 1,000 us" in found.statement
