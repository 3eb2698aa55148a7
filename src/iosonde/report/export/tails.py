"""The tail of latency over queue depths in the JSON document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple
from iosonde.analysis.depth_tails import MULTIPLE_MAX, DepthTails, Position, depth_tails_of
from iosonde.records import Operation


@dataclass(frozen=True)
class ExportedTail:
    """One depth: percentiles divided by those at the next lower depth, and p99 divided by that at the lowest depth."""

    cell: str
    growth_p50: Multiple | None
    growth_p95: Multiple | None
    growth_p99: Multiple | None
    growth_p99_9: Multiple | None
    latency_p99_of_lowest: Multiple | None
    position: Position


@dataclass(frozen=True)
class ExportedDepthTails:
    """One class of operations at several queue depths.

    ``deepest`` is the cell of the deepest depth up to which p99 is at most ``multiple_max`` times as high as at the
    lowest depth; None if p99 at the lowest depth is unknown.
    """

    operation: Operation
    multiple_max: float
    deepest: str | None
    depths: tuple[ExportedTail, ...]


def exported_depth_tails(cells: Sequence[CellEstimate]) -> Iterator[ExportedDepthTails]:
    """The tail of each class of operations at several queue depths."""
    return map(_exported_tails, depth_tails_of(cells))


def _exported_tails(tails: DepthTails) -> ExportedDepthTails:
    return ExportedDepthTails(
        tails.operation,
        MULTIPLE_MAX,
        None if tails.deepest is None else tails.deepest.cell,
        tuple(
            ExportedTail(
                each.cell.cell,
                growth_p50=each.of_previous.get(50.0),
                growth_p95=each.of_previous.get(95.0),
                growth_p99=each.of_previous.get(99.0),
                growth_p99_9=each.of_previous.get(99.9),
                latency_p99_of_lowest=each.of_lowest,
                position=each.position,
            )
            for each in tails.depths
        ),
    )
