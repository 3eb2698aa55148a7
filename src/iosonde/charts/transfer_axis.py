"""The axis that charts of a transfer share: the data transferred, with the idle times between stretches."""

from collections.abc import Iterator, Sequence
from typing import Final

import altair as alt

from iosonde.analysis.plateaus import Transfer
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.transfer_points import TransferPoint
from iosonde.charts.axes import number_axis
from iosonde.charts.figure import Row
from iosonde.charts.theme import INK_SOFT
from iosonde.units import GIGABYTE, format_duration

POINTS_MAX: Final = 400
"""The most points of a line. More would not be distinguishable, so adjacent points are joined."""

TOO_SHORT: Final = "No data: too few operations completed for values over the data transferred."
IDLES: Final = "Dashed lines mark idle times"


def placed(stretches: Sequence[Stretch]) -> Iterator[tuple[Transfer, int]]:
    """Each transfer with the bytes transferred before it."""
    before_bytes = 0
    for each in stretches:
        yield each.transfer, before_bytes
        before_bytes += each.transfer.bytes


def joined_points(transfer: Transfer) -> Iterator[Sequence[TransferPoint]]:
    """The points of a transfer in at most ``POINTS_MAX`` groups of adjacent ones."""
    points = transfer.points
    groups = min(POINTS_MAX, len(points))
    for index in range(groups):
        yield points[index * len(points) // groups : (index + 1) * len(points) // groups]


def middle_gb(points: Sequence[TransferPoint], before_bytes: int) -> float:
    """The middle of a group of points on the axis."""
    return (before_bytes + (points[0].start_bytes + points[-1].end_bytes) / 2) / GIGABYTE


def transferred_axis(rows: Sequence[Row], field: str = "transferred_gb") -> alt.X:
    """The axis from 0 to the last row, for a field of a layer."""
    return alt.X(
        f"{field}:Q",
        title="Data transferred (GB)",
        scale=alt.Scale(domain=[0, max(row["transferred_gb"] for row in rows)], nice=False),
        axis=number_axis(tickCount=6),
    )


def has_idle_times(stretches: Sequence[Stretch]) -> bool:
    """Whether a stretch begins after an idle time."""
    return any(each.idle_ns for each in stretches[1:])


def idle_layers(stretches: Sequence[Stretch], rows: Sequence[Row]) -> list[alt.Chart]:
    """A dashed line with a label at each idle time."""
    idles = [
        {"at_gb": before_bytes / GIGABYTE, "label": f"{format_duration(each.idle_ns)} idle"}
        for each, (_, before_bytes) in zip(stretches, placed(stretches), strict=True)
        if before_bytes and each.idle_ns
    ]
    if not idles:
        return []
    chart = alt.Chart(alt.InlineData(values=idles))
    x = transferred_axis(rows, "at_gb")
    return [
        chart.mark_rule(color=INK_SOFT, strokeDash=[4, 3]).encode(x=x),
        chart.mark_text(align="right", baseline="top", dx=-4, fontSize=11, color=INK_SOFT).encode(
            x=x, y=alt.value(4), text=alt.Text("label:N")
        ),
    ]
