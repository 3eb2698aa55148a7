"""The regions of a sweep over block sizes: IOPS-bound at small blocks, bandwidth-bound at large ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

from iosonde.analysis.block_sizes.model import LatencyModel, latency_model
from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.families import Along, Family, families_of
from iosonde.analysis.ratios import known_of, ratio_of

NEAR_BEST: Final = 0.95
"""A block size is in a region if it reaches this share of the best IOPS or bandwidth of the sweep."""

SIZES_MIN: Final = 3
"""Two block sizes are not a sweep."""


@dataclass(frozen=True)
class Saturation:
    """The smallest block size whose bandwidth is near the best.

    ``low_bytes`` and ``high_bytes`` bound it with 95 % confidence, as far as the measured sizes can tell. They are None
    if a size has a single repeat. ``fallen`` is the larger size with the lowest bandwidth, and its share of the best,
    if a larger size is not near the best any more.
    """

    size_bytes: int
    share: float
    low_bytes: int | None
    high_bytes: int | None
    fallen: tuple[int, float] | None = None


@dataclass(frozen=True)
class Regions:
    """The block sizes with nearly the best IOPS, and those with nearly the best bandwidth, of one workload.

    ``iops_bound`` are the smallest and the largest size of the first; ``bandwidth_bound`` those of the second. Each is
    None if it has only one size. ``saturation`` is None if only the largest size reaches ``NEAR_BEST`` of the best
    bandwidth: bandwidth then still grows, and its limit is unknown. ``growth_share`` is the growth of bandwidth from
    the second largest size to the largest.
    """

    iops_bound: tuple[int, int] | None
    bandwidth_bound: tuple[int, int] | None
    saturation: Saturation | None
    growth_share: float


@dataclass(frozen=True)
class SizeSweep(Family):
    """The cells of one workload in order of block size. A mix is taken as a whole."""

    @cached_property
    def points(self) -> tuple[tuple[int, OperationEstimate], ...]:
        """Each block size that has results, with its figures."""
        found = ((cell.workload.bytes_per_operation, cell.of(self.whole)) for cell in self.cells)
        return tuple((round(size), figures) for size, figures in found if figures is not None)

    @cached_property
    def regions(self) -> Regions | None:
        """The regions; None with fewer than ``SIZES_MIN`` sizes."""
        sizes = [size for size, _ in self.points]
        return regions_of(
            sizes, [figures.iops for _, figures in self.points], [figures.bytes_per_s for _, figures in self.points]
        )

    @cached_property
    def model(self) -> LatencyModel | None:
        """The latency model; None with too few sizes."""
        return latency_model([size for size, _ in self.points], [figures.latency_ns_mean for _, figures in self.points])


def size_sweeps(cells: Iterable[CellEstimate]) -> tuple[SizeSweep, ...]:
    """The sweeps over at least ``SIZES_MIN`` block sizes among closed-loop cells."""
    closed = [cell for cell in cells if not cell.workload.is_open_loop and cell.workload.block_sizes is None]
    sweeps = (SizeSweep(family.cells) for family in families_of(closed, Along.BLOCK_SIZE))
    return tuple(sweep for sweep in sweeps if len(sweep.points) >= SIZES_MIN)


def regions_of(sizes: Sequence[int], iops: Sequence[Estimate], bytes_per_s: Sequence[Estimate]) -> Regions | None:
    """The regions of a sweep. The sizes are in ascending order."""
    if len(sizes) < SIZES_MIN or max(each.mean for each in iops) <= 0:
        return None
    rates, widths = _shares(iops), _shares(bytes_per_s)
    small = list(takewhile(lambda each: each[1] >= NEAR_BEST, zip(sizes, rates, strict=True)))
    large = list(takewhile(lambda each: each[1] >= NEAR_BEST, zip(reversed(sizes), reversed(widths), strict=True)))
    before = bytes_per_s[-2].mean
    return Regions(
        iops_bound=(small[0][0], small[-1][0]) if len(small) > 1 else None,
        bandwidth_bound=(large[-1][0], large[0][0]) if len(large) > 1 else None,
        saturation=_saturation(sizes, bytes_per_s, widths),
        growth_share=bytes_per_s[-1].mean / before - 1 if before else 0.0,
    )


def _shares(values: Sequence[Estimate]) -> list[float]:
    best = max(each.mean for each in values)
    return [each.mean / best for each in values]


def _saturation(sizes: Sequence[int], bytes_per_s: Sequence[Estimate], shares: Sequence[float]) -> Saturation | None:
    first = next(place for place, share in enumerate(shares) if share >= NEAR_BEST)
    if first == len(sizes) - 1:
        return None
    lowest = min(range(first + 1, len(sizes)), key=lambda place: shares[place])
    fallen = (sizes[lowest], shares[lowest]) if shares[lowest] < NEAR_BEST else None
    known = [found for each in bytes_per_s if (found := known_of(each)) is not None]
    if len(known) < len(sizes):
        return Saturation(sizes[first], shares[first], None, None, fallen)
    best = max(range(len(sizes)), key=lambda place: known[place].value)
    # The best size has no ratio to itself: it reaches the share by definition.
    ratios = [
        None if place == best else ratio_of(each, known[best], len(sizes) - 1) for place, each in enumerate(known)
    ]
    low = next(place for place, ratio in enumerate(ratios) if ratio is None or ratio.high >= NEAR_BEST)
    high = next(place for place, ratio in enumerate(ratios) if ratio is None or ratio.low >= NEAR_BEST)
    return Saturation(sizes[first], shares[first], sizes[low], sizes[max(high, first)], fallen)
