"""Cells that are compared with each other in the JSON document: sweeps, contrasts and mixes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde.analysis.block_sizes import LatencyModel, Regions
from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple, Property, contrasts_of
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.families import Along
from iosonde.analysis.interference import DirectionInMix, interference_of
from iosonde.analysis.ratios import Ratio
from iosonde.analysis.regions import RegionSweep, region_sweeps


@dataclass(frozen=True)
class ExportedSizes:
    """A sweep over block sizes: its cells, its regions, and its latency model (None with too few block sizes)."""

    cells: tuple[str, ...]
    regions: Regions | None
    model: LatencyModel | None


@dataclass(frozen=True)
class ExportedSpans:
    """A sweep over the size of the test region.

    ``cell`` is the smallest region whose throughput is significantly below that of a smaller one, ``below`` the next
    smaller region, ``basis`` the fastest smaller one, and ``iops_of_basis`` the ratio of the throughput of ``cell`` to
    that of ``basis``. They are None without such a region. ``is_known`` is false if fewer than two regions have
    confidence intervals.
    """

    cells: tuple[str, ...]
    is_known: bool
    cell: str | None
    below: str | None
    basis: str | None
    iops_of_basis: Ratio | None


@dataclass(frozen=True)
class ExportedOffsets:
    """A sweep over the offset of the test region.

    ``cell`` is the slowest offset that is not a multiple of the block size and of 4 KiB, ``basis`` the fastest of the
    others, and ``iops_of_basis`` the ratio of their throughput. They are None if it is not significantly below 1.
    ``is_known`` is false if there is nothing to compare, or if confidence intervals are missing.
    """

    cells: tuple[str, ...]
    is_known: bool
    cell: str | None
    basis: str | None
    iops_of_basis: Ratio | None


@dataclass(frozen=True)
class ExportedContrast:
    """Two cells that differ in one property, and the ratios of the first to the second."""

    differs_in: Property
    one: str
    other: str
    iops: Multiple
    latency_mean: Multiple
    latency_p99: Multiple | None


@dataclass(frozen=True)
class ExportedMix:
    """A mix of reads and writes, compared with its pure workloads."""

    cell: str
    reads: DirectionInMix
    writes: DirectionInMix
    latency_of_weighted: Multiple


def exported_sizes(estimates: RunEstimates) -> Iterator[ExportedSizes]:
    """Each sweep over block sizes."""
    for sweep in estimates.size_sweeps:
        yield ExportedSizes(tuple(cell.cell for cell in sweep.cells), sweep.regions, sweep.model)


def exported_spans(cells: Sequence[CellEstimate]) -> Iterator[ExportedSpans]:
    """Each sweep over the size of the test region."""
    for each in _sweeps(cells, Along.SPAN):
        names = (_name(each.cell), _name(each.below), _name(each.basis))
        yield ExportedSpans(tuple(cell.cell for cell in each.cells), each.is_known, *names, each.ratio)


def exported_offsets(cells: Sequence[CellEstimate]) -> Iterator[ExportedOffsets]:
    """Each sweep over the offset of the test region."""
    for each in _sweeps(cells, Along.OFFSET):
        names = (_name(each.cell), _name(each.basis))
        yield ExportedOffsets(tuple(cell.cell for cell in each.cells), each.is_known, *names, each.ratio)


def _sweeps(cells: Sequence[CellEstimate], along: Along) -> Iterator[RegionSweep]:
    return (each for each in region_sweeps(cells) if each.along is along)


def _name(cell: CellEstimate | None) -> str | None:
    return None if cell is None else cell.cell


def exported_contrasts(cells: Sequence[CellEstimate]) -> Iterator[ExportedContrast]:
    """Each pair of cells that differ in one property."""
    for each in contrasts_of(cells):
        yield ExportedContrast(
            each.differs_in, each.one.cell, each.other.cell, each.iops, each.latency_mean, each.latency_p99
        )


def exported_mixes(cells: Sequence[CellEstimate]) -> Iterator[ExportedMix]:
    """Each mix of reads and writes, compared with its pure workloads."""
    for each in interference_of(cells, cells):
        yield ExportedMix(each.cell.cell, each.reads, each.writes, each.latency_of_weighted)
