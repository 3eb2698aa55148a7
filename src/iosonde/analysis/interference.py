"""Interference in mixes: what reads and writes cost together, compared with each of them alone.

Without interference, the mean latency of a closed loop that mixes reads and writes is the mean of the two pure
workloads, weighted by their shares: by Little's law this is the throughput of a target that serves each operation as
fast as in its pure workload.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.contrasts import Multiple, cells_by_workload, counterpart, multiple_of, multiple_of_percentiles
from iosonde.analysis.ratios import Known, known_of, ratio_of
from iosonde.records import Operation, Workload
from iosonde.records.workload import ALL_READS

PERCENTS: Final = (95.0, 99.0)


@dataclass(frozen=True)
class DirectionInMix:
    """Latencies of the reads (or writes) of a mix, each divided by that of the pure workload.

    A percentile is None if it has too few samples in one of the two.
    """

    operation: Operation
    latency_mean: Multiple
    latency_p95: Multiple | None
    latency_p99: Multiple | None


@dataclass(frozen=True)
class Interference:
    """A mix compared with its two pure workloads, the cells ``pure``: the reads and the writes.

    ``latency_of_weighted`` is the mean latency of all operations divided by the weighted mean of the pure workloads. A
    value above 1 is the excess.
    """

    cell: CellEstimate
    pure: tuple[CellEstimate, CellEstimate]
    reads: DirectionInMix
    writes: DirectionInMix
    latency_of_weighted: Multiple


def interference_of(mixes: Iterable[CellEstimate], cells: Iterable[CellEstimate]) -> tuple[Interference, ...]:
    """The interference in each mix of a closed loop whose two pure workloads are among ``cells``.

    The intervals of one quantity hold together for all mixes with 95 % confidence.
    """
    known = cells_by_workload(cells)
    mixed = [cell for cell in mixes if is_mix(cell)]
    found = (_interference(cell, known, len(mixed)) for cell in mixed)
    return tuple(each for each in found if each is not None)


def is_mix(cell: CellEstimate) -> bool:
    """Whether a cell mixes reads and writes in a closed loop, without trims and flushes."""
    asked = cell.workload
    plain = not asked.is_open_loop and not asked.trim_percent and not asked.flushes_each
    return plain and 0 < asked.read_percent < ALL_READS


def reads_of_writes(cell: CellEstimate) -> Multiple | None:
    """The mean latency of a mix's reads divided by that of its writes; None if it is no mix, or one has no results."""
    reads, writes = cell.of(Operation.READ), cell.of(Operation.WRITE)
    if not is_mix(cell) or reads is None or writes is None or not writes.latency_ns_mean.mean:
        return None
    return multiple_of(reads.latency_ns_mean, writes.latency_ns_mean)


def _interference(
    cell: CellEstimate, known: Mapping[Workload, Sequence[CellEstimate]], comparisons: int
) -> Interference | None:
    asked = cell.workload
    pure_reads = counterpart(cell, asked.pure_reads, known)
    pure_writes = counterpart(cell, asked.model_copy(update={"read_percent": 0}), known)
    if pure_reads is None or pure_writes is None:
        return None
    reads_alone, writes_alone = pure_reads.of(Operation.READ), pure_writes.of(Operation.WRITE)
    reads, writes, whole = (cell.of(operation) for operation in (Operation.READ, Operation.WRITE, Operation.ALL))
    if reads_alone is None or writes_alone is None or reads is None or writes is None or whole is None:
        return None
    if not (reads_alone.latency_ns_mean.mean and writes_alone.latency_ns_mean.mean):
        return None
    share = cell.workload.read_percent / ALL_READS
    return Interference(
        cell,
        (pure_reads, pure_writes),
        _direction(reads, reads_alone, comparisons),
        _direction(writes, writes_alone, comparisons),
        _weighted(whole, ((share, reads_alone), (1 - share, writes_alone)), comparisons),
    )


def _direction(mixed: OperationEstimate, alone: OperationEstimate, comparisons: int) -> DirectionInMix:
    p95, p99 = (
        multiple_of_percentiles(mixed.percentile(each), alone.percentile(each), comparisons) for each in PERCENTS
    )
    return DirectionInMix(
        mixed.operation, multiple_of(mixed.latency_ns_mean, alone.latency_ns_mean, comparisons), p95, p99
    )


def _weighted(whole: OperationEstimate, alone: Sequence[tuple[float, OperationEstimate]], comparisons: int) -> Multiple:
    """The mean latency of a mix divided by the weighted mean of its pure workloads.

    The weighted mean has as many degrees of freedom as the less certain of its two parts.
    """
    expected = sum(share * figures.latency_ns_mean.mean for share, figures in alone)
    value = whole.latency_ns_mean.mean / expected
    measured = known_of(whole.latency_ns_mean)
    parts = [
        (share * each.value, each)
        for share, figures in alone
        if (each := known_of(figures.latency_ns_mean)) is not None
    ]
    if measured is None or len(parts) < len(alone):
        return Multiple(value, None)
    error = hypot(*(weight * each.relative_error for weight, each in parts)) / expected
    degrees = min(each.degrees_of_freedom for _, each in parts)
    return Multiple(value, ratio_of(measured, Known(expected, error, degrees), comparisons))
