"""Throughput over the time of a run: whether the target did the same from beginning to end."""

from collections.abc import Sequence
from statistics import median
from typing import Final

import altair as alt

from iosonde.analysis.course import STRETCH_NS, Moment, moments_of
from iosonde.charts.axes import number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import significant
from iosonde.charts.theme import ALL, INK_SOFT, READ, TRIM, WRITE, Series, colour, layered, shape
from iosonde.records import CellRecord
from iosonde.units import MINUTE_NS, format_duration

POINTS_MAX: Final = 2000
"""More marks than this make a page slow and lie on each other: stretches of time then show extremes and median."""

SHARE_SHOWN_MAX: Final = 2.0
CONSISTENCY_TITLE: Final = "Throughput over the run"
MIX: Final = Series("mix", ALL.colour, ALL.shape, ALL.dash)


def run_consistency(records: Sequence[CellRecord]) -> Figure:
    """Throughput of each interval as a share of its cell's mean, against the time since the run began."""
    moments = list(moments_of(records, length_ns_min=STRETCH_NS))
    rows = _rows(moments)
    point = "one interval"
    if any(len(moment.intervals) > 1 for moment in moments):
        point += f", or several in a row of about {format_duration(STRETCH_NS)} together"
    caption = (
        f"Each point is {point}: its operations a second, divided by the mean of its cell over all repeats, "
        "against the time since measuring began. A steady target is a band around 1; a trend, a step or a cloud is not."
    )
    if len(moments) > POINTS_MAX:
        caption += f" Of {len(moments):,} points the lowest, middle and highest of each stretch of time are drawn."
    chart = layered(_layers(rows), rows, caption) if rows else None
    return Figure("run-consistency", CONSISTENCY_TITLE, caption, chart, tuple(rows))


def _rows(moments: Sequence[Moment]) -> list[Row]:
    if not moments:
        return []
    first_ns = min(moment.wall_ns for moment in moments)
    return [_row(moment, first_ns) for moment in _thinned(moments)]


def _row(moment: Moment, first_ns: int) -> Row:
    return {
        "cell": moment.record.cell,
        "series": _series(moment.record),
        "repeat": moment.record.repeat,
        "order": moment.record.order,
        "minutes": round((moment.wall_ns - first_ns) / MINUTE_NS, 4),
        "share": round(moment.share, 4),
        "drawn_share": min(round(moment.share, 4), SHARE_SHOWN_MAX),
        "iops": f"{significant(moment.iops)}",
    }


def _series(record: CellRecord) -> str:
    only = record.workload.only_operation
    return MIX.name if only is None else only.value


def _thinned(moments: Sequence[Moment]) -> list[Moment]:
    """All of them, or of each stretch of time and each series the lowest, the median and the highest."""
    if len(moments) <= POINTS_MAX:
        return list(moments)
    first_ns, last_ns = (end(moment.wall_ns for moment in moments) for end in (min, max))
    stretches = POINTS_MAX // (3 * len({_series(moment.record) for moment in moments}))
    groups: dict[tuple[int, str], list[Moment]] = {}
    for moment in moments:
        stretch = (moment.wall_ns - first_ns) * stretches // (last_ns - first_ns + 1)
        groups.setdefault((stretch, _series(moment.record)), []).append(moment)
    kept: list[Moment] = []
    for group in groups.values():
        ordered = sorted(group, key=lambda moment: moment.share)
        middle = median(range(len(ordered)))
        kept.extend(ordered[index] for index in sorted({0, int(middle), len(ordered) - 1}))
    return kept


def _layers(rows: Sequence[Row]) -> list[alt.Chart]:
    present = {row["series"] for row in rows}
    series = [each for each in (READ, WRITE, TRIM, MIX) if each.name in present]
    longest = max(row["minutes"] for row in rows) or 1.0
    x = alt.X(
        "minutes:Q",
        title="Time since measuring began (min)",
        scale=alt.Scale(domain=[-0.01 * longest, longest * 1.01], nice=False),
        axis=number_axis(tickCount=8),
    )
    y = alt.Y(
        "drawn_share:Q",
        title="IOPS / mean IOPS of the cell",
        scale=alt.Scale(domain=[0, SHARE_SHOWN_MAX * 1.04], nice=False),
        axis=alt.Axis(values=[0, 0.5, 1, 1.5, 2], labelExpr="datum.value == 2 ? '≥ 2' : datum.label"),
    )
    told = [
        *tooltip(cell="cell", repeat="repeat", iops="IOPS"),
        alt.Tooltip("share:Q", title="of the cell's mean", format=".3f"),
        alt.Tooltip("minutes:Q", title="minutes", format=".2f"),
    ]
    chart = alt.Chart()
    return [
        alt.Chart().mark_rule(color=INK_SOFT, strokeWidth=1).encode(y=alt.YDatum(1)),
        named_rows(
            chart.mark_point(size=14, filled=True, opacity=0.55).encode(
                x=x, y=y, color=colour(series), shape=shape(series), tooltip=told
            )
        ),
    ]
