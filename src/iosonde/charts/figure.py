"""The result of a chart function."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from iosonde.charts.quantities import plural
from iosonde.records import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    # Imported only for type checking: the terminal summary uses this file, and importing Altair takes 0.3 s.
    import altair as alt

    from iosonde.analysis.cells import CellEstimate, OperationEstimate

Row = dict[str, Any]

DRAWN: Final = "drawn_"
"""The prefix of fields that are used only for drawing (positions and labels) and are not data."""


NO_FIGURES: Final = "No data: no cell in this chart has results."
NO_PERCENTILES: Final = "No data: no cell in this chart has these percentiles."


@dataclass(frozen=True)
class Figure:
    """A chart with its texts.

    ``caption`` says how to read it. ``chart`` is None if there is nothing to draw. ``rows`` are the values that it
    draws, with units in their names. ``left_out`` has a sentence for each reason why something is not drawn.
    ``nothing`` is shown instead of a chart without data, ``failure`` instead of a chart that failed.
    """

    id: str
    title: str
    caption: str
    chart: alt.LayerChart | None
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()
    nothing: str = NO_FIGURES
    failure: str = ""

    @cached_property
    def specification(self) -> Row:
        """The Vega-Lite specification; ``chart`` must not be None. It is validated against the schema only in tests."""
        assert self.chart is not None
        specification: Row = self.chart.to_dict(validate=False)
        return specification

    @cached_property
    def specification_json(self) -> str:
        """The specification as JSON, on one line. Raises ValueError for NaN and infinity, which JSON cannot express."""
        return json.dumps(self.specification, allow_nan=False, separators=(",", ":"))

    @classmethod
    def failed(cls, identity: str, title: str, failure: str) -> Figure:
        """A figure that shows a notice instead of a chart that failed."""
        return cls(identity, title, "", None, (), failure=failure)

    @property
    def height(self) -> int:
        """The height of the plot area in pixels, without axes and legend; 0 if nothing is drawn."""
        return 0 if self.chart is None else int(self.chart.height)


def why_no_figures(cell: CellEstimate, operation: Operation | None = None) -> str:
    """The reason why a cell has no figures, or none for one class of operations."""
    planned = len(cell.outcomes)
    if planned == 0:
        return f"{cell.cell} was not measured"
    if not cell.repeats_finished and cell.repeats_failed:
        reason = f": {cell.failures[0].message}" if cell.failures else ""
        return f"{cell.cell} failed in {cell.repeats_failed} of {planned} repeats{reason}"
    if not cell.repeats_finished and cell.repeats_cut:
        return f"{cell.cell} was interrupted in {cell.repeats_cut} of {planned} repeats"
    asked = cell.workload.subject if operation is None else operation
    if asked is Operation.COMMIT and cell.of(Operation.FLUSH) is not None:
        return f"{cell.cell} has no commit results because writes and flushes were timed separately"
    if cell.operations and cell.of(asked) is None:
        return f"{cell.cell} completed no {plural(asked)}"
    return f"{cell.cell} completed no operations"


def why_no_percentiles(cell: CellEstimate, figures: OperationEstimate) -> str:
    """The reason why a class with figures has none of the percentiles of a chart."""
    if figures.saturated:
        return f"{cell.cell} did not sustain its arrival rate, so its latency percentiles are omitted"
    return f"{cell.cell} completed only {figures.count} {plural(figures.operation)}, too few for a percentile"


def left_out(expected: Iterable[tuple[CellEstimate, Operation, str]], drawn: Iterable[Row]) -> tuple[str, ...]:
    """The reasons why classes of cells have no row in the chart.

    ``expected`` has the cell, the class and the series of each row that the chart should have.
    """
    present = {(row["cell"], row["series"]) for row in drawn}
    missing = [(cell, operation) for cell, operation, series in expected if (cell.cell, series) not in present]
    return tuple(dict.fromkeys(_why_missing(cell, operation) for cell, operation in missing))


def _why_missing(cell: CellEstimate, operation: Operation) -> str:
    figures = cell.of(operation)
    if figures is not None:
        return why_no_percentiles(cell, figures)
    return why_no_figures(cell, operation if cell.operations else None)
