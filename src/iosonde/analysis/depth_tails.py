"""Growth of latency percentiles with queue depth, and the deepest depth at which p99 stays below a limit.

The depths are compared with the limit from the lowest one upwards, up to the first that is not below it. Such a fixed
sequence of tests needs no correction for their number (Maurer, Hothorn and Lehmacher, 1995): the depth found is too
deep in at most 2.5 % of all cases.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.contrasts import Multiple, multiple_of_percentiles
from iosonde.analysis.families import Along, Family, drawn_classes, families_of
from iosonde.analysis.histogram import TAIL_PERCENT
from iosonde.records import Operation

MULTIPLE_MAX: Final = 2.0
"""The default limit: p99 at most twice as high as at the lowest depth."""

STEP_PERCENTS: Final = (50.0, 95.0, 99.0, 99.9)

DEPTHS_MIN: Final = 2


class Position(StrEnum):
    """Whether the whole interval of a value is below a limit, above it, or contains it; unknown without an interval."""

    BELOW = "below"
    ABOVE = "above"
    UNDECIDED = "undecided"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class TailAtDepth:
    """The tail of one class of operations at one queue depth.

    ``of_previous`` are the percentiles of ``STEP_PERCENTS`` divided by those at the next lower depth; empty at the
    lowest depth. Their intervals hold together for all steps with 95 % confidence. ``of_lowest`` is p99 divided by p99
    at the lowest depth. A percentile with too few samples is None. ``position`` compares ``of_lowest`` with
    ``MULTIPLE_MAX``.
    """

    cell: CellEstimate
    figures: OperationEstimate
    of_previous: Mapping[float, Multiple | None]
    of_lowest: Multiple | None
    position: Position


@dataclass(frozen=True)
class DepthTails:
    """One class of operations of a workload at two or more queue depths, from the lowest to the highest."""

    operation: Operation
    depths: tuple[TailAtDepth, ...]

    @property
    def lowest(self) -> TailAtDepth:
        """The lowest depth, with which the others are compared."""
        return self.depths[0]

    @property
    def deepest(self) -> CellEstimate | None:
        """The deepest depth up to which p99 is below the limit; None if p99 at the lowest depth is unknown."""
        number = below_count([each.position for each in self.depths])
        return self.depths[number - 1].cell if number else None

    @property
    def steepest(self) -> tuple[TailAtDepth, TailAtDepth] | None:
        """The step with the largest significant growth of p99, as its two depths; None if there is none."""
        known = [
            (step.value, pair)
            for pair in pairwise(self.depths)
            if (step := pair[1].of_previous[TAIL_PERCENT]) is not None and step.ratio is not None and step.ratio.low > 1
        ]
        return max(known, key=lambda each: each[0])[1] if known else None


def below_count(positions: Sequence[Position]) -> int:
    """The number of depths, from the lowest on, that are all below a limit."""
    return next((number for number, each in enumerate(positions) if each is not Position.BELOW), len(positions))


def depth_tails_of(cells: Iterable[CellEstimate]) -> tuple[DepthTails, ...]:
    """The tails of each class of operations of each closed-loop workload that has results at two or more depths."""
    closed = [cell for cell in cells if not cell.workload.is_open_loop]
    found = (
        _tails(family, operation)
        for family in families_of(closed, Along.DEPTH)
        for operation in drawn_classes(family.workload)
    )
    return tuple(each for each in found if each is not None)


def _tails(family: Family, operation: Operation) -> DepthTails | None:
    points = [(cell, figures) for cell in family.cells if (figures := cell.of(operation)) is not None]
    if len(points) < DEPTHS_MIN:
        return None
    lowest = points[0][1]
    previous = [None, *(figures for _, figures in points)]
    return DepthTails(
        operation,
        tuple(
            _at_depth(cell, figures, before, lowest, len(points) - 1)
            for (cell, figures), before in zip(points, previous, strict=False)
        ),
    )


def _at_depth(
    cell: CellEstimate,
    figures: OperationEstimate,
    before: OperationEstimate | None,
    lowest: OperationEstimate,
    steps: int,
) -> TailAtDepth:
    tail, of_lowest = figures.percentile(TAIL_PERCENT), None
    if before is None:
        known = tail.value_ns is not None
        return TailAtDepth(cell, figures, {}, None, Position.BELOW if known else Position.UNKNOWN)
    of_lowest = multiple_of_percentiles(tail, lowest.percentile(TAIL_PERCENT))
    of_previous = {
        percent: multiple_of_percentiles(figures.percentile(percent), before.percentile(percent), steps)
        for percent in STEP_PERCENTS
    }
    return TailAtDepth(cell, figures, of_previous, of_lowest, _position(of_lowest))


def _position(multiple: Multiple | None) -> Position:
    if multiple is None or multiple.ratio is None:
        return Position.UNKNOWN
    if multiple.ratio.high <= MULTIPLE_MAX:
        return Position.BELOW
    return Position.ABOVE if multiple.ratio.low > MULTIPLE_MAX else Position.UNDECIDED
