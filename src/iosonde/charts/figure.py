"""What a chart function gives back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from iosonde.records import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    # Not imported when running: the terminal summary uses this file, and Altair takes 0.3 s to import.
    import altair as alt

    from iosonde.analysis.cells import CellEstimate

Row = dict[str, Any]

DRAWN: Final = "drawn_"
"""How the names of fields begin that are no data, but where or as what something is drawn."""


@dataclass(frozen=True)
class Figure:
    """A chart with what stands around it.

    ``caption`` is one sentence on how to read it. ``chart`` is None when nothing could be drawn. ``rows`` are the
    values it draws, units in their names. ``left_out`` says, a sentence each, what has no figures and why.
    ``failure`` is what stands in the place of a chart that could not be made.
    """

    id: str
    title: str
    caption: str
    chart: alt.LayerChart | None
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()
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


def why_no_figures(cell: CellEstimate) -> str:
    """Why a cell can't be drawn, in words."""
    planned = len(cell.outcomes)
    if planned == 0:
        return f"{cell.cell} was not measured"
    if cell.repeats_failed:
        reason = f": {cell.failures[0].message}" if cell.failures else ""
        return f"{cell.cell} failed in {cell.repeats_failed} of {planned} repeats{reason}"
    if cell.repeats_cut:
        return f"{cell.cell} was cut off in {cell.repeats_cut} of {planned} repeats"
    if cell.workload.flushes_each and cell.of(Operation.FLUSH) is not None:
        return f"in {cell.cell} writes and flushes were timed apart, and no commit of both"
    return f"{cell.cell} completed nothing of what is drawn here"


def left_out(cells: Iterable[CellEstimate], drawn: Iterable[Row]) -> tuple[str, ...]:
    """A sentence for each of the cells that has no row in the chart."""
    present = {row["cell"] for row in drawn}
    return tuple(why_no_figures(cell) for cell in cells if cell.cell not in present)
