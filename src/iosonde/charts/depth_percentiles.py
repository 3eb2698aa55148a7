"""The queue-depth sweep: latency percentiles by depth."""

from collections.abc import Iterator, Sequence
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import Along, Family, drawn_classes, families_of
from iosonde.analysis.histogram import percent_label
from iosonde.charts.axes import log_latency
from iosonde.charts.depths import depth_axis
from iosonde.charts.figure import NO_FIGURES, NO_PERCENTILES, Figure, Row, left_out
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.names import names_of, slug
from iosonde.charts.points import Point, unit_of
from iosonde.charts.quantities import LatencyUnit, more_in_table, plural, significant
from iosonde.charts.theme import PALETTE, Series, colour, dash, layered, shape
from iosonde.records import Operation
from iosonde.vocabulary import percentile_quantity

PERCENTS_DRAWN: Final = (50.0, 95.0, 99.0, 99.9)

CHARTS_MAX: Final = 9
"""The most charts: one for each class of operations of each workload. For more classes, tables are easier to read."""


def queue_depth_percentiles(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Median to p99.9 by requested depth, in a chart for each class of operations of each workload."""
    wanted = list(_wanted(families_of(cells, Along.DEPTH)))
    drawn, rest = wanted[:CHARTS_MAX], wanted[CHARTS_MAX:]
    more = "".join(f" {each}" for each in more_in_table(len(rest), "class of operations", "classes of operations"))
    last = len(drawn) - 1
    return tuple(
        _figure(family, name, operation, number, more if number == last else "")
        for number, (name, family, operation) in enumerate(drawn)
    )


def _wanted(families: Sequence[Family]) -> Iterator[tuple[str, Family, Operation]]:
    for name, family in zip(names_of(families, Along.DEPTH), families, strict=True):
        for operation in drawn_classes(family.workload):
            yield name, family, operation


def _figure(family: Family, name: str, operation: Operation, number: int, more: str) -> Figure:
    points = [(cell, figures) for cell in family.cells if (figures := cell.of(operation)) is not None]
    unit = unit_of(points)
    rows = [row for point in points for row in _rows(point, unit)]
    is_plain = name == operation.value
    kind = "all operations" if operation is Operation.ALL else plural(operation)
    of = kind if is_plain else f"{kind} of {name}"
    caption = (
        f"Percentiles p50 to p99.9 of the service time of {of} ({unit.name}), by requested queue depth, with all "
        "repeats merged. Error bars extend from the lowest to the highest repeat. Percentiles with fewer than 10 "
        f"samples above them are omitted.{more}"
    )
    suffix = "" if is_plain else f"-{number}-{slug(name)}"
    title = f"Latency percentiles of {kind} by queue depth{'' if is_plain else f': {name}'}"
    # A cell with at least one percentile counts as drawn. The caption explains missing percentiles.
    marked = [{"cell": row["cell"], "series": ""} for row in rows]
    return Figure(
        f"queue-depth-{operation}-percentiles{suffix}",
        title,
        caption,
        layered(_layers(rows, unit), rows, caption) if rows else None,
        tuple(rows),
        left_out([(cell, operation, "") for cell in family.cells], marked),
        NO_PERCENTILES if points else NO_FIGURES,
    )


def _rows(point: Point, unit: LatencyUnit) -> list[Row]:
    cell, figures = point
    achieved, device = cell.queue_depth_achieved, cell.queue_depth_device
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
                "drawn_operation": figures.operation,
                "drawn_quantity": percentile_quantity(percent),
                "queue_depth_asked": cell.queue_depth_asked,
                "queue_depth_achieved": None if achieved is None else round(achieved.mean, 3),
                "queue_depth_device": None if device is None else round(device.mean, 3),
                "queue_depth_kept": None if cell.queue_depth_kept is None else round(cell.queue_depth_kept, 3),
                unit.field: known.value_ns / unit.ns,
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
        for name, style in zip(names, PALETTE, strict=False)
        if name in present
    ]
    x = depth_axis(rows)
    y = alt.Y(**log_latency(rows, unit, ends=("lowest", "highest")))
    chart, coloured = alt.Chart(), colour(series)
    told = tooltip(
        series="percentile",
        drawn_latency="latency",
        queue_depth_asked="QD requested",
        queue_depth_achieved="QD achieved",
        queue_depth_device="QD at the device",
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
