"""Families: cells of one workload that differ in one parameter only, such as queue depth. A chart line joins them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import inf
from typing import Any, Final, TypeVar

from iosonde.analysis.cells import CellEstimate
from iosonde.records import Operation, Workload
from iosonde.records.workload import ALL_READS


class Along(StrEnum):
    """The parameter in which the cells of a family differ, or nothing."""

    NOTHING = "nothing"
    DEPTH = "depth"
    BLOCK_SIZE = "block_size"
    READ_SHARE = "read_share"
    SPAN = "span"
    OFFSET = "offset"


_SWEPT: Final[dict[Along, dict[str, Any]]] = {
    Along.NOTHING: {},
    Along.DEPTH: {"queue_depth": 1},
    Along.BLOCK_SIZE: {"block_size_bytes": 0},
    Along.READ_SHARE: {"read_percent": 0},
    Along.SPAN: {"span_bytes": None},
    Along.OFFSET: {"offset_bytes": 0},
}

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class CellGroup:
    """At least one cell. The workloads are equal except for what the group varies."""

    cells: tuple[CellEstimate, ...]

    @property
    def workload(self) -> Workload:
        """The workload of the first cell. The others differ from it only in what the group varies."""
        return self.cells[0].workload


@dataclass(frozen=True)
class Family(CellGroup):
    """The cells of one workload in the order of one parameter."""

    @property
    def whole(self) -> Operation:
        """The operation that represents the whole workload."""
        return whole_of(self.workload)

    @property
    def is_mix(self) -> bool:
        """Whether it has more than one operation."""
        return self.workload.only_operation is None


def whole_of(workload: Workload) -> Operation:
    """The operation that includes everything a workload does: its only one (or commits), or ``all`` for a mix.

    Little's law relates throughput and latency to the queue depth for this operation only.
    """
    return Operation.ALL if workload.only_operation is None else workload.subject


def drawn_classes(workload: Workload) -> tuple[Operation, ...]:
    """The operations that a chart of the workload shows: the only one, or each one of a mix and then ``all``."""
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
    """Groups cells that differ in one parameter only, in the order of the first cell of each family.

    Workers add to the depth if a larger number of them continues the sweep where a smaller one ends. Otherwise each
    number of workers is a family of its own. Cells that differ only in their duration are separate families, too.
    Pure reads also end the families of mixes with flushes or O_DSYNC, because reads have neither.
    """
    groups: dict[Workload, list[CellEstimate]] = {}
    for cell in cells:
        groups.setdefault(_without(cell.workload, along), []).append(cell)
    if along is Along.READ_SHARE:
        groups = with_pure_reads(groups, lambda cell: cell.workload, lambda alike: alike.pure_reads)
    return tuple(family for group in groups.values() for family in _split(group, along))


def with_pure_reads(
    groups: Mapping[_Key, Sequence[_Item]], workload_of: Callable[[_Item], Workload], common: Callable[[_Key], Hashable]
) -> dict[_Key, list[_Item]]:
    """The groups, with pure reads added to each group that differs from theirs only in keys for writes.

    ``common`` is equal for the keys of such groups. Pure reads that only end other groups are not a group of their own.
    """
    joined = {key: list(group) for key, group in groups.items()}
    for key, group in groups.items():
        pure = [each for each in group if workload_of(each).read_percent == ALL_READS]
        others = [other for other in groups if other != key and common(other) == common(key)]
        for other in others if pure else ():
            joined[other] += pure
        if others and len(pure) == len(group):
            del joined[key]
    return joined


def _without(workload: Workload, along: Along) -> Workload:
    swept = dict(_SWEPT[along])
    if along is Along.DEPTH:
        swept["jobs"] = 1
    if along is Along.BLOCK_SIZE and workload.block_sizes is not None:
        # A mix of block sizes is not a point of a sweep over block sizes.
        swept.clear()
    return workload.model_copy(update=swept)


def _split(group: Sequence[CellEstimate], along: Along) -> list[Family]:
    """One family if each position has one cell, else one per number of workers and per cell at a position."""
    if _is_continuous(group, along):
        return [_family(group, along)]
    lines: dict[tuple[int, int], list[CellEstimate]] = {}
    seen: Counter[tuple[int, float]] = Counter()
    for cell in group:
        at = (cell.workload.jobs, _place(cell.workload, along))
        lines.setdefault((at[0], seen[at]), []).append(cell)
        seen[at] += 1
    return [_family(line, along) for line in lines.values()]


def _is_continuous(group: Sequence[CellEstimate], along: Along) -> bool:
    """Whether each number of workers starts above the positions of the previous one, without duplicates."""
    places: dict[int, list[float]] = {}
    for cell in group:
        places.setdefault(cell.workload.jobs, []).append(_place(cell.workload, along))
    ordered = [sorted(places[jobs]) for jobs in sorted(places)]
    flat = [place for each in ordered for place in each]
    return all(before < after for before, after in pairwise(flat))


def _family(cells: Iterable[CellEstimate], along: Along) -> Family:
    return Family(tuple(sorted(cells, key=lambda cell: _place(cell.workload, along))))


def _place(workload: Workload, along: Along) -> float:
    """The position of a cell in the sweep."""
    if along is Along.DEPTH:
        return workload.operations_in_flight
    if along is Along.BLOCK_SIZE:
        return workload.bytes_per_operation
    if along is Along.SPAN:
        # Without a region of its own, a cell uses the whole test region, which is the largest.
        return inf if workload.span_bytes is None else workload.span_bytes
    if along is Along.OFFSET:
        return workload.offset_bytes
    return workload.read_percent if along is Along.READ_SHARE else 0.0
