"""Converts the estimates of a cell to figures. Only this module maps quantities to estimates."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from iosonde.analysis.cells import CellEstimate, OperationEstimate, PercentileEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.histogram import resolution_ns
from iosonde.analysis.missing_reasons import why_no_mean_interval, why_no_percentile_interval
from iosonde.figures import Figure
from iosonde.vocabulary import Quantity

MEANS: Final[Mapping[Quantity, Callable[[OperationEstimate], Estimate]]] = {
    Quantity.IOPS: lambda each: each.iops,
    Quantity.BYTES_PER_S: lambda each: each.bytes_per_s,
    Quantity.LATENCY_NS_MEAN: lambda each: each.latency_ns_mean,
}


class Known(NamedTuple):
    """The value of an estimate, its 95 % interval and its standard error, named like the fields of ``Figure``."""

    value: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    degrees_of_freedom: float | None


def known_of(found: Estimate | PercentileEstimate) -> Known:
    """The value of an estimate, the ends of its 95 % interval, and its standard error."""
    if isinstance(found, Estimate):
        return Known(found.mean, found.low, found.high, found.standard_error, found.degrees_of_freedom)
    return Known(found.value_ns, found.low_ns, found.high_ns, found.standard_error_ns, found.degrees_of_freedom)


def estimate_of(quantity: Quantity, estimates: OperationEstimate) -> Estimate | PercentileEstimate:
    """The estimate of a quantity."""
    return MEANS[quantity](estimates) if quantity.percent is None else estimates.percentile(quantity.percent)


def figures_of(cell: CellEstimate) -> Iterator[Figure]:
    """Every quantity of every operation of a cell, by operation."""
    for estimates in cell.operations.values():
        for quantity in Quantity:
            yield figure_of(quantity, estimates, cell.cell)


def figure_of(quantity: Quantity, estimates: OperationEstimate, cell: str) -> Figure:
    """One quantity of one operation of a cell."""
    found = estimate_of(quantity, estimates)
    if isinstance(found, Estimate):
        resolution, why_none = 0.0, why_no_mean_interval(found)
    else:
        layout = estimates.latency.layout
        resolution = 0.0 if found.value_ns is None else resolution_ns(layout, found.value_ns)
        why_none = why_no_percentile_interval(estimates, found.percent)
    return Figure(
        quantity=quantity,
        operation=estimates.operation,
        resolution=resolution,
        place=cell,
        why_none=why_none,
        **known_of(found)._asdict(),
    )
