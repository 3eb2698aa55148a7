"""Contrasts: pairs of cells of one run that differ in one property only, with the ratios of their figures.

The properties are the access pattern (random or sequential), the direction (read or write), and durability (with a
flush or O_DSYNC, or without). The intervals of all pairs of one property hold together with 95 % confidence.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from math import log
from typing import Any, Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate, PercentileEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.histogram import TAIL_PERCENT
from iosonde.analysis.ratios import Known, Ratio, known_of, ratio_of
from iosonde.records import Access, Sync, Workload
from iosonde.records.workload import ALL_READS


class Property(StrEnum):
    """The property in which the two cells of a contrast differ."""

    PATTERN = "pattern"
    DIRECTION = "direction"
    DURABILITY = "durability"


NEAR: Final = 0.05
"""Two cells come together if their ratio certainly or probably differs from 1 by no more than this."""


WIDE: Final = 4.0
"""An interval that reaches this many times the ratio says little about its size."""


@dataclass(frozen=True)
class Multiple:
    """One figure divided by another. ``ratio`` has the interval; it is None if one of the two has one repeat."""

    value: float
    ratio: Ratio | None

    @property
    def is_near(self) -> bool:
        """Whether the two figures are not distinguishable, or differ by at most ``NEAR``."""
        return abs(self.value - 1) <= NEAR or (self.ratio is not None and not self.ratio.differs)

    @property
    def is_wide(self) -> bool:
        """Whether its interval is too wide to be worth reading."""
        return self.ratio is not None and self.ratio.high > WIDE * self.value


@dataclass(frozen=True)
class Contrast:
    """Two cells that differ in one property, and the figures of ``one`` divided by those of ``other``.

    ``one`` is random, reads, or is durable. ``latency_p99`` is None if a p99 has too few samples.
    """

    differs_in: Property
    one: CellEstimate
    other: CellEstimate
    iops: Multiple
    latency_mean: Multiple
    latency_p99: Multiple | None


@dataclass(frozen=True)
class _Pair:
    one: CellEstimate
    other: CellEstimate
    one_figures: OperationEstimate
    other_figures: OperationEstimate


def contrasts_of(cells: Iterable[CellEstimate]) -> tuple[Contrast, ...]:
    """All contrasts among closed-loop cells that have results, in the order of the cells."""
    known = [
        cell
        for cell in cells
        if not cell.workload.is_open_loop and cell.subject is not None and cell.subject.iops.mean > 0
    ]
    by_workload = cells_by_workload(known)
    found: list[Contrast] = []
    for differs_in in Property:
        pairs = [
            _Pair(cell, other, cell.subject, other.subject)
            for cell in known
            if (other := _counterpart(cell, differs_in, by_workload)) is not None
            and cell.subject is not None
            and other.subject is not None
        ]
        found += (_contrast(differs_in, pair, len(pairs)) for pair in pairs)
    return tuple(found)


def cells_by_workload(cells: Iterable[CellEstimate]) -> dict[Workload, list[CellEstimate]]:
    """The cells of each workload. There are several if they differ in how long they last."""
    found: dict[Workload, list[CellEstimate]] = {}
    for cell in cells:
        found.setdefault(cell.workload, []).append(cell)
    return found


def counterpart(
    cell: CellEstimate, workload: Workload | None, cells: Mapping[Workload, Sequence[CellEstimate]]
) -> CellEstimate | None:
    """The cell of another workload that lasts as long, or the only one; None if there is none, or no telling which."""
    others = () if workload is None else cells.get(workload, ())
    alike = [other for other in others if other.timing == cell.timing]
    return alike[0] if alike else others[0] if len(others) == 1 else None


def _counterpart(
    cell: CellEstimate, differs_in: Property, cells: Mapping[Workload, Sequence[CellEstimate]]
) -> CellEstimate | None:
    """The other cell of a contrast. Reads are compared with plain writes, else with durable ones."""
    opposite = _opposite(cell.workload, differs_in)
    if opposite is None or differs_in is not Property.DIRECTION:
        return counterpart(cell, opposite, cells)
    writes = (opposite.model_copy(update={"sync": sync}) for sync in Sync)
    return next((other for each in writes if (other := counterpart(cell, each, cells)) is not None), None)


def _opposite(workload: Workload, differs_in: Property) -> Workload | None:
    """The workload to compare with; None if this one is not the first of a pair."""
    changes: Mapping[str, Any] | None = None
    match differs_in:
        case Property.PATTERN if workload.pattern is Access.RANDOM:
            changes = {"pattern": Access.SEQUENTIAL}
        case Property.DIRECTION if workload.read_percent == ALL_READS:
            changes = {"read_percent": 0}
        case Property.DURABILITY if workload.sync is not Sync.NONE:
            changes = {"sync": Sync.NONE, "flush_every": 1}
    return None if changes is None else workload.model_copy(update=changes)


def _contrast(differs_in: Property, pair: _Pair, comparisons: int) -> Contrast:
    one, other = pair.one_figures, pair.other_figures
    tails = one.percentile(TAIL_PERCENT), other.percentile(TAIL_PERCENT)
    return Contrast(
        differs_in,
        pair.one,
        pair.other,
        multiple_of(one.iops, other.iops, comparisons),
        multiple_of(one.latency_ns_mean, other.latency_ns_mean, comparisons),
        multiple_of_percentiles(*tails, comparisons),
    )


def multiple_of(one: Estimate, other: Estimate, comparisons: int = 1) -> Multiple:
    """One mean divided by another that is not 0, as one of several comparisons."""
    first, second = known_of(one), known_of(other)
    ratio = None if first is None or second is None else ratio_of(first, second, comparisons)
    return Multiple(one.mean / other.mean, ratio)


def multiple_of_percentiles(
    one: PercentileEstimate, other: PercentileEstimate, comparisons: int = 1
) -> Multiple | None:
    """One percentile divided by another; None if one of them has no value, or is 0."""
    if not one.value_ns or not other.value_ns:
        return None
    first, second = _known_percentile(one), _known_percentile(other)
    ratio = None if first is None or second is None else ratio_of(first, second, comparisons)
    return Multiple(one.value_ns / other.value_ns, ratio)


def _known_percentile(found: PercentileEstimate) -> Known | None:
    if not found.value_ns or found.standard_error_ns is None or found.degrees_of_freedom is None:
        return None
    return Known(found.value_ns, found.standard_error_ns / found.value_ns, found.degrees_of_freedom)


FURTHER: Final = 1.2
"""A block size between the ends is named if the ratio there is this factor further from 1 than at both ends."""


@dataclass(frozen=True)
class ContrastSeries:
    """The contrasts of two workloads over the block sizes at which both were measured, in ascending order."""

    contrasts: tuple[Contrast, ...]

    @property
    def first(self) -> Contrast:
        """The contrast at the smallest block size."""
        return self.contrasts[0]

    @property
    def last(self) -> Contrast:
        """The contrast at the largest block size."""
        return self.contrasts[-1]

    @property
    def furthest(self) -> Contrast | None:
        """The contrast between the ends whose IOPS differ clearly more than at both ends; None if there is none."""
        inner = [each for each in self.contrasts[1:-1] if each.iops.ratio is not None and each.iops.ratio.differs]
        found = max(inner, key=lambda each: abs(log(each.iops.value)), default=None)
        if found is None:
            return None
        ends = max(abs(log(each.iops.value)) for each in (self.first, self.last))
        return found if abs(log(found.iops.value)) > ends + log(FURTHER) else None

    @property
    def allows_up_to(self) -> float:
        """The largest factor between the two, either way, that an interval contains from ``together_from`` on."""
        ratios = [each.iops.ratio for each in self._together if each.iops.ratio is not None]
        return max((max(ratio.high, 1 / ratio.low) for ratio in ratios), default=1.0)

    @property
    def together_from(self) -> Contrast | None:
        """The smallest block size from which on IOPS no longer differ; None if they still differ at the largest."""
        return self._together[0] if self._together else None

    @property
    def _together(self) -> tuple[Contrast, ...]:
        """The contrasts at the largest block sizes whose IOPS no longer differ."""
        near = tuple(takewhile(lambda each: each.iops.is_near, reversed(self.contrasts)))
        return near[::-1]


def series_of(contrasts: Sequence[Contrast]) -> tuple[ContrastSeries, ...]:
    """Groups contrasts that differ in block size only."""
    return tuple(ContrastSeries(tuple(each)) for each in _by_workload(contrasts))


def _by_workload(contrasts: Sequence[Contrast]) -> Iterator[list[Contrast]]:
    groups: dict[tuple[Property, Workload, Sync], list[Contrast]] = {}
    for each in contrasts:
        alike = each.one.workload.model_copy(update={"block_size_bytes": 0})
        groups.setdefault((each.differs_in, alike, each.other.workload.sync), []).append(each)
    for group in groups.values():
        yield sorted(group, key=lambda each: each.one.workload.bytes_per_operation)
