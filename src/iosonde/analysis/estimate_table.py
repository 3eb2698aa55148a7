"""The estimates of a run as a flat table, so that whoever compares runs need not read their journals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.columns import Column, Table, integer, real, text
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.figures import figure_of
from iosonde.figures import Figure
from iosonde.records import RunRecord
from iosonde.vocabulary import Quantity


@dataclass(frozen=True)
class _Row:
    """One class of operations of one cell."""

    run: str
    cell: CellEstimate
    estimates: OperationEstimate

    def figure(self, quantity: Quantity) -> Figure:
        return figure_of(quantity, self.estimates, self.cell.cell)


_PARTS: Final = ("", "_low", "_high", "_standard_error", "_degrees_of_freedom")
"""What a quantity has a column for, behind its name."""

_NOTHING: Final = (None,) * len(_PARTS)
_OF_CELL: Final[tuple[tuple[str, Callable[[CellEstimate], Estimate | None]], ...]] = (
    ("queue_depth_achieved", lambda cell: cell.queue_depth_achieved),
    ("queue_depth_device", lambda cell: cell.queue_depth_device),
    ("cpu_ns_per_io", lambda cell: cell.cpu_ns_per_io),
)


def estimate_table(run: RunRecord) -> Table:
    """One row for each cell and class of operations that completed any, ``all`` included.

    Each quantity has its value, the ends of its 95 % interval, its standard error and the degrees of freedom of that,
    in the unit of the value; NaN where there is none.
    """
    rows = [
        _Row(run.header.run, cell, estimates)
        for cell in estimate_run(run).cells
        for estimates in cell.operations.values()
    ]
    table: Table = {
        "run": text([row.run for row in rows]),
        "cell": text([row.cell.cell for row in rows]),
        "operation": text([str(row.estimates.operation) for row in rows]),
        "latency_kind": text([str(row.estimates.latency_kind) for row in rows]),
        "repeats": integer([row.cell.repeats_used for row in rows]),
        "count": integer([row.estimates.count for row in rows]),
        "bytes": integer([row.estimates.bytes for row in rows]),
    }
    for quantity in Quantity:
        table |= _columns(quantity, [_of_figure(row.figure(quantity)) for row in rows])
    for name, estimate in _OF_CELL:
        table |= _columns(name, [_of_mean(estimate(row.cell)) for row in rows])
    return table


def _of_figure(figure: Figure) -> tuple[float | None, ...]:
    return figure.value, figure.low, figure.high, figure.standard_error, figure.degrees_of_freedom


def _of_mean(mean: Estimate | None) -> tuple[float | None, ...]:
    return _NOTHING if mean is None else (mean.mean, mean.low, mean.high, mean.standard_error, mean.degrees_of_freedom)


def _columns(name: str, found: Sequence[tuple[float | None, ...]]) -> dict[str, Column]:
    columns = zip(*found, strict=True) if found else ((),) * len(_PARTS)
    return {f"{name}{part}": real(column) for part, column in zip(_PARTS, columns, strict=True)}
