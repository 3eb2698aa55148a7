"""The axis on which a chart shows a metric, and how it is extended to include a limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from iosonde.charts.axes import log_ticks
from iosonde.charts.end_labels import Height, with_end_labels
from iosonde.charts.quantities import MICROSECOND, MILLISECOND, NANOSECOND
from iosonde.units import MEGABYTE
from iosonde.vocabulary import Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iosonde.charts.figure import Row

LOG_REACH: Final = 4.0
LINEAR_REACH: Final = 2.0
"""An axis is extended to a limit up to this multiple of its end. A limit further away is only in the caption."""

EDGE_SHARE: Final = 0.15
"""A limit is at least this share of the axis away from its ends, so that there is room for its label."""

_UNITS: Final = (NANOSECOND, MICROSECOND, MILLISECOND)
_METRICS: Final[dict[str, tuple[Quantity, float]]] = {
    "iops": (Quantity.IOPS, 1.0),
    "bandwidth_mb_per_s": (Quantity.BYTES_PER_S, float(MEGABYTE)),
    **{unit.field: (Quantity.LATENCY_NS_MEAN, float(unit.ns)) for unit in _UNITS},
    **{unit.field.replace("latency", "latency_p99"): (Quantity.LATENCY_NS_P99, float(unit.ns)) for unit in _UNITS},
}
"""The metric of each field on an axis, and its unit in base units. Rows of percentiles name their metric themselves."""


@dataclass(frozen=True)
class MetricAxis:
    """The axis that shows the metric, from ``low`` to ``high``.

    ``channel`` is x or y, ``field`` the field of the rows, and ``unit`` the unit of the axis in base units. ``stretch``
    is the factor by which a linear axis was extended.
    """

    channel: str
    field: str
    quantity: Quantity
    unit: float
    low: float
    high: float
    is_log: bool
    stretch: float = 1.0

    @property
    def height(self) -> Height:
        """Converts between values and shares of the axis."""
        return Height(self.low, self.high, is_log=self.is_log)

    def reaches(self, value: float) -> bool:
        """Whether the axis shows this value, or can be extended to it."""
        if self.is_log:
            return self.low / LOG_REACH <= value <= self.high * LOG_REACH
        return 0 <= value <= self.high * LINEAR_REACH

    def including(self, value: float) -> MetricAxis:
        """The axis, extended if the value is beyond its ends or too close to one."""
        inside = 1 - EDGE_SHARE
        if not self.is_log:
            high = max(self.high, value / inside)
            return replace(self, high=high, stretch=self.stretch * high / self.high)
        low, high = self.low, self.high
        if log(value / low) > inside * log(high / low):
            high = low * (value / low) ** (1 / inside)
        if log(high / value) > inside * log(high / low):
            low = high / (high / value) ** (1 / inside)
        return replace(self, low=low, high=high)


def field_of(channel: Any) -> str:  # noqa: ANN401 - Altair's channels
    """The field of a channel; empty if it has none."""
    return "" if channel is alt.Undefined else str(channel["shorthand"]).partition(":")[0]


def axis_of(encoding: Any, rows: Sequence[Row]) -> MetricAxis | None:  # noqa: ANN401 - Altair's encodings
    """The axis of a metric. None if neither axis shows one."""
    for channel in ("y", "x"):
        field = field_of(getattr(encoding, channel))
        known = _METRICS.get(field)
        if known is None:
            continue
        scale = getattr(encoding, channel)["scale"].to_dict()
        low, high = scale.get("domain", (0.0, max((row[field] for row in rows), default=1.0)))
        return MetricAxis(channel, field, *known, low=low, high=high, is_log=scale.get("type") == "log")
    return None


def rescaled(layer: Any, axis: MetricAxis) -> Any:  # noqa: ANN401 - Altair's charts
    """A layer of the chart with the extended axis. A layer that takes its axis from others is unchanged."""
    channel = getattr(layer.encoding, axis.channel)
    if channel is alt.Undefined or channel["scale"] is alt.Undefined or "scale" not in channel.to_dict():
        return layer
    scale = channel["scale"].copy()
    if scale["domain"] is alt.Undefined:
        # The end is an expression that leaves room for numbers: the whole axis is stretched.
        scale["domainMax"] = alt.ExprRef(f"({scale['domainMax'].to_dict()['expr']}) * {axis.stretch}")
    else:
        scale["domain"] = [axis.low, axis.high]
    changed = channel.copy()
    changed["scale"] = scale
    if axis.is_log and channel["axis"]["values"] is not alt.Undefined:
        ticks = channel["axis"].copy()
        ticks["values"] = log_ticks((axis.low, axis.high))
        changed["axis"] = ticks
    other = layer.copy(deep=False)
    other.encoding = layer.encoding.copy(deep=False)
    setattr(other.encoding, axis.channel, changed)
    return other


def with_ends(rows: list[Row], encoding: Any, axis: MetricAxis) -> list[Row]:  # noqa: ANN401 - Altair's encodings
    """The rows with the names at the ends of lines placed again, because the axis has other ends."""
    if not any("drawn_end" in row for row in rows):
        return rows
    return with_end_labels(rows, axis.height, x=field_of(encoding.x), y=axis.field)
