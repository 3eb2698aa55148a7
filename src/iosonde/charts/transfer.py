"""Bandwidth over the data transferred: a preconditioning write, or the stretches of a sustained cell."""

from collections.abc import Iterator, Sequence
from typing import Final

import altair as alt

from iosonde.analysis.plateaus import Plateau, Transfer
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.transfer_points import TransferPoint
from iosonde.charts.axes import ABOVE, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import BANDWIDTH_UNIT, significant
from iosonde.charts.theme import INK, INK_SOFT, TEXT_EDGE, Series, layered
from iosonde.units import GIGABYTE, MEGABYTE, SECOND_NS, format_duration

POINTS_MAX: Final = 400
"""The most points of a line. More would not be distinguishable, so adjacent points are joined, with their range."""

TOO_SHORT: Final = "No data: too few operations completed for a bandwidth over the data transferred."


def transfer_chart(identity: str, title: str, stretches: Sequence[Stretch], series: Series) -> Figure:
    """The bandwidth over the data transferred, with the mean of each plateau and the idle times between stretches."""
    cell = stretches[0].cell
    rows = [row for number, each in enumerate(_placed(stretches), 1) for row in _rows(cell, number, *each)]
    if not rows:
        return Figure(identity, title, "", None, (), nothing=TOO_SHORT)
    levels = [level for number, each in enumerate(_placed(stretches), 1) for level in _levels(number, *each)]
    caption = _caption(stretches, levels)
    chart = layered(_layers(rows, levels, list(_idles(stretches)), series), rows, caption)
    return Figure(identity, title, caption, chart, tuple(rows))


def _caption(stretches: Sequence[Stretch], levels: Sequence[Row]) -> str:
    said = ["Bandwidth over the data transferred. The shaded area is the range of the intervals behind each point"]
    if levels:
        said.append("Horizontal lines are the means of the plateaus")
    if any(each.idle_ns for each in stretches[1:]):
        said.append("Dashed lines mark idle times")
    return ". ".join(said) + "."


def _placed(stretches: Sequence[Stretch]) -> Iterator[tuple[Transfer, int]]:
    """Each transfer with the bytes transferred before it."""
    before_bytes = 0
    for each in stretches:
        yield each.transfer, before_bytes
        before_bytes += each.transfer.bytes


def _rows(cell: str, number: int, transfer: Transfer, before_bytes: int) -> Iterator[Row]:
    points = transfer.points
    groups = min(POINTS_MAX, len(points))
    for index in range(groups):
        held = points[index * len(points) // groups : (index + 1) * len(points) // groups]
        yield _row(cell, number, held, before_bytes)


def _row(cell: str, number: int, points: Sequence[TransferPoint], before_bytes: int) -> Row:
    time_ns = sum(point.end_ns - point.start_ns for point in points)
    rate = sum(point.bytes for point in points) * SECOND_NS / time_ns
    rates = [point.bytes_per_s for point in points]
    middle_bytes = before_bytes + (points[0].start_bytes + points[-1].end_bytes) / 2
    return {
        "cell": cell,
        "stretch": number,
        "transferred_gb": round(middle_bytes / GIGABYTE, 6),
        "bandwidth_mb_per_s": round(rate / MEGABYTE, 4),
        "lowest_mb_per_s": round(min(rates) / MEGABYTE, 4),
        "highest_mb_per_s": round(max(rates) / MEGABYTE, 4),
        "iops": round(sum(point.operations for point in points) * SECOND_NS / time_ns, 2),
        "drawn_transferred": f"{significant(middle_bytes / GIGABYTE)} GB",
        "drawn_bandwidth": f"{significant(rate / MEGABYTE)} {BANDWIDTH_UNIT}",
    }


def _levels(number: int, transfer: Transfer, before_bytes: int) -> Iterator[Row]:
    for plateau in transfer.plateaus:
        yield {
            "stretch": number,
            "from_gb": (before_bytes + plateau.start_bytes) / GIGABYTE,
            "to_gb": (before_bytes + plateau.end_bytes) / GIGABYTE,
            "mean_mb_per_s": plateau.bytes_per_s / MEGABYTE,
            "label": level_label(plateau),
        }


def level_label(plateau: Plateau) -> str:
    """The bandwidth of a plateau as a short label."""
    mean = plateau.bytes_per_s / MEGABYTE
    return f"{mean:,.0f}" if mean >= 100 else f"{mean:,.3g}"  # noqa: PLR2004 - three digits


def _idles(stretches: Sequence[Stretch]) -> Iterator[Row]:
    for each, (_, before_bytes) in zip(stretches, _placed(stretches), strict=True):
        if before_bytes and each.idle_ns:
            yield {"at_gb": before_bytes / GIGABYTE, "label": f"{format_duration(each.idle_ns)} idle"}


def _layers(rows: Sequence[Row], levels: Sequence[Row], idles: Sequence[Row], series: Series) -> list[alt.Chart]:
    highest = max(row["highest_mb_per_s"] for row in rows) * ABOVE or 1.0
    x = alt.X(
        "transferred_gb:Q",
        title="Data transferred (GB)",
        scale=alt.Scale(domain=[0, max(row["transferred_gb"] for row in rows)], nice=False),
        axis=number_axis(tickCount=6),
    )
    y = alt.Y(
        "bandwidth_mb_per_s:Q",
        title=f"Bandwidth ({BANDWIDTH_UNIT})",
        scale=alt.Scale(domain=[0, highest], nice=False),
        axis=number_axis(tickCount=6),
    )
    told = tooltip(drawn_transferred="data transferred", drawn_bandwidth="bandwidth", iops="IOPS", cell="cell")
    chart = alt.Chart()
    parts = alt.Detail("stretch:N")
    layers = [
        chart.mark_area(opacity=0.18, color=series.colour).encode(
            x=x, y=_other(y, "lowest_mb_per_s"), y2=alt.Y2("highest_mb_per_s:Q"), detail=parts
        ),
        named_rows(chart.mark_line(strokeWidth=1.5, color=series.colour).encode(x=x, y=y, detail=parts, tooltip=told)),
    ]
    if levels:
        data = alt.InlineData(values=list(levels))
        layers += [
            alt.Chart(data)
            .mark_rule(strokeWidth=2.5, color=INK)
            .encode(x=_along(x, "from_gb"), x2=alt.X2("to_gb:Q"), y=_other(y, "mean_mb_per_s")),
            *(
                alt.Chart(data)
                .mark_text(align="left", baseline="bottom", dx=3, dy=-4, fontSize=11, fontWeight=600, **colours)
                .encode(x=_along(x, "from_gb"), y=_other(y, "mean_mb_per_s"), text=alt.Text("label:N"))
                for colours in (TEXT_EDGE, {"color": INK})
            ),
        ]
    if idles:
        data = alt.InlineData(values=list(idles))
        layers += [
            alt.Chart(data).mark_rule(color=INK_SOFT, strokeDash=[4, 3]).encode(x=_along(x, "at_gb")),
            alt.Chart(data)
            .mark_text(align="right", baseline="top", dx=-4, fontSize=11, color=INK_SOFT)
            .encode(x=_along(x, "at_gb"), y=alt.value(4), text=alt.Text("label:N")),
        ]
    return layers


def _along(x: alt.X, field: str) -> alt.X:
    return alt.X(f"{field}:Q", title=x["title"], scale=x["scale"], axis=x["axis"])


def _other(y: alt.Y, field: str) -> alt.Y:
    return alt.Y(f"{field}:Q", title=y["title"], scale=y["scale"], axis=y["axis"])
