"""Throughput against the offset on the target."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import altair as alt

from iosonde.analysis.procedures.zones import ZonedWorkload
from iosonde.charts.axes import number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import (
    LINES_MAX,
    Unit,
    colour_of,
    dash_of,
    shape_of,
    styled,
    unit_of,
)
from iosonde.charts.quantities import significant
from iosonde.charts.theme import layered
from iosonde.units import BINARY, format_size
from iosonde.vocabulary import Quantity

PLOT_PX: Final = 220
ABOVE: Final = 1.1
NOTHING: Final = "No data: no zone has a value."


def unit_of_zones(workloads: Iterable[ZonedWorkload], quantity: Quantity) -> Unit:
    """A unit that suits the values of all zones."""
    return unit_of(quantity, (cell.of(quantity) for each in workloads for cell in each.cells))


def in_charts(lines: Mapping[str, ZonedWorkload]) -> Iterator[dict[str, ZonedWorkload]]:
    """Splits lines into charts with at most one line for each line style."""
    every = list(lines.items())
    for start in range(0, len(every), LINES_MAX):
        yield dict(every[start : start + LINES_MAX])


def by_zone(identity: str, title: str, lines: Mapping[str, ZonedWorkload], quantity: Quantity) -> Figure:
    """A line for each workload or run: its value in each zone, plotted at the offset of the zone."""
    unit = unit_of_zones(lines.values(), quantity)
    rows = _rows(lines, unit)
    if not rows:
        return Figure(identity, title, "", None, (), nothing=NOTHING)
    zones = max(len(each.cells) for each in lines.values())
    caption = f"{unit.title} of each of {zones} zones, plotted at the offset where the zone starts."
    field, name = ("start_tib", "TiB") if max(row["start_tib"] for row in rows) >= 1 else ("start_gib", "GiB")
    last = max(row[field] for row in rows)
    across = alt.Scale(domain=[0, last * zones / max(zones - 1, 1)], nice=False)
    x = alt.X(f"{field}:Q", title=f"Offset ({name})", scale=across, axis=number_axis(tickCount=8))
    scale = alt.Scale(domain=[0, max(row[unit.field] for row in rows) * ABOVE or 1], nice=False)
    y = alt.Y(f"{unit.field}:Q", title=f"{unit.title} ({unit.name})", scale=scale, axis=number_axis(tickCount=6))
    series = styled(list(dict.fromkeys(row["series"] for row in rows)))
    coloured, chart = colour_of(series), alt.Chart()
    told = tooltip(series="line", zone="zone", drawn_offset="offset", drawn_value=unit.title.lower())
    layers = [
        chart.mark_line(strokeWidth=1.4).encode(
            x=x, y=y, color=coloured, strokeDash=dash_of(series), detail=alt.Detail("drawn_stretch:N")
        ),
        named_rows(
            chart.mark_point(size=16, filled=True, opacity=1).encode(
                x=x, y=y, color=coloured, shape=shape_of(series), tooltip=told
            )
        ),
    ]
    return Figure(identity, title, caption, layered(layers, rows, caption, height=PLOT_PX), tuple(rows))


def _rows(lines: Mapping[str, ZonedWorkload], unit: Unit) -> list[Row]:
    """A row for each zone with a value. A zone without one starts a new stretch, so that the line has a gap there."""
    rows: list[Row] = []
    for label, each in lines.items():
        stretch = 0
        for number, cell in enumerate(each.cells, 1):
            value = cell.of(unit.quantity)
            if value is None:
                stretch += 1
                continue
            start = cell.workload.offset_bytes
            rows.append(
                {
                    "cell": cell.cell,
                    "series": label,
                    "zone": number,
                    "start_gib": start / BINARY["GiB"],
                    "start_tib": start / BINARY["TiB"],
                    unit.field: round(unit.shown(value), 6),
                    "drawn_stretch": stretch,
                    "drawn_offset": format_size(start) if start else "0",
                    "drawn_value": f"{significant(unit.shown(value))} {unit.name}",
                }
            )
    return rows
