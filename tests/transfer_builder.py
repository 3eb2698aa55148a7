"""Records of long transfers with a given bandwidth in each interval."""

from collections.abc import Sequence
from typing import Any

from iosonde.records import (
    CellPlan,
    CellRecord,
    Experiment,
    Histogram,
    Operation,
    OperationTotals,
    RunRecord,
    Timing,
    WriteStep,
)
from tests.builders import cell_plan, cell_record, histogram_of, interval_record, run_record, workload

MB = 10**6
MIB = 1 << 20
MS = 10**6
SECOND = 10**9


def moved(
    rate_bytes_per_s: float, interval_ns: int, block_bytes: int, rest: float, histogram: Histogram
) -> tuple[OperationTotals, float]:
    """The operations of an interval at a rate, and the part of an operation that is left for the next one."""
    exact = rate_bytes_per_s * interval_ns / 10**9 / block_bytes + rest
    count = int(exact)
    totals = OperationTotals(
        count=count,
        bytes=count * block_bytes,
        latency_ns_sum=count * 1000,
        latency_ns_min=1000,
        latency_ns_max=1000,
        latency=histogram,
    )
    return totals, exact - count


def transfer_record(
    plan: CellPlan, rates_mb_per_s: Sequence[float], *, interval_ns: int = 100 * MS, begin_ns: int = 0, **others: Any
) -> CellRecord:
    """A finished trial of a plan with this bandwidth in each interval."""
    asked = plan.workload
    operation = Operation.READ if asked.read_percent else Operation.WRITE
    histogram = histogram_of([1000])
    rest, intervals = 0.0, []
    for index, rate in enumerate(rates_mb_per_s):
        totals, rest = moved(rate * MB, interval_ns, asked.block_size_bytes, rest, histogram)
        times = {"start_ns": begin_ns + index * interval_ns, "end_ns": begin_ns + (index + 1) * interval_ns}
        intervals.append(interval_record(index, {operation: totals} if totals.count else {}, **times))
    time_ns = len(intervals) * interval_ns
    return cell_record(plan, {}, measured_ns=time_ns, intervals=tuple(intervals), **others)


def fill_plan() -> CellPlan:
    """The cell of a preconditioning write."""
    plan = cell_plan(
        workload(pattern="sequential", read_percent=0, block_size_bytes=MIB, queue_depth=8), Experiment.FILL
    )
    return plan.model_copy(update={"cell": "fill"})


def filled_run(rates_mb_per_s: Sequence[float]) -> RunRecord:
    """A run whose preconditioning write had this bandwidth in each interval of 100 ms."""
    fill, reads = fill_plan(), cell_plan(workload(), Experiment.MATRIX)
    run = run_record([reads], [])
    write = transfer_record(fill, rates_mb_per_s, order=0)
    plan = run.header.plan.model_copy(update={"preparation": (WriteStep(order=0, cell=fill),)})
    return run.model_copy(update={"preparation": (write,), "header": run.header.model_copy(update={"plan": plan})})


def sustained(*stretches: tuple[int, Sequence[float]], read: int = 100, block_bytes: int = 4096) -> list[CellRecord]:
    """The stretches of a workload: the idle time before each in s, and its bandwidth in each interval of 100 ms."""
    records = []
    for number, (idle_s, rates) in enumerate(stretches, 1):
        timing = Timing(
            warmup_ns=0,
            measure_ns=len(rates) * SECOND // 10,
            interval_ns=SECOND // 10,
            idle_ns=idle_s * SECOND,
        )
        asked = workload(read_percent=read, block_size_bytes=block_bytes, queue_depth=32)
        plan = cell_plan(asked, Experiment.SUSTAINED, timing=timing)
        plan = plan.model_copy(update={"cell": f"{plan.cell}-{number}"})
        records.append(transfer_record(plan, rates, repeat=1, order=number + (100 if read else 0)))
    return records


def sustained_run() -> RunRecord:
    """A run with two stretches of sustained reads, each with a burst."""
    records, plans = [], []
    for number, idle_s in enumerate((0, 60), 1):
        timing = Timing(warmup_ns=0, measure_ns=40 * 10**9, interval_ns=100 * MS, idle_ns=idle_s * 10**9)
        plan = cell_plan(workload(queue_depth=32), Experiment.SUSTAINED, timing=timing)
        plans.append(plan.model_copy(update={"cell": f"{plan.cell}-{number}"}))
        records.append(transfer_record(plans[-1], [12.288] * 100 + [1.2288] * 300, repeat=1, order=number))
    return run_record(plans, records)


def run_of_transfers(records: Sequence[CellRecord]) -> RunRecord:
    """A run of these sustained trials."""
    plans = [
        cell_plan(each.workload, Experiment.SUSTAINED, timing=each.timing).model_copy(update={"cell": each.cell})
        for each in records
    ]
    return run_record(plans, records)
