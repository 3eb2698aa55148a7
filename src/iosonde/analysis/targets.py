"""The results of each of several targets, over the repeats of a cell."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.estimate import Estimate, estimate_known
from iosonde.records import CellRecord, Operation, ShareTotals, device_depth
from iosonde.units import SECOND_NS

SEVERAL = 2


@dataclass(frozen=True)
class TargetEstimate:
    """One operation of one cell on one target. ``target`` is its index among the run's targets, from 0.

    ``queue_depth_achieved`` and ``queue_depth_device`` are None if the engine does not report them.
    """

    cell: str
    target: int
    operation: Operation
    queue_depth_achieved: Estimate | None
    queue_depth_device: Estimate | None
    iops: Estimate
    bytes_per_s: Estimate
    latency_ns_mean: Estimate
    latency_ns_max: int


def estimate_targets(cells: Sequence[CellEstimate]) -> tuple[TargetEstimate, ...]:
    """The results per target of all cells with several targets, from the used repeats and with their weights."""
    return tuple(found for cell in cells for found in _of_cell(cell))


def _of_cell(cell: CellEstimate) -> Iterator[TargetEstimate]:
    subject = cell.subject
    repeats = [record for record in cell.repeats.used if len(record.targets) >= SEVERAL]
    weights = None if subject is None else subject.iops.weights
    for target in range(min((len(record.targets) for record in repeats), default=0)):
        for operation in Operation:
            found = [record.targets[target].operations.get(operation) for record in repeats]
            if any(totals is not None and totals.count for totals in found):
                yield _estimated(cell.cell, target, operation, list(zip(repeats, found, strict=True)), weights)


def _estimated(
    cell: str,
    target: int,
    operation: Operation,
    pairs: Sequence[tuple[CellRecord, ShareTotals | None]],
    weights: Sequence[float] | None,
) -> TargetEstimate:
    def known(value: Callable[[CellRecord, ShareTotals], float], nothing: float | None = 0.0) -> Estimate:
        made = estimate_known(
            [value(record, totals) if totals and totals.count else nothing for record, totals in pairs], weights
        )
        assert made is not None, "some operations completed"
        return made

    depths = [(record.targets[target].in_flight_ns, record.measured_ns) for record, _ in pairs]
    return TargetEstimate(
        cell=cell,
        target=target,
        operation=operation,
        queue_depth_achieved=estimate_known(
            [None if in_flight_ns is None else in_flight_ns / measured_ns for in_flight_ns, measured_ns in depths],
            weights,
        ),
        queue_depth_device=estimate_known(
            [
                device_depth(share.in_flight_ns, share.backlog_ns, record.measured_ns)
                for record, share in ((record, record.targets[target]) for record, _ in pairs)
            ],
            weights,
        ),
        iops=known(lambda record, totals: totals.count * SECOND_NS / record.measured_ns),
        bytes_per_s=known(lambda record, totals: totals.bytes * SECOND_NS / record.measured_ns),
        latency_ns_mean=known(lambda _, totals: totals.latency_ns_sum / totals.count, None),
        latency_ns_max=max(totals.latency_ns_max for _, totals in pairs if totals is not None),
    )
