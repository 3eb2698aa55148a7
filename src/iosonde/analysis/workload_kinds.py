"""The kinds of workload in a campaign, in the order of the headline, and the cells that the headline shows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import CellGroup, whole_of
from iosonde.records import Access, Data, Experiment, Operation, Sync, Workload

SMALL_BLOCK_BYTES: Final = 4096
"""Random I/O is reported at this block size if it was measured, as in data sheets and in other runs."""


@dataclass(frozen=True)
class Kind(CellGroup):
    """Cells that differ only in block size, queue depth, number of workers or number of targets."""

    @property
    def is_stream(self) -> bool:
        """Whether it is sequential, and reported as bandwidth at any block size."""
        return self.workload.pattern is Access.SEQUENTIAL

    @property
    def compared(self) -> Sequence[CellEstimate]:
        """The candidates for the best throughput: all cells of a stream, else those of one block size."""
        return self.cells if self.is_stream else at_one_size(self.cells)

    @property
    def whole(self) -> Operation:
        """The operation of its throughput: commits if each write is flushed, the only operation, or ``all``."""
        return Operation.COMMIT if self.workload.flushes_each else whole_of(self.workload)

    @property
    def without_queue(self) -> list[CellEstimate]:
        """The cells with one operation in flight on each target."""
        return [cell for cell in self.cells if cell.workload.operations_in_flight_each == 1]


def kinds_of(cells: Iterable[CellEstimate]) -> list[Kind]:
    """Random reads and writes, then sequential ones, then usual mixes, then all others, each in the plan's order.

    Durable writes are not included: the headline shows them separately. Mixes of an experiment that sweeps the read
    share are only in its own section, unless the campaign has no other cells.
    """
    worth = [cell for cell in cells if not _is_durable(cell.workload)]
    without_shares = [cell for cell in worth if not _is_share_alone(cell)]
    found: dict[Workload, list[CellEstimate]] = {}
    for cell in without_shares or worth:
        found.setdefault(_shape(cell.workload), []).append(cell)
    return sorted((Kind(tuple(each)) for each in found.values()), key=_rank)


def leading_cells(cells: Sequence[CellEstimate]) -> frozenset[str]:
    """The names of the most important cells with results.

    These are the cell with the highest throughput and the cells at queue depth 1 of each kind, durable writes, and the
    first cell of the tail experiment. Sequential cells are compared by bandwidth at any block size, all others by IOPS
    at one block size.
    """
    closed = [cell for cell in cells if not cell.workload.is_open_loop]
    durable = [cell for cell in closed if _is_durable(cell.workload)]
    tails = [cell for cell in cells if Experiment.TAIL in cell.experiments]
    found = [*at_one_size(durable), *tails[:1]]
    for kind in kinds_of(closed):
        found.append(max(kind.compared, key=_throughput))
        found.extend([] if kind.is_stream else at_one_size(kind.without_queue))
    return frozenset(cell.cell for cell in found)


def _throughput(cell: CellEstimate) -> float:
    figures = cell.subject
    if figures is None:
        return 0.0
    is_stream = cell.workload.pattern is Access.SEQUENTIAL
    return figures.bytes_per_s.mean if is_stream else figures.iops.mean


def at_one_size(cells: Sequence[CellEstimate]) -> list[CellEstimate]:
    """The cells of 4 KiB or, without any, of the smallest block size. Different sizes are never compared."""
    sizes = {cell.workload.block_size_bytes for cell in cells}
    size = SMALL_BLOCK_BYTES if SMALL_BLOCK_BYTES in sizes else min(sizes, default=0)
    return [cell for cell in cells if cell.workload.block_size_bytes == size]


def is_plain(workload: Workload) -> bool:
    """Whether headlines can compare it: no flushes, one block size, the whole test region, random data, no pauses."""
    unusual = (workload.compressible_percent, workload.duplicates_percent, workload.verify)
    return workload.sync is Sync.NONE and workload.is_usual and workload.data is Data.RANDOM and not any(unusual)


def _is_durable(workload: Workload) -> bool:
    return workload.sync is not Sync.NONE and workload.only_operation is Operation.WRITE and workload.is_usual


def _is_share_alone(cell: CellEstimate) -> bool:
    return set(cell.experiments) == {Experiment.MIX} and cell.workload.only_operation is None


def _shape(workload: Workload) -> Workload:
    """The workload without block size, queue depth, rate, workers and targets. It identifies the kind."""
    sizes = {} if workload.block_sizes is not None else {"block_size_bytes": 0}
    others = {"queue_depth": 1, "jobs": 1, "targets": 1, "rate_per_s": None, "arrivals": None}
    return workload.model_copy(update={**sizes, **others})


_FIRST: Final = {
    (str(pattern), operation): rank
    for rank, (pattern, operation) in enumerate(product(Access, (Operation.READ, Operation.WRITE)))
}


def _rank(kind: Kind) -> int:
    asked = kind.workload
    if not is_plain(asked):
        return len(_FIRST) + 1
    if asked.only_operation is None:
        return len(_FIRST)
    return _FIRST.get((str(asked.pattern), asked.only_operation), len(_FIRST) + 1)
