"""What the charts of procedures share: the names of mixes and sizes, units, and styles for up to nine lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import altair as alt

from iosonde.analysis.procedures.other_settings import settings_at_place
from iosonde.charts.quantities import BANDWIDTH_UNIT, IOPS_BASE, latency_unit
from iosonde.charts.theme import INK, INK_SOFT, PALETTE, Series
from iosonde.records import Workload
from iosonde.vocabulary import Quantity

STYLES: Final = (
    *PALETTE,
    Series("seventh", INK, "triangle-left", (12, 2, 2, 2)),
    Series("eighth", INK_SOFT, "triangle-right", (3, 3)),
    Series("ninth", "#7d5600", "wedge", (1, 2)),
)
LINES_MAX: Final = len(STYLES)
LEGEND_COLUMNS: Final = 4
LABEL_PX: Final = 240
"""The maximum width of a label in a legend."""
LEGEND_CHARACTERS: Final = 90
"""The most characters in a row of a legend. The symbol and the gap of each label count as four."""


@dataclass(frozen=True)
class Unit:
    """The unit in which a chart or table shows a quantity: title, unit name, base units in one, and field name."""

    quantity: Quantity
    title: str
    name: str
    length: float
    field: str

    def shown(self, value: float) -> float:
        """A value of the record in this unit."""
        return value / self.length


def unit_of(quantity: Quantity, values: Iterable[float | None] = ()) -> Unit:
    """The unit of a quantity for these values. Latencies have one that suits all of them."""
    if quantity is Quantity.BYTES_PER_S:
        return Unit(quantity, "Bandwidth", BANDWIDTH_UNIT, 1e6, "bandwidth_mb_per_s")
    if quantity is Quantity.LATENCY_NS_MEAN:
        unit = latency_unit(value for value in values if value is not None)
        return Unit(quantity, "Mean latency", unit.name, unit.ns, unit.field)
    return Unit(quantity, "IOPS", IOPS_BASE, 1, "iops")


def mix_name(workload: Workload) -> str:
    """The shares of reads and writes: ``65/35``."""
    return f"{workload.read_percent}/{workload.write_percent}"


def cell_label(workload: Workload, among: Sequence[Workload]) -> str:
    """A name for a line, made of what differs among the workloads: ``4 KiB``, ``4 KiB 0/100``."""
    parts = []
    if len({each.size_text for each in among}) > 1 or len(among) == 1:
        parts.append(workload.size_text)
    if len({mix_name(each) for each in among}) > 1 or len(among) == 1:
        parts.append(mix_name(workload))
    if others := settings_at_place(workload, among):
        parts.append(others)
    if len({(each.jobs, each.queue_depth) for each in among}) > 1:
        parts.append(f"{workload.jobs} × QD {workload.queue_depth}")
    return " ".join(parts) or workload.size_text


def place_name(workload: Workload, among: Sequence[Workload]) -> str:
    """Block size and mix, and what tells a cell apart from others with both: ``4 KiB 0/100``, ``… at 1 × QD 64``."""
    return f"{workload.size_text} {mix_name(workload)}{_apart(workload, among)}"


def size_name(workload: Workload, among: Sequence[Workload]) -> str:
    """Block size, and what tells a cell apart from others of this size and mix: ``4 KiB``, ``4 KiB at 1 × QD 64``."""
    return f"{workload.size_text}{_apart(workload, among)}"


def _apart(workload: Workload, among: Sequence[Workload]) -> str:
    alike = [each for each in among if (each.size_text, mix_name(each)) == (workload.size_text, mix_name(workload))]
    others = settings_at_place(workload, among)
    demand = len({(each.jobs, each.queue_depth) for each in alike}) > 1
    of = f" at {workload.jobs} × QD {workload.queue_depth}" if demand else ""
    return f"{f' {others}' if others else ''}{of}"


def styled(names: Sequence[str]) -> tuple[Series, ...]:
    """A style for each line."""
    return tuple(replace(style, name=name) for name, style in zip(names, STYLES, strict=False))


def colour_of(series: Sequence[Series]) -> alt.Color:
    """Colour by ``series``."""
    return alt.Color(
        "series:N", title=None, scale=_scale(series, [each.colour for each in series]), legend=_legend(series)
    )


def shape_of(series: Sequence[Series]) -> alt.Shape:
    """Shape by ``series``. Its legend equals that of the colour, so that Vega-Lite merges the two."""
    return alt.Shape(
        "series:N", title=None, scale=_scale(series, [each.shape for each in series]), legend=_legend(series)
    )


def dash_of(series: Sequence[Series]) -> alt.StrokeDash:
    """Dash by ``series``."""
    dashes = [list(each.dash) for each in series]
    return alt.StrokeDash("series:N", title=None, scale=_scale(series, dashes), legend=_legend(series))


def _scale(series: Sequence[Series], values: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=[each.name for each in series], range=list(values))


def _legend(series: Sequence[Series]) -> alt.Legend:
    longest = max((len(each.name) for each in series), default=0)
    columns = max(1, min(len(series), LEGEND_COLUMNS, LEGEND_CHARACTERS // (longest + 4)))
    return alt.Legend(
        orient="top",
        direction="horizontal",
        columns=columns,
        labelLimit=LABEL_PX,
        symbolOpacity=1,
        symbolStrokeWidth=0,
        columnPadding=24,
    )
