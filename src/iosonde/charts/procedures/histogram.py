"""A histogram of response times with lines at the confidence levels."""

from collections.abc import Iterator
from math import floor, log10
from typing import Any, Final

import altair as alt

from iosonde.analysis.histogram import low_and_width
from iosonde.analysis.procedures import ReportedCell
from iosonde.analysis.procedures.reported import LEVELS, level_name
from iosonde.charts.axes import log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import LatencyUnit, latency_unit, significant
from iosonde.charts.theme import INK, TEXT_EDGE, layered
from iosonde.records import Histogram

BINS_A_DECADE: Final = 40
LABEL_ROW_PX: Final = 15
PLOT_PX: Final = 280
EDGE_PX: Final = 9
"""The edge of a label, wide enough to cover the lines that pass behind it."""

FAR_RIGHT: Final = 0.62
"""Labels of lines beyond this share of the axis are to the left of their lines."""


def confidence_levels(identity: str, title: str, cell: ReportedCell) -> Figure:
    """The number of operations by response time, both on log scales, with the mean, the levels and the maximum."""
    if cell.latency is None or cell.latency_ns_mean is None or cell.latency_ns_max is None or not cell.operations:
        return Figure(identity, title, "", None, ())
    unit = latency_unit([cell.latency_ns_mean])
    rows = list(_bins(cell.cell, cell.latency, unit))
    marks = list(_marks(cell, unit))
    missing = [level_name(level) for level, found in zip(LEVELS, cell.levels_ns, strict=True) if found is None]
    caption = (
        f"{cell.operations:,} operations by response time ({unit.name}). Lines mark the mean, the percentiles "
        "and the maximum."
    )
    why = (f"{', '.join(missing)}: fewer than 10 operations are above",) if missing else ()
    domain = (rows[0]["from"] / 1.15, max(rows[-1]["to"], marks[-1]["at"]) * 1.15)
    chart = layered(_layers(rows, marks, domain, unit), rows, caption, height=PLOT_PX)
    return Figure(identity, title, caption, chart, tuple(rows), left_out=why)


def _bins(cell: str, latency: Histogram, unit: LatencyUnit) -> Iterator[Row]:
    """The operations in bins of equal ratio."""
    counts: dict[int, int] = {}
    for bucket, count in zip(latency.bucket, latency.count, strict=True):
        least, width = low_and_width(latency.layout, bucket)
        place = floor(log10(max(least + width / 2, 1)) * BINS_A_DECADE)
        counts[place] = counts.get(place, 0) + count
    for place in sorted(counts):
        low, high = (10 ** (end / BINS_A_DECADE) / unit.ns for end in (place, place + 1))
        yield {
            "cell": cell,
            "from": round(low, 6),
            "to": round(high, 6),
            "operations": counts[place],
            "drawn_low": 0.5,
            "drawn_range": f"{significant(low)} to {significant(high)} {unit.name}",
        }


def _marks(cell: ReportedCell, unit: LatencyUnit) -> Iterator[Row]:
    """The lines, by latency: a name and a place for each."""
    assert cell.latency_ns_mean is not None
    levels = [(level_name(level), found) for level, found in zip(LEVELS, cell.levels_ns, strict=True)]
    found = [("mean", cell.latency_ns_mean), *levels, ("maximum", cell.latency_ns_max)]
    known = sorted(((value, name) for name, value in found if value is not None), key=lambda each: each[0])
    for value, name in known:
        at = value / unit.ns
        yield {"at": at, "name": f"{name}: {significant(at)} {unit.name}"}


def _layers(rows: list[Row], marks: list[Row], domain: tuple[float, float], unit: LatencyUnit) -> list[alt.Chart]:
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    x = alt.X(
        **log_scaled("from", f"Response time ({unit.name})", domain, number_axis(values=log_ticks(domain), grid=False))
    )
    top = max(row["operations"] for row in rows)
    # Room above the bars for a row of text for each line.
    heights = alt.Scale(type="log", domain=[0.5, top * (2 * top) ** 0.75], nice=False)
    ticks = [10**power for power in range(floor(log10(top)) + 1)]
    y = alt.Y("operations:Q", title="Operations, log scale", scale=heights, axis=number_axis(values=ticks))
    chart = alt.Chart()
    told = tooltip(drawn_range="response time", operations="operations")
    layers = [
        named_rows(
            chart.mark_bar(color="#56B4E9", stroke="white", strokeWidth=0.3).encode(
                x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2("drawn_low:Q"), tooltip=told
            )
        ),
        alt.Chart(alt.InlineData(values=marks))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(x=alt.X("at:Q", scale=scale)),
    ]
    layers += _names(marks, domain, scale)
    return layers


def _names(marks: list[Row], domain: tuple[float, float], scale: alt.Scale) -> Iterator[alt.Chart]:
    """The names of the lines, one below the other. First all their edges, so that none covers another name."""
    length = log10(domain[1] / domain[0])
    placed = [{**mark, "y": 4 + number * LABEL_ROW_PX} for number, mark in enumerate(marks)]
    is_right = [log10(mark["at"] / domain[0]) / length > FAR_RIGHT for mark in marks]
    sides: tuple[dict[str, Any], ...] = ({"align": "left", "dx": 5}, {"align": "right", "dx": -5})
    for colours in ({**TEXT_EDGE, "strokeWidth": EDGE_PX}, {"color": INK}):
        for side, style in enumerate(sides):
            here = [mark for mark, right in zip(placed, is_right, strict=True) if right is bool(side)]
            if here:
                text = alt.Chart(alt.InlineData(values=here)).mark_text(**style, baseline="top", fontSize=12, **colours)
                # Without a scale, a value is a place in pixels.
                at = alt.Y("y:Q", scale=None)
                yield text.encode(x=alt.X("at:Q", scale=scale), y=at, text=alt.Text("name:N"))
