"""What each of several targets gave by itself, over the repeats of a cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde.analysis.estimate import Estimate, estimate
from iosonde.records import CellRecord, Operation, Outcome, ShareTotals
from iosonde.units import SECOND_NS

SEVERAL = 2


@dataclass(frozen=True)
class TargetEstimate:
    """One class of operations of one cell on one target; ``target`` is its place among the run's targets, from 0.

    ``queue_depth_achieved`` is None where the engine does not know it.
    """

    cell: str
    target: int
    operation: Operation
    queue_depth_achieved: Estimate | None
    iops: Estimate
    bytes_per_s: Estimate
    latency_ns_mean: Estimate
    latency_ns_max: int


def estimate_targets(records: Sequence[CellRecord]) -> tuple[TargetEstimate, ...]:
    """The figures by target of all finished cells that had several, in the order of the records' first repeats."""
    several = [record for record in records if len(record.targets) >= SEVERAL and record.measured_ns > 0]
    finished = [record for record in several if record.outcome is Outcome.FINISHED]
    by_cell: dict[str, list[CellRecord]] = {}
    for record in finished:
        by_cell.setdefault(record.cell, []).append(record)
    return tuple(found for repeats in by_cell.values() for found in _of_cell(repeats))


def _of_cell(repeats: Sequence[CellRecord]) -> Iterator[TargetEstimate]:
    for target in range(min(len(record.targets) for record in repeats)):
        for operation in Operation:
            pairs = [
                (record, totals)
                for record in repeats
                if (totals := record.targets[target].operations.get(operation)) is not None and totals.count
            ]
            if pairs:
                yield _estimated(target, operation, pairs)


def _estimated(target: int, operation: Operation, pairs: Sequence[tuple[CellRecord, ShareTotals]]) -> TargetEstimate:
    iops = estimate([totals.count * SECOND_NS / record.measured_ns for record, totals in pairs])
    bytes_per_s = estimate([totals.bytes * SECOND_NS / record.measured_ns for record, totals in pairs])
    latency_ns_mean = estimate([totals.latency_ns_sum / totals.count for _, totals in pairs])
    depths = [(record.targets[target].in_flight_ns, record.measured_ns) for record, _ in pairs]
    depth = estimate([in_flight_ns / measured_ns for in_flight_ns, measured_ns in depths if in_flight_ns is not None])
    assert iops is not None
    assert bytes_per_s is not None
    assert latency_ns_mean is not None
    return TargetEstimate(
        cell=pairs[0][0].cell,
        target=target,
        operation=operation,
        queue_depth_achieved=depth,
        iops=iops,
        bytes_per_s=bytes_per_s,
        latency_ns_mean=latency_ns_mean,
        latency_ns_max=max(totals.latency_ns_max for _, totals in pairs),
    )
