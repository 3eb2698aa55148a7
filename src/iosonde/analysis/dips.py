"""Dips: points of a sweep whose throughput is significantly below that of a point on each side.

Throughput that rises with queue depth, and bandwidth that rises with block size, do not fall and rise again without a
reason. Every pair of points counts as a comparison, because the sides are chosen for their distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import LEVEL_SHARE_MIN, Estimate
from iosonde.analysis.families import Along, Family, families_of
from iosonde.analysis.ratios import Known, Ratio, known_of, ratio_of

WIDE: Final = 2.0
"""An interval whose ends differ by more than this factor can hide a dip."""

POINTS_MIN: Final = 3
"""A dip has a point on each side."""


@dataclass(frozen=True)
class Dip:
    """The lowest point of a dip in a sweep, with the highest point on each side.

    ``left`` and ``right`` are the throughput at the dip divided by that of ``before`` and of ``after``. Throughput is
    IOPS in a sweep over queue depths and bandwidth in one over block sizes. ``sweep`` are all cells of the sweep.
    """

    along: Along
    cell: CellEstimate
    before: CellEstimate
    after: CellEstimate
    left: Ratio
    right: Ratio
    sweep: tuple[CellEstimate, ...]

    @property
    def depth_share(self) -> float:
        """How far throughput at the dip is below the lower of the two sides."""
        return 1 - max(self.left.value, self.right.value)


def dips_of(cells: Sequence[CellEstimate]) -> tuple[Dip, ...]:
    """The deepest dip of each sweep over queue depths or block sizes among closed-loop cells."""
    found = (_dip(family, along) for along in (Along.DEPTH, Along.BLOCK_SIZE) for family in _families(cells, along))
    return tuple(dip for dip in found if dip is not None)


def sweeps_for_dips(cells: Sequence[CellEstimate], along: Along) -> tuple[Family, ...]:
    """The sweeps that could show a dip: those with confidence intervals at three points at least."""
    return tuple(family for family in _families(cells, along) if len(_known(family, along)) >= POINTS_MIN)


def is_narrow(family: Family, along: Along) -> bool:
    """Whether the intervals of a sweep are narrow enough to exclude a dip that matters."""
    found = (figures for cell in family.cells if (figures := cell.of(family.whole)) is not None)
    values = (_throughput(figures, along) for figures in found)
    return all(each.low is not None and each.high is not None and each.high <= WIDE * each.low for each in values)


def _families(cells: Sequence[CellEstimate], along: Along) -> tuple[Family, ...]:
    closed = [cell for cell in cells if not cell.workload.is_open_loop and cell.workload.block_sizes is None]
    return tuple(families_of(closed, along))


def _throughput(figures: OperationEstimate, along: Along) -> Estimate:
    return figures.bytes_per_s if along is Along.BLOCK_SIZE else figures.iops


def _known(family: Family, along: Along) -> list[tuple[CellEstimate, Known]]:
    return [
        (cell, value)
        for cell in family.cells
        if (figures := cell.of(family.whole)) is not None
        and (value := known_of(_throughput(figures, along))) is not None
    ]


def _dip(family: Family, along: Along) -> Dip | None:
    known = _known(family, along)
    found = _deepest([value for _, value in known])
    if found is None:
        return None
    (before, place, after), left, right = found
    cells = [cell for cell, _ in known]
    return Dip(along, cells[place], cells[before], cells[after], left, right, family.cells)


def _deepest(values: Sequence[Known]) -> tuple[tuple[int, int, int], Ratio, Ratio] | None:
    """The places of the deepest significant dip and of the highest points on its sides; None without a dip."""
    pairs = len(values) * (len(values) - 1) // 2
    best: tuple[tuple[int, int, int], Ratio, Ratio] | None = None
    for place in range(1, len(values) - 1):
        before = max(range(place), key=lambda each: values[each].value)
        after = max(range(place + 1, len(values)), key=lambda each: values[each].value)
        left, right = (ratio_of(values[place], values[side], pairs) for side in (before, after))
        is_dip = all(ratio.high < 1 and ratio.value <= 1 - LEVEL_SHARE_MIN for ratio in (left, right))
        if is_dip and (best is None or max(left.value, right.value) < max(best[1].value, best[2].value)):
            best = (before, place, after), left, right
    return best
