"""The queue-depth sweep once more: how the tail grows with depth."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.histogram import percent_label
from iosonde.charts.axes import log_latency
from iosonde.charts.depths import depth_axis
from iosonde.charts.figure import Figure, Row, left_out
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.points import Point, pure_points, unit_of
from iosonde.charts.quantities import LatencyUnit, significant
from iosonde.charts.theme import CASES, Series, colour, dash, layered, shape
from iosonde.records import Operation

PERCENTS_DRAWN: Final = (50.0, 90.0, 99.0, 99.9)


def queue_depth_read_percentiles(cells: Sequence[CellEstimate]) -> Figure:
    """Median to p99.9 of reads against asked depth."""
    return _figure(cells, Operation.READ)


def queue_depth_write_percentiles(cells: Sequence[CellEstimate]) -> Figure:
    """Median to p99.9 of writes against asked depth."""
    return _figure(cells, Operation.WRITE)


def _figure(cells: Sequence[CellEstimate], direction: Operation) -> Figure:
    wanted = [cell for cell in cells if cell.direction in {direction, None}]
    points = [point for point in pure_points(wanted) if point[1].operation is direction]
    unit = unit_of(points)
    rows = [row for point in points for row in _rows(point, unit)]
    caption = (
        f"Service latency of {direction}s ({unit.name}) at p50 to p99.9 against queue depth asked, all repeats added "
        "up; bars go from the lowest to the highest repeat; one with fewer than 10 samples beyond it is left out."
    )
    identity, title = f"queue-depth-{direction}-percentiles", f"Percentiles of {direction}s against depth"
    chart = layered(_layers(rows, unit), rows, caption) if rows else None
    return Figure(identity, title, caption, chart, tuple(rows), left_out(wanted, rows))


def _rows(point: Point, unit: LatencyUnit) -> list[Row]:
    cell, figures = point
    achieved = cell.queue_depth_achieved
    rows = []
    for percent in PERCENTS_DRAWN:
        known = figures.percentile(percent)
        if known.value_ns is None:
            continue
        lowest = known.value_ns if known.lowest_ns is None else known.lowest_ns
        highest = known.value_ns if known.highest_ns is None else known.highest_ns
        rows.append(
            {
                "cell": cell.cell,
                "series": percent_label(percent),
                "queue_depth_asked": cell.queue_depth_asked,
                "queue_depth_achieved": None if achieved is None else round(achieved.mean, 3),
                f"latency_{unit.name}": known.value_ns / unit.ns,
                "lowest": lowest / unit.ns,
                "highest": highest / unit.ns,
                "drawn_latency": f"{significant(known.value_ns / unit.ns)} {unit.name}",
                "samples": figures.count,
                "repeats": figures.iops.repeats,
            }
        )
    return rows


def _layers(rows: Sequence[Row], unit: LatencyUnit) -> list[alt.Chart]:
    names = [percent_label(percent) for percent in PERCENTS_DRAWN]
    present = {row["series"] for row in rows}
    series = [
        Series(name, style.colour, style.shape, style.dash)
        for name, style in zip(names, CASES, strict=True)
        if name in present
    ]
    x = depth_axis(rows)
    y = alt.Y(**log_latency(rows, unit, ends=("lowest", "highest")))
    chart, coloured = alt.Chart(), colour(series)
    told = tooltip(
        series="percentile",
        drawn_latency="latency",
        queue_depth_asked="depth asked",
        queue_depth_achieved="depth achieved",
        samples="samples",
        repeats="repeats",
        cell="cell",
    )
    return [
        chart.mark_line(strokeWidth=2).encode(x=x, y=y, color=coloured, strokeDash=dash(series)),
        chart.mark_rule(strokeWidth=2, opacity=0.6).encode(
            x=x, y=alt.Y("lowest:Q", title=y["title"]), y2=alt.Y2("highest:Q"), color=coloured
        ),
        named_rows(
            chart.mark_point(size=70, filled=True, opacity=1).encode(
                x=x, y=y, color=coloured, shape=shape(series), tooltip=told
            )
        ),
    ]
