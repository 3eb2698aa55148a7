"""Bandwidth over the data transferred: a preconditioning write, or the stretches of a sustained cell."""

from collections.abc import Iterator, Sequence

import altair as alt

from iosonde.analysis.plateaus import Plateau, Transfer
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.transfer_points import TransferPoint
from iosonde.charts.axes import ABOVE, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import BANDWIDTH_UNIT, significant
from iosonde.charts.theme import INK, TEXT_EDGE, Series, layered
from iosonde.charts.transfer_axis import (
    IDLES,
    TOO_SHORT,
    has_idle_times,
    idle_layers,
    joined_points,
    middle_gb,
    placed,
    transferred_axis,
)
from iosonde.units import GIGABYTE, MEGABYTE, SECOND_NS


def transfer_chart(identity: str, title: str, stretches: Sequence[Stretch], series: Series) -> Figure:
    """The bandwidth over the data transferred, with the mean of each plateau and the idle times between stretches."""
    cell = stretches[0].cell
    rows = [
        _row(cell, number, points, before_bytes)
        for number, (transfer, before_bytes) in enumerate(placed(stretches), 1)
        for points in joined_points(transfer)
    ]
    if not rows:
        return Figure(identity, title, "", None, (), nothing=TOO_SHORT)
    levels = [level for number, each in enumerate(placed(stretches), 1) for level in _levels(number, *each)]
    caption = _caption(stretches, levels)
    layers = [*_layers(rows, levels, series), *idle_layers(stretches, rows)]
    return Figure(identity, title, caption, layered(layers, rows, caption), tuple(rows))


def _caption(stretches: Sequence[Stretch], levels: Sequence[Row]) -> str:
    said = ["Bandwidth over the data transferred. The shaded area is the range of the intervals behind each point"]
    if levels:
        said.append("Horizontal lines are the means of the plateaus")
    if has_idle_times(stretches):
        said.append(IDLES)
    return ". ".join(said) + "."


def _row(cell: str, number: int, points: Sequence[TransferPoint], before_bytes: int) -> Row:
    time_ns = sum(point.end_ns - point.start_ns for point in points)
    rate = sum(point.bytes for point in points) * SECOND_NS / time_ns
    rates = [point.bytes_per_s for point in points]
    transferred_gb = middle_gb(points, before_bytes)
    return {
        "cell": cell,
        "stretch": number,
        "transferred_gb": round(transferred_gb, 6),
        "bandwidth_mb_per_s": round(rate / MEGABYTE, 4),
        "lowest_mb_per_s": round(min(rates) / MEGABYTE, 4),
        "highest_mb_per_s": round(max(rates) / MEGABYTE, 4),
        "iops": round(sum(point.operations for point in points) * SECOND_NS / time_ns, 2),
        "drawn_transferred": f"{significant(transferred_gb)} GB",
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


def _layers(rows: Sequence[Row], levels: Sequence[Row], series: Series) -> list[alt.Chart]:
    highest = max(row["highest_mb_per_s"] for row in rows) * ABOVE or 1.0
    x = transferred_axis(rows)
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
        along = transferred_axis(rows, "from_gb")
        layers += [
            alt.Chart(data)
            .mark_rule(strokeWidth=2.5, color=INK)
            .encode(x=along, x2=alt.X2("to_gb:Q"), y=_other(y, "mean_mb_per_s")),
            *(
                alt.Chart(data)
                .mark_text(align="left", baseline="bottom", dx=3, dy=-4, fontSize=11, fontWeight=600, **colours)
                .encode(x=along, y=_other(y, "mean_mb_per_s"), text=alt.Text("label:N"))
                for colours in (TEXT_EDGE, {"color": INK})
            ),
        ]
    return layers


def _other(y: alt.Y, field: str) -> alt.Y:
    return alt.Y(f"{field}:Q", title=y["title"], scale=y["scale"], axis=y["axis"])
