"""Sweeps over the size of the test region and over its offset: where a cache ends, and whether misalignment costs.

All pairs that are compared hold together with 95 % confidence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.families import Along, Family, families_of
from iosonde.analysis.ratios import Known, Ratio, known_of, ratio_of
from iosonde.records import Workload

ALIGNED_BYTES: Final = 4096
"""The unit in which drives and file systems usually store data."""

CELLS_MIN: Final = 2


@dataclass(frozen=True)
class RegionSweep:
    """Cells that differ in the size of the test region, or in its offset, and the first significant difference.

    For sizes, ``cell`` is the smallest region whose throughput is significantly below that of a smaller one, ``below``
    the next smaller region, and ``basis`` the fastest smaller one. For offsets, ``cell`` is the slowest misaligned
    offset and ``basis`` the fastest aligned one. ``ratio`` is the throughput of ``cell`` divided by that of ``basis``.
    All are None if nothing differs significantly. ``is_known`` is whether there was anything to compare: results with
    intervals at two sizes, or at an aligned and at a misaligned offset.
    """

    along: Along
    cells: tuple[CellEstimate, ...]
    is_known: bool
    cell: CellEstimate | None = None
    below: CellEstimate | None = None
    basis: CellEstimate | None = None
    ratio: Ratio | None = None


def region_sweeps(cells: Iterable[CellEstimate]) -> tuple[RegionSweep, ...]:
    """The sweeps over sizes and offsets of the test region among closed-loop cells."""
    closed = [cell for cell in cells if not cell.workload.is_open_loop and cell.workload.block_sizes is None]
    judges = ((Along.SPAN, _spans), (Along.OFFSET, _offsets))
    return tuple(
        judge(family)
        for along, judge in judges
        for family in families_of(closed, along)
        if len({_place(cell, along) for cell in family.cells}) >= CELLS_MIN
    )


def is_aligned(workload: Workload) -> bool:
    """Whether the offset of the test region is a multiple of the block size and of 4 KiB."""
    return not (workload.offset_bytes % ALIGNED_BYTES or workload.offset_bytes % workload.block_size_bytes)


def _place(cell: CellEstimate, along: Along) -> int | None:
    return cell.workload.span_bytes if along is Along.SPAN else cell.workload.offset_bytes


def _known(family: Family) -> list[tuple[CellEstimate, Known]]:
    return [
        (cell, known)
        for cell in family.cells
        if (figures := cell.of(family.whole)) is not None and (known := known_of(figures.iops)) is not None
    ]


def _spans(family: Family) -> RegionSweep:
    known = _known(family)
    pairs = len(known) * (len(known) - 1) // 2
    for place in range(1, len(known)):
        cell, value = known[place]
        basis, best = max(known[:place], key=lambda each: each[1].value)
        ratio = ratio_of(value, best, pairs)
        if _is_lower(ratio):
            return RegionSweep(
                Along.SPAN, family.cells, is_known=True, cell=cell, below=known[place - 1][0], basis=basis, ratio=ratio
            )
    return RegionSweep(Along.SPAN, family.cells, is_known=len(known) >= CELLS_MIN)


def _offsets(family: Family) -> RegionSweep:
    known = _known(family)
    aligned, others = ([each for each in known if is_aligned(each[0].workload) is wanted] for wanted in (True, False))
    if not aligned or not others:
        return RegionSweep(Along.OFFSET, family.cells, is_known=False)
    (basis, best), (cell, worst) = _extreme(aligned, 1), _extreme(others, -1)
    ratio = ratio_of(worst, best, len(aligned) * len(others))
    if not _is_lower(ratio):
        return RegionSweep(Along.OFFSET, family.cells, is_known=True)
    return RegionSweep(Along.OFFSET, family.cells, is_known=True, cell=cell, basis=basis, ratio=ratio)


def _extreme(known: Sequence[tuple[CellEstimate, Known]], sign: int) -> tuple[CellEstimate, Known]:
    return max(known, key=lambda each: sign * each[1].value)


def _is_lower(ratio: Ratio) -> bool:
    return ratio.high < 1 and ratio.value <= 1 - LEVEL_SHARE_MIN
