"""Cells of one workload that differ in one thing alone, such as their depth: what one line of a chart may join."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from iosonde.analysis.cells import CellEstimate
from iosonde.records import Operation, Workload


class Along(StrEnum):
    """What the cells of a family differ in: nothing, or the one thing that a sweep goes over."""

    NOTHING = "nothing"
    DEPTH = "depth"
    BLOCK_SIZE = "block_size"
    READ_SHARE = "read_share"


_SWEPT: Final[dict[Along, dict[str, Any]]] = {
    Along.NOTHING: {},
    Along.DEPTH: {"queue_depth": 1},
    Along.BLOCK_SIZE: {"block_size_bytes": 0},
    Along.READ_SHARE: {"read_percent": 0},
}


@dataclass(frozen=True)
class CellGroup:
    """Cells whose workloads are alike but for what the group varies; there is at least one."""

    cells: tuple[CellEstimate, ...]

    @property
    def workload(self) -> Workload:
        """The workload of the first cell; the others differ from it only in what the group varies."""
        return self.cells[0].workload


@dataclass(frozen=True)
class Family(CellGroup):
    """The cells of one workload along one parameter, in its order."""

    @property
    def whole(self) -> Operation:
        """The class that stands for the workload as a whole."""
        return whole_of(self.workload)

    @property
    def is_mix(self) -> bool:
        """Whether its operations are of several kinds."""
        return self.workload.only_operation is None


def whole_of(workload: Workload) -> Operation:
    """The class that holds all that a workload does: its only one (commits, if each write is flushed), or all of a mix.

    Only of this class do throughput and latency belong to the depth, by Little's law.
    """
    return Operation.ALL if workload.only_operation is None else workload.subject


def drawn_classes(workload: Workload) -> tuple[Operation, ...]:
    """The classes that a chart of the workload has: what a pure one does; of a mix each kind, then all of them."""
    if workload.only_operation is not None:
        return (workload.subject,)
    asked = {
        Operation.READ: workload.reads,
        Operation.WRITE: workload.writes and not workload.flushes_each,
        Operation.COMMIT: workload.writes and workload.flushes_each,
        Operation.TRIM: workload.trim_percent > 0,
    }
    return (*(operation for operation, is_asked in asked.items() if is_asked), Operation.ALL)


def families_of(cells: Iterable[CellEstimate], along: Along) -> tuple[Family, ...]:
    """Cells that differ in one thing alone, in the order of the first of each.

    Workers count as depth where more of them go on where fewer have ended; else each number of them is a family. So
    are cells that differ in nothing but how long they last.
    """
    groups: dict[Workload, list[CellEstimate]] = {}
    for cell in cells:
        groups.setdefault(_without(cell.workload, along), []).append(cell)
    return tuple(family for group in groups.values() for family in _split(group, along))


def _without(workload: Workload, along: Along) -> Workload:
    swept = dict(_SWEPT[along])
    if along is Along.DEPTH:
        swept["jobs"] = 1
    if along is Along.BLOCK_SIZE and workload.block_sizes is not None:
        # A mix of sizes is no point of a sweep over sizes.
        swept.clear()
    return workload.model_copy(update=swept)


def _split(group: Sequence[CellEstimate], along: Along) -> list[Family]:
    """One family where each place has one cell, else one for each number of workers, and for each cell of a place."""
    if _goes_on(group, along):
        return [_family(group, along)]
    lines: dict[tuple[int, int], list[CellEstimate]] = {}
    seen: Counter[tuple[int, float]] = Counter()
    for cell in group:
        at = (cell.workload.jobs, _place(cell.workload, along))
        lines.setdefault((at[0], seen[at]), []).append(cell)
        seen[at] += 1
    return [_family(line, along) for line in lines.values()]


def _goes_on(group: Sequence[CellEstimate], along: Along) -> bool:
    """Whether each number of workers begins beyond the places of the one before, and no place has two cells."""
    places: dict[int, list[float]] = {}
    for cell in group:
        places.setdefault(cell.workload.jobs, []).append(_place(cell.workload, along))
    ordered = [sorted(places[jobs]) for jobs in sorted(places)]
    flat = [place for each in ordered for place in each]
    return all(before < after for before, after in pairwise(flat))


def _family(cells: Iterable[CellEstimate], along: Along) -> Family:
    return Family(tuple(sorted(cells, key=lambda cell: _place(cell.workload, along))))


def _place(workload: Workload, along: Along) -> float:
    """Where a cell stands along the sweep."""
    if along is Along.DEPTH:
        return workload.operations_in_flight
    if along is Along.BLOCK_SIZE:
        return workload.bytes_per_operation
    return workload.read_percent if along is Along.READ_SHARE else 0.0
