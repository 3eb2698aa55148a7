"""The read/write mix: each class of operations, and all operations, by read share."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import Along, Family, drawn_classes, families_of
from iosonde.charts.axes import bandwidth_from_zero, iops_from_zero, log_mean_latency
from iosonde.charts.end_labels import named_ends
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import lines_with_intervals
from iosonde.charts.names import names_of
from iosonde.charts.panels import Line, Panel
from iosonde.charts.points import bars_text, interval_ends, latency_ends, row_of, unit_of
from iosonde.charts.quantities import BANDWIDTH_BASE, IOPS_BASE, more_in_table
from iosonde.charts.theme import BY_CLASS, Series, layered
from iosonde.records import Operation
from iosonde.units import MEGABYTE

TOOLTIP = (
    "series",
    "read_percent",
    "queue_depth_asked",
    "queue_depth_achieved",
    "queue_depth_device",
    "drawn_iops",
    "drawn_latency",
    "repeats",
    "cell",
)


FAMILIES_MAX: Final = 6
"""The most workloads with charts. The tables have all workloads."""


def mix_iops(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """IOPS of each class of operations, and of all operations, by read share."""
    return tuple(_iops(panel) for panel in _panels(cells))


def mix_bandwidth(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Bandwidth of each class of operations, and of all operations, by read share."""
    return tuple(_bandwidth(panel) for panel in _panels(cells))


def mix_latency(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Mean latency of each class of operations, and of all operations, by read share."""
    return tuple(_latency(panel) for panel in _panels(cells))


def _iops(panel: Panel) -> Figure:
    unit = unit_of([point for _, point in panel.points])
    rows = [row_of(point, line.name, unit) | interval_ends(point[1].iops, 0.0) for line, point in panel.points]
    caption = f"IOPS ({IOPS_BASE}) by requested read percentage. {bars_text(rows)}."
    rows, layers = _drawn(rows, iops_from_zero(rows), panel.series, "iops") if rows else (rows, [])
    return panel.figure("mix-iops", "IOPS by read percentage", caption, rows, lambda said: layered(layers, rows, said))


def _bandwidth(panel: Panel) -> Figure:
    unit = unit_of([point for _, point in panel.points])
    rows = [
        row_of(point, line.name, unit) | interval_ends(point[1].bytes_per_s, 0.0, 1 / MEGABYTE)
        for line, point in panel.points
    ]
    caption = f"Bandwidth ({BANDWIDTH_BASE}) by requested read percentage. {bars_text(rows)}."
    rows, layers = _drawn(rows, bandwidth_from_zero(rows), panel.series, "bandwidth_mb_per_s") if rows else (rows, [])
    return panel.figure(
        "mix-bandwidth", "Bandwidth by read percentage", caption, rows, lambda said: layered(layers, rows, said)
    )


def _latency(panel: Panel) -> Figure:
    points = [point for _, point in panel.points]
    unit = unit_of(points)
    ends = latency_ends(points, unit)
    rows = [row_of(point, line.name, unit) | end for (line, point), end in zip(panel.points, ends, strict=True)]
    caption = f"Mean latency ({unit.name}) by requested read percentage. {bars_text(rows)}."
    rows, layers = _drawn(rows, log_mean_latency(rows, unit), panel.series, unit.field) if rows else (rows, [])
    return panel.figure(
        "mix-latency", "Latency by read percentage", caption, rows, lambda said: layered(layers, rows, said)
    )


def _panels(cells: Sequence[CellEstimate]) -> list[Panel]:
    """A panel for each workload, with the read share on the horizontal axis."""
    families = families_of(cells, Along.READ_SHARE)
    named = list(zip(names_of(families, Along.READ_SHARE), families, strict=True))
    more = " ".join(more_in_table(len(named) - FAMILIES_MAX, "workload", "workloads"))
    alone = len(named) == 1
    return [
        Panel(
            _lines(family),
            suffix="" if alone or number == 1 else f"-{number}",
            subject="" if alone else f": {name}",
            note=more if number == FAMILIES_MAX else "",
        )
        for number, (name, family) in enumerate(named[:FAMILIES_MAX], start=1)
    ]


def _lines(family: Family) -> tuple[Line, ...]:
    """The lines of a workload. All operations come first, so that a class with equal values is drawn on top."""
    asked = [(cell, drawn_classes(cell.workload)) for cell in family.cells]
    return tuple(
        Line(
            BY_CLASS[operation],
            operation,
            tuple(cell for cell, classes in asked if operation in {*classes, Operation.ALL}),
            is_whole=operation is Operation.ALL,
        )
        for operation in (Operation.ALL, *(each for each in BY_CLASS if each is not Operation.ALL))
        if any(operation in {*classes, Operation.ALL} for _, classes in asked)
    )


def _drawn(rows: Sequence[Row], y: alt.Y, series: Sequence[Series], up: str) -> tuple[list[Row], list[alt.Chart]]:
    shares = sorted({row["read_percent"] for row in rows})
    x = alt.X(
        "read_percent:Q",
        title="Requested reads (% of operations)",
        scale=alt.Scale(domain=[-4, 104], nice=False),
        axis=alt.Axis(values=shares, grid=False),
    )
    ordered = [each for each in BY_CLASS.values() if each in series]
    ends = named_ends(rows, ordered, (x, y), across="read_percent", up=up)
    return ends.rows, [*lines_with_intervals(ends.x, y, ends.series, fields=TOOLTIP), *ends.layers]
