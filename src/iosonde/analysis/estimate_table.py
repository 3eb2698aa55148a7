"""The estimates of a run as a flat table, so that runs can be compared without reading their journals."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.columns import Column, Table, integer, real, text
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.figures import MEANS, Known, figures_of, known_of
from iosonde.analysis.histogram import deviation_of
from iosonde.analysis.run import RunAnalysis
from iosonde.figures import Figure
from iosonde.records import PowerSource
from iosonde.vocabulary import Quantity


def _power_w(source: PowerSource, cell: CellEstimate) -> Estimate | None:
    return next((each.power_w for each in cell.power if each.source is source), None)


def _iops_per_w(source: PowerSource, cell: CellEstimate) -> Estimate | None:
    return next((each.iops_per_w for each in cell.power if each.source is source), None)


_OF_CELL: Final[tuple[tuple[str, Callable[[CellEstimate], Estimate | None]], ...]] = (
    ("queue_depth_achieved", lambda cell: cell.queue_depth_achieved),
    ("queue_depth_device", lambda cell: cell.queue_depth_device),
    ("cpu_ns_per_io", lambda cell: cell.cpu_ns_per_io),
    *((f"{source}_power_w", partial(_power_w, source)) for source in PowerSource),
    *((f"{source}_iops_per_w", partial(_iops_per_w, source)) for source in PowerSource),
)


def estimate_table(analysis: RunAnalysis) -> Table:
    """One row for each cell and each operation with completions, including ``all``.

    Each quantity has its value, the ends of its 95 % interval, its standard error in the unit of the value, and its
    degrees of freedom; NaN for a missing value. Standard deviations are those over repeats, and for
    ``latency_ns_standard_deviation`` that over operations. ``knee_queue_depth`` is the knee of the cell's sweep.
    """
    cells = analysis.estimates.cells
    rows = [(cell, estimates) for cell in cells for estimates in cell.operations.values()]
    figures = [figure for cell in cells for figure in figures_of(cell)]
    table: Table = {
        "run": text([analysis.run.header.run] * len(rows)),
        "cell": text([cell.cell for cell, _ in rows]),
        "operation": text([str(estimates.operation) for _, estimates in rows]),
        "latency_kind": text([str(estimates.latency_kind) for _, estimates in rows]),
        "repeats": integer([cell.repeats_used for cell, _ in rows]),
        "count": integer([estimates.count for _, estimates in rows]),
        "bytes": integer([estimates.bytes for _, estimates in rows]),
    }
    for quantity in Quantity:
        table |= _columns(quantity, [figure for figure in figures if figure.quantity is quantity])
    for quantity, of in MEANS.items():
        table[f"{quantity}_standard_deviation"] = real([of(estimates).standard_deviation for _, estimates in rows])
    table["latency_ns_standard_deviation"] = real([deviation_of(estimates.latency) for _, estimates in rows])
    knees = {cell.cell: sweep.knee.point for sweep in analysis.estimates.sweeps for cell in sweep.cells}
    table["knee_queue_depth"] = real(
        [None if (point := knees.get(cell.cell)) is None else point.queue_depth for cell, _ in rows]
    )
    for name, estimate in _OF_CELL:
        found = [estimate(cell) for cell, _ in rows]
        table |= _columns(name, [None if each is None else known_of(each) for each in found])
    return table


def _columns(name: str, found: Sequence[Figure | Known | None]) -> dict[str, Column]:
    """The column of the value, followed by the columns of its uncertainty."""
    return {
        name if part == "value" else f"{name}_{part}": real([each and getattr(each, part) for each in found])
        for part in Known._fields
    }
