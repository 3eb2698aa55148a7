"""What a chart function gives back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from iosonde.charts.quantities import plural
from iosonde.records import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    # Not imported when running: the terminal summary uses this file, and Altair takes 0.3 s to import.
    import altair as alt

    from iosonde.analysis.cells import CellEstimate, OperationEstimate

Row = dict[str, Any]

DRAWN: Final = "drawn_"
"""How the names of fields begin that are no data, but where or as what something is drawn."""


NO_FIGURES: Final = "No data: no cell in this chart has results."
NO_PERCENTILES: Final = "No data: no cell in this chart has these percentiles."


@dataclass(frozen=True)
class Figure:
    """A chart with what stands around it.

    ``caption`` is one sentence on how to read it. ``chart`` is None when nothing could be drawn. ``rows`` are the
    values it draws, units in their names. ``left_out`` says, a sentence each, what is not drawn and why; ``nothing``
    stands in the place of a chart that could not be drawn, and ``failure`` in that of one that could not be made.
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
        """The chart in Vega-Lite. There must be one; the tests hold all of them against the grammar's schema."""
        assert self.chart is not None
        specification: Row = self.chart.to_dict(validate=False)
        return specification

    @cached_property
    def specification_json(self) -> str:
        """The same as JSON, on one line. Raises ValueError for a number that JSON does not have."""
        return json.dumps(self.specification, allow_nan=False, separators=(",", ":"))

    @classmethod
    def failed(cls, identity: str, title: str, failure: str) -> Figure:
        """The place of a chart that could not be made."""
        return cls(identity, title, "", None, (), failure=failure)

    @property
    def height(self) -> int:
        """Pixels that the drawn field is high, without axes and legend; 0 when nothing is drawn."""
        return 0 if self.chart is None else int(self.chart.height)


def why_no_figures(cell: CellEstimate, operation: Operation | None = None) -> str:
    """Why a cell has no figures, or none of one class of operations, in words."""
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
    """Why a class that has figures has none of the percentiles that a chart draws, in words."""
    if figures.saturated:
        return f"{cell.cell} did not sustain its arrival rate, so its latency percentiles are omitted"
    return f"{cell.cell} completed only {figures.count} {plural(figures.operation)}, too few for a percentile"


def left_out(expected: Iterable[tuple[CellEstimate, Operation, str]], drawn: Iterable[Row]) -> tuple[str, ...]:
    """A sentence for each reason why a class of a cell, by the name of its series, has no row in the chart."""
    present = {(row["cell"], row["series"]) for row in drawn}
    missing = [(cell, operation) for cell, operation, series in expected if (cell.cell, series) not in present]
    return tuple(dict.fromkeys(_why_missing(cell, operation) for cell, operation in missing))


def _why_missing(cell: CellEstimate, operation: Operation) -> str:
    figures = cell.of(operation)
    if figures is not None:
        return why_no_percentiles(cell, figures)
    return why_no_figures(cell, operation if cell.operations else None)
