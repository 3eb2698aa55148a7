"""The kinds of workload that a campaign holds, in the order in which a headline tells them, and the cells it tells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import CellGroup, whole_of
from iosonde.records import Access, Data, Experiment, Operation, Sync, Workload

SMALL_BLOCK_BYTES: Final = 4096
"""Random operations are told at this size wherever it was measured, because data sheets and other runs do so."""


@dataclass(frozen=True)
class Kind(CellGroup):
    """Cells that do the same in other sizes, at other depths, by other numbers of workers or on more targets."""

    @property
    def is_stream(self) -> bool:
        """Whether it is sequential: told by its bandwidth, at any block size."""
        return self.workload.pattern is Access.SEQUENTIAL

    @property
    def compared(self) -> Sequence[CellEstimate]:
        """Those among which the best throughput is looked for: all of a stream, else those of one block size."""
        return self.cells if self.is_stream else at_one_size(self.cells)

    @property
    def whole(self) -> Operation:
        """The class that its throughput is told of: commits wherever each write is flushed, all of another mix."""
        return Operation.COMMIT if self.workload.flushes_each else whole_of(self.workload)

    @property
    def without_queue(self) -> list[CellEstimate]:
        """Those with one operation in flight on each target."""
        return [cell for cell in self.cells if cell.workload.operations_in_flight_each == 1]


def kinds_of(cells: Iterable[CellEstimate]) -> list[Kind]:
    """Random reads and writes, then sequential ones, then usual mixes, then all else, each in the plan's order.

    Durable writes are none: the headline has a place for them. Mixes of which an experiment sweeps the share of reads
    are told by its section, unless the campaign holds nothing else.
    """
    worth = [cell for cell in cells if not _is_durable(cell.workload)]
    without_shares = [cell for cell in worth if not _is_share_alone(cell)]
    found: dict[Workload, list[CellEstimate]] = {}
    for cell in without_shares or worth:
        found.setdefault(_shape(cell.workload), []).append(cell)
    return sorted((Kind(tuple(each)) for each in found.values()), key=_rank)


def leading_cells(cells: Sequence[CellEstimate]) -> frozenset[str]:
    """The names of the cells that a reader looks at first, as far as they are known.

    Of each kind the one with most throughput and those without a queue, durable writes, and the first cell of the tail.
    Streams are compared by bandwidth at any size, all else by operations at one size.
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
    """Those of 4 KiB or, where there are none, of the smallest size: no best is taken over several sizes."""
    sizes = {cell.workload.block_size_bytes for cell in cells}
    size = SMALL_BLOCK_BYTES if SMALL_BLOCK_BYTES in sizes else min(sizes, default=0)
    return [cell for cell in cells if cell.workload.block_size_bytes == size]


def is_plain(workload: Workload) -> bool:
    """Whether it is as headlines compare: no flushes, blocks of one size anywhere, random data, no rests."""
    unusual = (workload.compressible_percent, workload.duplicates_percent, workload.verify)
    return workload.sync is Sync.NONE and workload.is_usual and workload.data is Data.RANDOM and not any(unusual)


def _is_durable(workload: Workload) -> bool:
    return workload.sync is not Sync.NONE and workload.only_operation is Operation.WRITE and workload.is_usual


def _is_share_alone(cell: CellEstimate) -> bool:
    return set(cell.experiments) == {Experiment.MIX} and cell.workload.only_operation is None


def _shape(workload: Workload) -> Workload:
    """What makes a kind: all but size, depth, rate, workers and targets."""
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
