"""Builds the estimates of cells with chosen mean latencies. Their throughput follows from Little's law."""

from collections.abc import Mapping, Sequence

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.histogram import bucket_of
from iosonde.records import (
    CellPlan,
    CellRecord,
    Experiment,
    Histogram,
    Layout,
    Operation,
    OperationTotals,
    RunRecord,
    Workload,
)
from tests.builders import TIMING, cell_plan, cell_record, run_record, target_facts

LAYOUT = Layout(buckets_per_octave=128)


def steady_totals(count: int, latency_ns: float, block_size_bytes: int, tail_ns: float = 0) -> OperationTotals:
    """The totals of operations that all have the same latency, except for 2 % with ``tail_ns`` if it is not 0."""
    slow = count // 50 if tail_ns else 0
    each = {round(latency_ns): count - slow, **({round(tail_ns): slow} if slow else {})}
    buckets = {bucket_of(LAYOUT, value): number for value, number in each.items()}
    order = tuple(sorted(buckets))
    return OperationTotals(
        count=count,
        bytes=count * block_size_bytes,
        latency_ns_sum=sum(value * number for value, number in each.items()),
        latency_ns_min=min(each),
        latency_ns_max=max(each),
        latency=Histogram(layout=LAYOUT, bucket=order, count=tuple(buckets[at] for at in order)),
    )


def repeats_of(
    asked: Workload, latencies_ns: Sequence[float], experiment: Experiment
) -> tuple[CellPlan, list[CellRecord]]:
    """A closed-loop cell whose repeats have these mean latencies. Its queue is always full."""
    plan = cell_plan(asked, experiment)
    records = []
    for repeat, latency_ns in enumerate(latencies_ns):
        count = round(asked.operations_in_flight * TIMING.measure_ns / latency_ns)
        records.append(cell_record(plan, _operations(asked, count, latency_ns), repeat=repeat))
    return plan, records


def _operations(asked: Workload, count: int, latency_ns: float) -> dict[Operation, OperationTotals]:
    size = asked.block_size_bytes
    if asked.flushes_each:
        totals = steady_totals(count, latency_ns, size)
        return {Operation.WRITE: totals, Operation.COMMIT: totals}
    if asked.only_operation is not None:
        return {asked.only_operation: steady_totals(count, latency_ns, size)}
    reads = count * asked.read_percent // 100
    return {
        Operation.READ: steady_totals(reads, latency_ns, size),
        Operation.WRITE: steady_totals(count - reads, latency_ns, size),
    }


def run_of_cells(
    cells: Mapping[Workload, Sequence[float]], experiment: Experiment = Experiment.BLOCK_SIZE, *, in_turn: bool = True
) -> RunRecord:
    """A run of these cells, each with the mean latencies of its repeats in ns.

    ``in_turn`` is whether each repeat of all cells is measured before the next one; else all repeats of a cell are
    measured one after another.
    """
    made = [repeats_of(asked, latencies_ns, experiment) for asked, latencies_ns in cells.items()]
    ordered = sorted(
        (record for _, records in made for record in records), key=lambda record: record.repeat if in_turn else 0
    )
    records = [record.model_copy(update={"order": order}) for order, record in enumerate(ordered, start=1)]
    return run_record([plan for plan, _ in made], records, target=target_facts(span_bytes=100 * 2**30))


def cells_of(
    cells: Mapping[Workload, Sequence[float]], experiment: Experiment = Experiment.BLOCK_SIZE
) -> tuple[CellEstimate, ...]:
    """The estimates of such a run's cells."""
    return estimate_run(run_of_cells(cells, experiment)).cells
