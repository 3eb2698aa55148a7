"""Which cells of a test are tracked: those that the user names, else those of the specification."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.procedures import RoundValue
from iosonde.analysis.procedures.determination import IOPS_TRACKED
from iosonde.analysis.procedures.round_value import TRACKABLE
from iosonde.errors import UsageError
from iosonde.records import Tracked, Workload
from iosonde.vocabulary import ProcedureKind, Quantity

LATENCY_TRACKED: Final = ((0, 4096),)
"""Read percentage and block size of the tracking variable of the latency test (SNIA PTS 2.0.2, chapter 9)."""


@dataclass(frozen=True)
class Tracking:
    """A tracking variable that the user names: a quantity of the cell with these values; None matches any."""

    quantity: Quantity
    read_percent: int | None = None
    block_size_bytes: int | None = None
    queue_depth: int | None = None
    jobs: int | None = None

    def is_of(self, workload: Workload) -> bool:
        """Whether a workload has these values."""
        asked = (
            (self.read_percent, workload.read_percent),
            (self.block_size_bytes, workload.block_size_bytes),
            (self.queue_depth, workload.queue_depth),
            (self.jobs, workload.jobs),
        )
        return all(wanted is None or wanted == found for wanted, found in asked)


def tracked_of(
    source: str, workloads: Mapping[str, Workload], kind: ProcedureKind, asked: Sequence[Tracking]
) -> tuple[Tracked, ...]:
    """The tracking variables: those that the user names, else those of the kind of procedure. Raises UsageError."""
    if asked:
        return tuple(_named(source, workloads, each) for each in asked)
    if kind is ProcedureKind.THROUGHPUT:
        largest = max(each.block_size_bytes for each in workloads.values())
        return _known(workloads, ((0, largest),), Quantity.BYTES_PER_S)
    if kind is ProcedureKind.LATENCY:
        return _known(workloads, LATENCY_TRACKED, Quantity.LATENCY_NS_MEAN)
    return _known(workloads, IOPS_TRACKED, Quantity.IOPS)


def only_cell(cell: str, values: Sequence[RoundValue]) -> tuple[Tracked, ...]:
    """The foremost quantity of the only cell of a test, which is judged whatever its workload is."""
    known = [each for each in TRACKABLE if any(one.of(each) is not None for one in values)]
    return tuple(Tracked(cell=cell, quantity=each) for each in known[:1])


def _known(
    workloads: Mapping[str, Workload], places: Sequence[tuple[int, int]], quantity: Quantity
) -> tuple[Tracked, ...]:
    found = []
    for read_percent, size in places:
        cells = [
            (each.operations_in_flight, cell)
            for cell, each in workloads.items()
            if (each.read_percent, each.block_size_bytes) == (read_percent, size)
        ]
        # Of several demands, the largest one: the tests of the specification have one, which saturates the drive.
        found += [Tracked(cell=max(cells)[1], quantity=quantity)] if cells else []
    return tuple(found)


def _named(source: str, workloads: Mapping[str, Workload], asked: Tracking) -> Tracked:
    cells = [cell for cell, each in workloads.items() if asked.is_of(each)]
    if len(cells) != 1:
        keys = {"block_size": "size_text", "queue_depth": "queue_depth", "jobs": "jobs", "read": "read_percent"}
        differ = [key for key, name in keys.items() if len({getattr(workloads[each], name) for each in cells}) > 1]
        raise UsageError(
            f"{source}: --track matches {len(cells)} cells: {', '.join(cells[:3]) or 'none'}",
            f"name one of them by {' and '.join(differ)} as well"
            if differ
            else "name one cell, such as --track read=0,block_size=4KiB,quantity=iops",
        )
    return Tracked(cell=cells[0], quantity=asked.quantity)
