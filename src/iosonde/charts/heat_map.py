"""Latency over time: a heat map of the latencies in each interval, with lines for percentiles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, Final

import altair as alt
import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.histogram import PERCENTS, low_and_width
from iosonde.analysis.latency import leading, percentiles_of
from iosonde.analysis.states import measured_repeats
from iosonde.analysis.time_series import Moment, moments_of
from iosonde.analysis.totals import add_operations, count_all, total_of
from iosonde.charts.axes import log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.png import png_data_url
from iosonde.charts.quantities import LatencyUnit, latency_unit, latency_words, significant
from iosonde.charts.theme import INK, INK_SOFT, Series, colour, dash, layered
from iosonde.records import CellRecord, Operation, OperationTotals
from iosonde.units import SECOND_NS

ROWS_A_DECADE: Final = 24
COLUMNS_MAX: Final = 1200
"""The most columns, enough for a wide screen. Cells with more intervals have several intervals per column."""
COLUMNS_MIN: Final = 60
"""The fewest columns that show how latency changes over time."""
COUNT_MIN: Final = 1500
"""The operations that a column should have: 1.5 times the number that a p99 needs."""
BORDERS_MAX: Final = 60
"""The most lines between repeats. More lines would hide the heat map."""
LINES: Final = (
    (50.0, Series("p50", INK, "circle")),
    (95.0, Series("p95", "#009E73", "circle", (8, 2, 2, 2))),
    (99.0, Series("p99", "#D55E00", "circle", (6, 3))),
    (99.9, Series("p99.9", "#CC79A7", "circle", (2, 3))),
)
MEAN: Final = Series("mean", INK, "circle")
_BLUE: Final = (0, 114, 178)
# The lower end of the colour scale, as a share of a column's operations. A share of 0.001 is still clearly visible.
_FAINTEST: Final = 1e-5


@dataclass(frozen=True)
class _Grid:
    """The latency axis of the heat map: from ``low_ns`` to ``high_ns``, in rows of equal ratio."""

    low_ns: float
    high_ns: float
    rows: int

    def row(self, value_ns: float) -> int:
        """The row of a latency, 0 at the bottom."""
        place = floor(log10(max(value_ns, 1) / self.low_ns) * ROWS_A_DECADE)
        return min(max(place, 0), self.rows - 1)


@dataclass(frozen=True)
class _Column:
    """A column of the heat map: its range of measurement time, and the operations that completed in it, if any."""

    moment: Moment
    from_ns: int
    to_ns: int
    totals: OperationTotals | None

    @property
    def repeat(self) -> int:
        return self.moment.record.repeat

    @property
    def percentiles_ns(self) -> tuple[int | None, ...]:
        """The percentiles ``PERCENTS``; None for those with fewer than 10 samples beyond."""
        return (None,) * len(PERCENTS) if self.totals is None else percentiles_of(self.totals)


def latency_heat_map(cell: CellEstimate, records: Sequence[CellRecord]) -> Figure:
    """The latencies of one cell over its measurement time, with the repeats in sequence."""
    mine = [record for record in records if record.cell == cell.cell]
    columns = _columns(list(moments_of(mine, length_ns_min=_column_ns(measured_repeats(mine)))))
    title = f"Latency over time: {cell.cell}"
    identity = f"heat-map-{cell.cell}"
    totals = [each.totals for each in columns if each.totals is not None]
    if not totals:
        return Figure(identity, title, "This cell has no time series.", None, ())
    unit = latency_unit([sum(each.latency_ns_sum for each in totals) / sum(each.count for each in totals)])
    rows = [row for each in columns for row in _percentile_rows(each, unit)]
    lines = "Lines show the percentiles with at least 10 samples above them"
    if not rows:
        # On a slow target, intervals have too few operations for percentiles, but they have a mean.
        rows = [_row(each, MEAN.name, mean_ns, unit) for each in columns if (mean_ns := _mean_ns(each)) is not None]
        lines = "The line shows the mean because no interval has enough samples for a percentile"
    caption = (
        f"{latency_words([cell])} ({unit.name}) over the measurement time, with the repeats in sequence. "
        f"A darker colour means a larger share of the operations in an interval (log scale). {lines}."
    )
    grid = _grid(min(each.latency_ns_min for each in totals), max(each.latency_ns_max for each in totals))
    chart = layered(_layers(rows, columns, grid, unit), rows, caption)
    return Figure(identity, title, caption, chart, tuple(rows))


def _column_ns(records: Sequence[CellRecord]) -> int:
    """The least length of a column. If ``COLUMNS_MIN`` remain, columns are long enough for a p99 in most of them."""
    length_ns = sum(record.measured_ns for record in records)
    columns = sum(count_all(record.operations) for record in records) // COUNT_MIN
    return length_ns // (min(columns, COLUMNS_MAX) if columns >= COLUMNS_MIN else COLUMNS_MAX)


def _columns(moments: Sequence[Moment]) -> list[_Column]:
    columns, elapsed_ns = [], 0
    for moment in moments:
        found = total_of(add_operations(moment.intervals), Operation.ALL)
        to_ns = elapsed_ns + moment.length_ns
        columns.append(_Column(moment, elapsed_ns, to_ns, None if found is None else leading(found)))
        elapsed_ns = to_ns
    return columns


def _percentile_rows(column: _Column, unit: LatencyUnit) -> Iterator[Row]:
    known = column.percentiles_ns
    for percent, series in LINES:
        value_ns = known[PERCENTS.index(percent)]
        if value_ns is not None:
            yield _row(column, series.name, value_ns, unit)


def _mean_ns(column: _Column) -> float | None:
    return None if column.totals is None else column.totals.latency_ns_sum / column.totals.count


def _row(column: _Column, series: str, value_ns: float, unit: LatencyUnit) -> Row:
    return {
        "cell": column.moment.record.cell,
        "series": series,
        "repeat": column.repeat,
        "from_s": column.from_ns / SECOND_NS,
        "to_s": column.to_ns / SECOND_NS,
        "second": (column.from_ns + column.to_ns) / 2 / SECOND_NS,
        unit.field: value_ns / unit.ns,
        "drawn_latency": f"{significant(value_ns / unit.ns)} {unit.name}",
        "percentile": series,
    }


def _grid(least_ns: int, most_ns: int) -> _Grid:
    low = floor(log10(max(least_ns, 1)) * ROWS_A_DECADE)
    high = ceil(log10(max(most_ns, 2)) * ROWS_A_DECADE) + 1
    return _Grid(10 ** (low / ROWS_A_DECADE), 10 ** (high / ROWS_A_DECADE), high - low)


def _picture(intervals: Sequence[_Column], grid: _Grid) -> str:
    """The heat map as a PNG data URL: pixel columns of equal time, and one pixel row per row of the grid."""
    last_ns = intervals[-1].to_ns
    columns = min(round(last_ns / min(each.to_ns - each.from_ns for each in intervals)), COLUMNS_MAX)
    borders = [0, *(round(each.to_ns * columns / last_ns) for each in intervals)]
    shares = np.zeros((grid.rows, columns))
    for interval, (first, last) in zip(intervals, pairwise(borders), strict=True):
        totals = interval.totals
        if totals is None:
            continue
        for bucket, count in zip(totals.latency.bucket, totals.latency.count, strict=True):
            low_ns, width_ns = low_and_width(totals.latency.layout, bucket)
            shares[grid.row(low_ns + width_ns / 2), first : max(last, first + 1)] += count / totals.count
    pixels: NDArray[Any] = np.zeros((grid.rows, columns, 4), dtype=np.uint8)
    pixels[..., :3] = _BLUE
    seen = np.log10(np.maximum(shares, _FAINTEST) / _FAINTEST) / -log10(_FAINTEST)
    pixels[..., 3] = np.where(shares > 0, 40 + seen * 215, 0).astype(np.uint8)
    return png_data_url(pixels[::-1])


def _layers(rows: Sequence[Row], columns: Sequence[_Column], grid: _Grid, unit: LatencyUnit) -> list[alt.Chart]:
    domain = (grid.low_ns / unit.ns, grid.high_ns / unit.ns)
    x = alt.X(
        "second:Q",
        title="Measurement time (s)",
        scale=alt.Scale(domain=[0, columns[-1].to_ns / SECOND_NS], nice=False),
        axis=number_axis(tickCount=8, grid=False),
    )
    heights = number_axis(values=log_ticks(domain), grid=False)
    y = alt.Y(**log_scaled(unit.field, f"Latency ({unit.name})", domain, heights))
    present = {row["series"] for row in rows}
    series = [each for each in (*(each for _, each in LINES), MEAN) if each.name in present]
    borders = [first.to_ns / SECOND_NS for first, second in pairwise(columns) if first.repeat != second.repeat]
    told = [
        *tooltip(percentile="percentile", drawn_latency="latency", repeat="repeat"),
        alt.Tooltip("second:Q", title="second", format=".2f"),
    ]
    # The heat map is one image, stretched over the plot area. As marks it would be thousands of rectangles.
    field = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_image(
            url=_picture(columns, grid),
            width=alt.ExprRef("width"),
            height=alt.ExprRef("height"),
            aspect=False,
            align="left",
            baseline="top",
            smooth=False,
        )
        .encode(x=alt.value(0), y=alt.value(0))
    )
    chart, coloured = alt.Chart(), colour(series, lines=True)
    # All lines are in one layer: with a layer each, a page with two hundred repeats blocked for minutes.
    parted = (
        alt.Chart(alt.InlineData(values=[{"second": border} for border in borders]))
        .mark_rule(color=INK_SOFT, strokeDash=[3, 3])
        .encode(x=alt.X("second:Q"))
    )
    return [
        field,
        *([parted] if 0 < len(borders) <= BORDERS_MAX else []),
        chart.mark_line(strokeWidth=2).encode(
            x=x, y=y, color=coloured, strokeDash=dash(series, lines=True), detail=alt.Detail("repeat:N")
        ),
        named_rows(chart.mark_point(size=60, filled=True, opacity=0).encode(x=x, y=y, tooltip=told)),
    ]
