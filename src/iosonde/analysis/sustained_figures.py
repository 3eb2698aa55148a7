"""The figures of a sustained transfer: those of its plateaus, each with the interval of its own points.

A sustained cell is one long transfer without repeats, so its means over the whole transfer have no interval, and they
depend on how long it runs. Each plateau has an interval from the variation of the points within it. It describes this
transfer: another one may have other plateaus.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from iosonde.analysis.plateaus import Plateau, Transfer
from iosonde.figures import Figure
from iosonde.records import Operation, Workload
from iosonde.units import format_amount, format_bandwidth
from iosonde.vocabulary import Quantity

NO_LATENCY: Final = (
    "a sustained cell is one transfer without repeats, so its latency has no interval; check bytes_per_s or iops, "
    "or measure the latency in an experiment with repeats"
)
NO_PLATEAUS: Final = "the sustained transfer is too short for plateaus; use a longer duration or a larger amount"
NOT_WHOLE: Final = (
    "a sustained cell can be checked only for all data that it transfers, not for one operation of it or its commits; "
    'use operation = "{operation}"'
)
MIXED_SIZES: Final = "blocks of several sizes: only bytes_per_s of a sustained cell has an interval"
TOO_FEW_POINTS: Final = "the plateau has too few intervals of the record for a confidence interval"


@dataclass(frozen=True)
class PartFigure:
    """A figure of a part of a cell. ``part`` describes the part: ``plateau 2 of 3, from 640 MB to 2.52 GB``."""

    figure: Figure
    part: str


def plateau_figures(transfer: Transfer, workload: Workload, figure: Figure) -> tuple[PartFigure, ...]:
    """A figure for each plateau, of the quantity and the operation of ``figure``. Empty if it has none, as latency."""
    whole = workload.only_operation or Operation.ALL
    if figure.quantity not in {Quantity.IOPS, Quantity.BYTES_PER_S} or figure.operation not in {whole, Operation.ALL}:
        return ()
    return tuple(_parts(transfer, workload, figure))


def without_interval(transfer: Transfer, workload: Workload, figure: Figure) -> Figure:
    """The figure of the whole transfer, with the reason why it has no interval and what can be checked instead."""
    whole = workload.only_operation or Operation.ALL
    if figure.quantity not in {Quantity.IOPS, Quantity.BYTES_PER_S}:
        why = NO_LATENCY
    elif figure.operation not in {whole, Operation.ALL}:
        why = NOT_WHOLE.format(operation=whole)
    else:
        why = "" if transfer.plateaus else NO_PLATEAUS
    return replace(figure, low=None, high=None, why_none=why or figure.why_none)


def _parts(transfer: Transfer, workload: Workload, figure: Figure) -> Iterator[PartFigure]:
    number = len(transfer.plateaus)
    for place, plateau in enumerate(transfer.plateaus, start=1):
        is_bandwidth = figure.quantity is Quantity.BYTES_PER_S
        # With one block size, operations and bytes have the same relative interval.
        share = 1.0 if is_bandwidth else plateau.iops / plateau.bytes_per_s if plateau.bytes_per_s else 0.0
        why = MIXED_SIZES if workload.block_sizes is not None and not is_bandwidth else ""
        if plateau.low is None or plateau.high is None:
            why = why or TOO_FEW_POINTS
        found = replace(
            figure,
            value=plateau.bytes_per_s if is_bandwidth else plateau.iops,
            low=None if why or plateau.low is None else plateau.low * share,
            high=None if why or plateau.high is None else plateau.high * share,
            standard_error=None,
            degrees_of_freedom=None,
            why_none=why,
        )
        yield PartFigure(found, _text(place, number, plateau))


def _text(place: int, number: int, plateau: Plateau) -> str:
    begin, end = format_amount(plateau.start_bytes), format_amount(plateau.end_bytes)
    said = f"plateau {place} of {number}, from {begin} to {end}"
    if plateau.alternates is not None:
        low, high = map(format_bandwidth, plateau.alternates)
        return f"{said}: the mean of a bandwidth that alternates between {low} and {high}"
    return said if plateau.is_flat else f"{said}: the mean of a bandwidth that is not level"
