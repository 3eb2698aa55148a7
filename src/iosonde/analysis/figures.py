"""From the estimates of a cell to figures: the one place that says which estimate a quantity is."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.histogram import bucket_of, low_and_width
from iosonde.analysis.missing import why_no_mean_interval, why_no_percentile_interval
from iosonde.figures import Figure
from iosonde.vocabulary import Quantity

_MEANS: Final[Mapping[Quantity, Callable[[OperationEstimate], Estimate]]] = {
    Quantity.IOPS: lambda each: each.iops,
    Quantity.BYTES_PER_S: lambda each: each.bytes_per_s,
    Quantity.LATENCY_NS_MEAN: lambda each: each.latency_ns_mean,
}


def figures_of(cell: CellEstimate) -> Iterator[Figure]:
    """Every quantity of every class of operations of a cell, by class."""
    for estimates in cell.operations.values():
        for quantity in Quantity:
            yield figure_of(quantity, estimates, cell.cell)


def figure_of(quantity: Quantity, estimates: OperationEstimate, cell: str) -> Figure:
    """One quantity of one class of operations of a cell."""
    percent = quantity.percent
    if percent is None:
        return _mean(quantity, estimates, cell)
    found = estimates.percentile(percent)
    return Figure(
        quantity=quantity,
        operation=estimates.operation,
        value=found.value_ns,
        low=found.low_ns,
        high=found.high_ns,
        standard_error=found.standard_error_ns,
        degrees_of_freedom=found.degrees_of_freedom,
        resolution=_bucket_width_ns(estimates, found.value_ns),
        place=cell,
        why_none=why_no_percentile_interval(estimates, percent),
    )


def _mean(quantity: Quantity, estimates: OperationEstimate, cell: str) -> Figure:
    mean = _MEANS[quantity](estimates)
    return Figure(
        quantity=quantity,
        operation=estimates.operation,
        value=mean.mean,
        low=mean.low,
        high=mean.high,
        standard_error=mean.standard_error,
        degrees_of_freedom=mean.degrees_of_freedom,
        place=cell,
        why_none=why_no_mean_interval(mean),
    )


def _bucket_width_ns(estimates: OperationEstimate, value_ns: int | None) -> float:
    if value_ns is None:
        return 0.0
    layout = estimates.latency.layout
    return float(low_and_width(layout, bucket_of(layout, value_ns))[1])
