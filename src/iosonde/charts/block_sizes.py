"""The block-size sweep: IOPS, bandwidth and latency against the size of a block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import altair as alt

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.charts.axes import iops_axis, log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import lines_with_intervals
from iosonde.charts.points import FLOOR_BELOW, bars_text, interval_ends, pure_points, row_of, unit_of
from iosonde.charts.quantities import (
    BANDWIDTH_BASE,
    BANDWIDTH_UNIT,
    IOPS_BASE,
    MEGABYTE,
    MICROSECOND,
    LatencyUnit,
    series_label,
)
from iosonde.charts.theme import (
    CASES,
    RANDOM_READ,
    RANDOM_WRITE,
    SEQUENTIAL_READ,
    SEQUENTIAL_WRITE,
    Series,
    layered,
)

SERIES = (RANDOM_READ, RANDOM_WRITE, SEQUENTIAL_READ, SEQUENTIAL_WRITE)
_SIZE_LABEL = "datum.value >= 1048576 ? datum.value / 1048576 + ' MiB' : datum.value / 1024 + ' KiB'"


@dataclass(frozen=True)
class _View:
    """What one of the three charts shows on its vertical axis, and how it is worded.

    ``field`` is the rows' field, and ``factor`` leads from the estimate's base unit to the axis's.
    """

    id: str
    title: str
    quantity: str
    field: str
    axis_title: str
    axis: Callable[..., alt.Axis]
    estimate: Callable[[OperationEstimate], Estimate]
    factor: float = 1.0
    unit: LatencyUnit = MICROSECOND


def block_size_iops(cells: Sequence[CellEstimate]) -> Figure:
    """Operations a second against block size, both axes logarithmic."""
    view = _View(
        id="block-size-iops",
        title="Block size and IOPS",
        quantity=f"IOPS ({IOPS_BASE})",
        field="iops",
        axis_title=f"IOPS ({IOPS_BASE})",
        axis=iops_axis,
        estimate=lambda figures: figures.iops,
    )
    return _figure(cells, view)


def block_size_bandwidth(cells: Sequence[CellEstimate]) -> Figure:
    """Bandwidth in MB/s (10^6 bytes/s) against block size, both axes logarithmic."""
    view = _View(
        id="block-size-bandwidth",
        title="Block size and bandwidth",
        quantity=f"Bandwidth ({BANDWIDTH_BASE})",
        field="bandwidth_mb_per_s",
        axis_title=f"Bandwidth ({BANDWIDTH_UNIT}, 10^6 bytes/s)",
        axis=number_axis,
        estimate=lambda figures: figures.bytes_per_s,
        factor=1 / MEGABYTE,
    )
    return _figure(cells, view)


def block_size_latency(cells: Sequence[CellEstimate]) -> Figure:
    """Mean service latency against block size, both axes logarithmic."""
    unit = unit_of(pure_points(cells))
    view = _View(
        id="block-size-latency",
        title="Block size and latency",
        quantity=f"Mean service latency ({unit.name})",
        field=f"latency_{unit.name}",
        axis_title=f"Mean latency ({unit.name})",
        axis=number_axis,
        estimate=lambda figures: figures.latency_ns_mean,
        factor=1 / unit.ns,
        unit=unit,
    )
    return _figure(cells, view)


def _rows(cells: Sequence[CellEstimate], view: _View) -> list[Row]:
    points = pure_points(cells)
    lowest = min((view.estimate(figures).mean * view.factor for _, figures in points), default=1.0)
    return [
        row_of(point, series_label(point[0].workload.pattern, point[1].operation), view.unit)
        | interval_ends(view.estimate(point[1]), lowest / FLOOR_BELOW, view.factor)
        for point in points
    ]


def _figure(cells: Sequence[CellEstimate], view: _View) -> Figure:
    rows = _rows(cells, view)
    depths = sorted({cell.queue_depth_asked for cell in cells})
    caption = (
        f"{view.quantity} against block size at queue depth {', '.join(map(str, depths))} asked; {bars_text(rows)}."
    )
    chart = layered(_layers(rows, view), rows, caption) if rows else None
    return Figure(view.id, view.title, caption, chart, tuple(rows), left_out(cells, rows))


def _layers(rows: Sequence[Row], view: _View) -> list[alt.Chart]:
    sizes = sorted({row["block_size_bytes"] for row in rows})
    domain = log_domain(row[end] for row in rows for end in (view.field, "drawn_low", "high"))
    x = alt.X(
        "block_size_bytes:Q",
        title="Block size (1 KiB = 2^10 B), log scale",
        scale=alt.Scale(type="log", base=2, domain=[sizes[0] / 1.2, sizes[-1] * 1.2], nice=False),
        axis=alt.Axis(values=sizes, labelExpr=_SIZE_LABEL, labelOverlap="parity", grid=False),
    )
    y = alt.Y(**log_scaled(view.field, view.axis_title, domain, view.axis(values=log_ticks(domain))))
    return lines_with_intervals(x, y, _series(rows))


def _series(rows: Sequence[Row]) -> list[Series]:
    """The lines that there are: random and sequential by their own colours, other patterns by those of cases."""
    present = dict.fromkeys(str(row["series"]) for row in rows)
    known = [each for each in SERIES if each.name in present]
    others = [name for name in present if name not in {each.name for each in known}]
    return [*known, *(replace(style, name=name) for name, style in zip(others, cycle(CASES), strict=False))]
