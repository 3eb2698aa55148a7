"""A synthetic run of the lab profile on a modelled drive, as ``iosonde run`` records it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from iosonde.analysis.buckets import bucket_bounds
from iosonde.analysis.histogram import bucket_of
from iosonde.analysis.totals import merge_totals
from iosonde.records import (
    Access,
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    Experiment,
    Histogram,
    IntervalRecord,
    Layout,
    Operation,
    OperationTotals,
    Phase,
    RunRecord,
    Sync,
    TargetFacts,
    Timing,
    Workload,
)
from iosonde.units import SECOND_NS
from tests.builders import QUICK_TIMING, TIMING, cell_plan, cell_record, interval_record, run_record, workload

BLOCK_SIZES_BYTES = tuple(4096 * 2**step for step in range(9))
QUEUE_DEPTHS = tuple(2**step for step in range(9))
READ_PERCENTS = (100, 70, 50, 30, 0)
TAIL_SHARE = 0.004
TAIL_FACTOR = 9.0
SPREAD = 0.22


@dataclass(frozen=True)
class Drive:
    """A drive with a latency at depth 1 and limits of IOPS and bandwidth, for reads and for writes."""

    latency_ns: Mapping[Operation, float]
    iops_max: Mapping[Operation, float]
    bytes_per_s_max: Mapping[Operation, float]
    flush_ns: float

    def rate_per_s(self, asked: Workload, operation: Operation) -> float:
        """Throughput of a closed loop: depth / latency, smoothly limited by the lower of the two limits."""
        ceiling = min(self.iops_max[operation], self.bytes_per_s_max[operation] / asked.block_size_bytes)
        if asked.pattern is Access.SEQUENTIAL:
            ceiling *= 1.15
        transfer_ns = asked.block_size_bytes / self.bytes_per_s_max[operation] * 1e9
        free = asked.queue_depth * 1e9 / (self.latency_ns[operation] + transfer_ns)
        return float((free**-3 + ceiling**-3) ** (-1 / 3))


NVME = Drive(
    latency_ns={Operation.READ: 78_000, Operation.WRITE: 21_000},
    iops_max={Operation.READ: 412_000, Operation.WRITE: 286_000},
    bytes_per_s_max={Operation.READ: 3.4e9, Operation.WRITE: 2.1e9},
    flush_ns=1_150_000,
)


def lab_plans(timing: Timing = TIMING) -> tuple[CellPlan, ...]:
    """The cells of the lab profile, each once, with all experiments that use it."""
    wanted: dict[Workload, list[Experiment]] = {}
    for experiment, asked in _lab_workloads():
        experiments = wanted.setdefault(asked, [])
        if experiment not in experiments:
            experiments.append(experiment)
    return tuple(cell_plan(asked, *experiments, timing=timing) for asked, experiments in wanted.items())


def lab_run(
    *,
    seed: int = 1,
    repeats: int = 3,
    quick: bool = False,
    with_intervals: bool = False,
    drive: Drive = NVME,
    target: TargetFacts | None = None,
    finished: bool = True,
    build_profile: str = "release",
) -> RunRecord:
    """A run of the lab profile on a modelled drive. The same seed gives the same run."""
    random = np.random.default_rng(seed)
    plans = lab_plans(QUICK_TIMING if quick else TIMING)
    records: list[CellRecord] = []
    for repeat in range(repeats):
        for plan_index in random.permutation(len(plans)):
            order = len(records)
            records.append(_measured(plans[plan_index], repeat, order, drive, random, with_intervals=with_intervals))
    run = run_record(
        plans, records, quick=quick, finished=finished, build_profile=build_profile, target=target, repeats=repeats
    )
    turns = tuple(CellTurn(order=each.order, cell=each.cell, repeat=each.repeat, seed=each.seed) for each in records)
    plan = run.header.plan.model_copy(update={"turns": turns})
    return run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})


def _lab_workloads() -> list[tuple[Experiment, Workload]]:
    baseline = [
        workload(queue_depth=1),
        workload(queue_depth=1, read_percent=0),
        workload(Access.SEQUENTIAL, 100, 131_072, 1),
        workload(Access.SEQUENTIAL, 0, 131_072, 1),
        workload(queue_depth=1, read_percent=0, sync=Sync.FDATASYNC),
        workload(queue_depth=1, read_percent=0, sync=Sync.DSYNC),
    ]
    sizes = [
        workload(pattern, read_percent, size, 8)
        for pattern in Access
        for read_percent in (100, 0)
        for size in BLOCK_SIZES_BYTES
    ]
    mixes = [workload(read_percent=percent, queue_depth=16) for percent in READ_PERCENTS]
    depths = [workload(read_percent=percent, queue_depth=depth) for percent in (100, 0) for depth in QUEUE_DEPTHS]
    tails = [workload(queue_depth=depth) for depth in (8, 64)]
    return [
        *((Experiment.BASELINE, each) for each in baseline),
        *((Experiment.BLOCK_SIZE, each) for each in sizes),
        *((Experiment.MIX, each) for each in mixes),
        *((Experiment.QUEUE_DEPTH, each) for each in depths),
        *((Experiment.TAIL, each) for each in tails),
    ]


def _measured(
    plan: CellPlan, repeat: int, order: int, drive: Drive, random: np.random.Generator, *, with_intervals: bool
) -> CellRecord:
    luck = float(random.normal(1.0, 0.006))
    seed = int(random.integers(0, 2**63))
    intervals: tuple[IntervalRecord, ...] = ()
    if with_intervals:
        intervals = _intervals(plan, drive, luck, random)
        measured = [each for each in intervals if each.phase is Phase.MEASURE]
        operations = {
            operation: merged
            for operation in measured[0].operations
            if (merged := merge_totals([each.operations[operation] for each in measured])) is not None
        }
    else:
        operations = _operations(plan, drive, luck, plan.timing.measure_ns, random)
    count = sum(totals.count for totals in operations.values())
    return cell_record(
        plan,
        operations,
        repeat=repeat,
        order=order,
        seed=seed,
        intervals=intervals,
        queue_depth_achieved=plan.workload.queue_depth * 0.988,
        cpu_ns=round(count * 2_300),
        clock_start=ClockPair(engine_ns=0, wall_ns=order * 6 * SECOND_NS, raw_ns=0),
    )


def _intervals(plan: CellPlan, drive: Drive, luck: float, random: np.random.Generator) -> tuple[IntervalRecord, ...]:
    length = plan.timing.interval_ns
    warmups = plan.timing.warmup_ns // length
    total = warmups + plan.timing.measure_ns // length
    return tuple(
        interval_record(
            index,
            _operations(plan, drive, luck, length, random),
            phase=Phase.WARMUP if index < warmups else Phase.MEASURE,
            start_ns=index * length,
            end_ns=(index + 1) * length,
            in_flight_ns=round(plan.workload.queue_depth * 0.988 * length),
        )
        for index in range(total)
    )


def _operations(
    plan: CellPlan, drive: Drive, luck: float, duration_ns: int, random: np.random.Generator
) -> dict[Operation, OperationTotals]:
    asked = plan.workload
    if asked.sync is not Sync.NONE:
        return _durable(asked, drive, luck, duration_ns, random)
    shares = {Operation.READ: asked.read_percent / 100, Operation.WRITE: 1 - asked.read_percent / 100}
    busy = sum(share / drive.rate_per_s(asked, operation) for operation, share in shares.items() if share)
    rate = luck / busy * (1 - 0.25 * min(shares.values()) * 2)
    mean_ns = asked.queue_depth * 0.988 / rate * 1e9
    weight = {Operation.READ: 1.15, Operation.WRITE: 0.8} if min(shares.values()) else dict.fromkeys(shares, 1.0)
    scale = sum(share * weight[operation] for operation, share in shares.items())
    return {
        operation: modelled_totals(
            round(rate * share * duration_ns / 1e9), mean_ns * weight[operation] / scale, asked.block_size_bytes, random
        )
        for operation, share in shares.items()
        if share
    }


def _durable(
    asked: Workload, drive: Drive, luck: float, duration_ns: int, random: np.random.Generator
) -> dict[Operation, OperationTotals]:
    write_ns, flush_ns = drive.latency_ns[Operation.WRITE] / luck, drive.flush_ns / luck
    count = round(duration_ns / (write_ns + flush_ns))
    size = asked.block_size_bytes
    if asked.sync is Sync.DSYNC:
        return {Operation.WRITE: modelled_totals(count, write_ns + flush_ns, size, random)}
    return {
        Operation.WRITE: modelled_totals(count, write_ns, size, random),
        Operation.FLUSH: modelled_totals(count, flush_ns, 0, random),
        Operation.COMMIT: modelled_totals(count, write_ns + flush_ns, size, random),
    }


def modelled_totals(count: int, mean_ns: float, size_bytes: int, random: np.random.Generator) -> OperationTotals:
    """Totals of ``count`` log-normal latencies, one in 250 nine times as slow. Draws bucket counts, for speed."""
    layout = Layout()
    body = mean_ns / (1 + TAIL_SHARE * (TAIL_FACTOR - 1)) / np.exp(SPREAD**2 / 2)
    bucket = np.arange(bucket_of(layout, int(body * 0.3)), bucket_of(layout, int(body * TAIL_FACTOR * 3)) + 1)
    low, high = bucket_bounds(layout, bucket)
    edges = np.log(np.append(low, high[-1]).astype(np.float64) / body) / SPREAD
    below = (1 - TAIL_SHARE) * ndtr(edges) + TAIL_SHARE * ndtr(edges - np.log(TAIL_FACTOR) / SPREAD)
    share = np.diff(below)
    drawn = random.multinomial(count, share / share.sum())
    hit = np.flatnonzero(drawn)
    middle = low + (high - low) // 2
    return OperationTotals(
        count=count,
        bytes=count * size_bytes,
        latency_ns_sum=int((drawn[hit] * middle[hit]).sum()),
        latency_ns_min=int(middle[hit[0]]),
        latency_ns_max=int(middle[hit[-1]]),
        latency=Histogram(layout=layout, bucket=tuple(bucket[hit].tolist()), count=tuple(drawn[hit].tolist())),
    )
