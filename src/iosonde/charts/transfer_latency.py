"""Latency over the data transferred: mean and p99 of the stretches of a sustained cell."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import altair as alt

from iosonde.analysis.plateaus import Transfer
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.transfer_points import latency_of
from iosonde.charts.axes import log_latency
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import LatencyUnit, latency_unit, significant
from iosonde.charts.theme import PALETTE, Series, colour, dash, layered
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

MEAN: Final = Series("mean", PALETTE[0].colour, PALETTE[0].shape)
P99: Final = Series("p99", PALETTE[3].colour, PALETTE[3].shape, PALETTE[3].dash)


class _Value(NamedTuple):
    """A latency of a stretch, at its place on the axis."""

    stretch: int
    transferred_gb: float
    series: Series
    ns: float


def transfer_latency_chart(identity: str, title: str, stretches: Sequence[Stretch]) -> Figure:
    """Mean and p99 of latency over the data transferred, with the idle times between stretches."""
    found = _drawable([value for number, each in enumerate(placed(stretches), 1) for value in _values(number, *each)])
    if not found:
        return Figure(identity, title, "", None, (), nothing=TOO_SHORT)
    unit = latency_unit(each.ns for each in found if each.series is MEAN)
    rows = [_row(stretches[0].cell, unit, each) for each in found]
    shown = [each for each in (MEAN, P99) if any(row["series"] == each.name for row in rows)]
    caption = _caption(stretches, unit)
    layers = [*_layers(rows, shown, unit), *idle_layers(stretches, rows)]
    return Figure(identity, title, caption, layered(layers, rows, caption), tuple(rows))


def _drawable(values: Sequence[_Value]) -> list[_Value]:
    """The values without p99 if most points have none: a few points are no line, only an entry in the legend."""
    means = [each for each in values if each.series is MEAN]
    return means if 2 * (len(values) - len(means)) < len(means) else list(values)


def _caption(stretches: Sequence[Stretch], unit: LatencyUnit) -> str:
    kind = "response time" if stretches[0].record.workload.is_open_loop else "service time"
    said = [
        f"Mean and p99 of the {kind} of all operations ({unit.name}) over the data transferred",
        "A p99 with fewer than 10 samples above it is omitted; the line is omitted if most points have none",
    ]
    if has_idle_times(stretches):
        said.append(IDLES)
    return ". ".join(said) + "."


def _values(number: int, transfer: Transfer, before_bytes: int) -> Iterator[_Value]:
    for points in joined_points(transfer):
        told = latency_of(points)
        for series, value_ns in ((MEAN, told.mean_ns), (P99, told.p99_ns)):
            if value_ns is not None:
                yield _Value(number, middle_gb(points, before_bytes), series, value_ns)


def _row(cell: str, unit: LatencyUnit, value: _Value) -> Row:
    return {
        "cell": cell,
        "stretch": value.stretch,
        "series": value.series.name,
        "transferred_gb": round(value.transferred_gb, 6),
        unit.field: round(value.ns / unit.ns, 6),
        "drawn_transferred": f"{significant(value.transferred_gb)} GB",
        "drawn_latency": f"{significant(value.ns / unit.ns)} {unit.name}",
    }


def _layers(rows: Sequence[Row], shown: Sequence[Series], unit: LatencyUnit) -> list[alt.Chart]:
    told = tooltip(drawn_transferred="data transferred", series="latency", drawn_latency="value", cell="cell")
    line = alt.Chart().mark_line(strokeWidth=1.5)
    return [
        named_rows(
            line.encode(
                x=transferred_axis(rows),
                y=alt.Y(**log_latency(rows, unit)),
                color=colour(shown, lines=True),
                strokeDash=dash(shown, lines=True),
                detail=alt.Detail("stretch:N"),
                tooltip=told,
            )
        )
    ]
