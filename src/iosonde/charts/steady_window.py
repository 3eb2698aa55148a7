"""Throughput over the repeats of each cell, with the measurement window of the least steady one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from iosonde.analysis.series import SNIA
from iosonde.analysis.series.steady import WindowFigures
from iosonde.analysis.target_state import last_window, tracked
from iosonde.charts.axes import counted_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import significant
from iosonde.charts.theme import GRID, INK, INK_SOFT, layered
from iosonde.records import CellRecord

VARIABLE: Final = "throughput"
HALF_RANGE: Final = 0.10
"""Half of the range that the SNIA PTS permits: plots of its reports show this band around the average."""

SPREAD_MAX: Final = 0.5
STEP: Final = 0.05
TOO_FEW: Final = f"No data: no cell of this experiment has {SNIA.window} repeats."


@dataclass(frozen=True)
class _Rounds:
    """The throughput of each repeat of a cell, and the figures of its last window."""

    cell: str
    values: tuple[float, ...]
    window: WindowFigures

    @property
    def worst(self) -> float:
        """How near the window is to a limit of the criterion, as a share of that limit."""
        assert SNIA.range_max is not None
        assert SNIA.excursion_max is not None
        return max(self.window.range_share / SNIA.range_max, self.window.excursion_share / SNIA.excursion_max)

    @property
    def fit(self) -> tuple[float, float]:
        """The ends of the best-fit line, as shares of the average."""
        half = self.window.line_share / 2
        return 1 - half, 1 + half


def steady_window(identity: str, title: str, records: Mapping[str, Sequence[CellRecord]]) -> Figure:
    """A line for each cell with enough repeats, relative to the average of its window; the least steady one is bold."""
    cells = [found for cell, each in records.items() if (found := _rounds(cell, each)) is not None]
    if not cells:
        return Figure(identity, title, "", None, (), nothing=TOO_FEW)
    least = max(cells, key=lambda each: each.worst)
    spread = _spread(cells)
    rows = [_row(each, number, value, least, spread) for each in cells for number, value in enumerate(each.values, 1)]
    caption = _caption(cells, least, sum(row["drawn_share"] != row["share"] for row in rows))
    return Figure(identity, title, caption, layered(_layers(rows, least, spread), rows, caption), tuple(rows))


def _rounds(cell: str, records: Sequence[CellRecord]) -> _Rounds | None:
    window = last_window(records).get(VARIABLE)
    if window is None or not window.mean:
        return None
    return _Rounds(cell, tuple(tracked(records)[VARIABLE]), window)


def _spread(cells: Sequence[_Rounds]) -> float:
    """How far the axis extends to either side of the average: at least the band, in steps of 5 %."""
    far = max(abs(value / each.window.mean - 1) for each in cells for value in each.values)
    return min(max(STEP * (far // STEP + 1), HALF_RANGE + STEP), SPREAD_MAX)


def _row(each: _Rounds, number: int, value: float, least: _Rounds, spread: float) -> Row:
    share = round(value / each.window.mean, 4)
    return {
        "cell": each.cell,
        "repeat": number,
        "iops": round(value, 2),
        "share": share,
        "window": "yes" if number > len(each.values) - SNIA.window else "no",
        "drawn_iops": significant(value),
        "drawn_share": round(min(max(share, 1 - spread), 1 + spread), 4),
        "drawn_least": each is least,
    }


def _caption(cells: Sequence[_Rounds], least: _Rounds, outside: int) -> str:
    window = least.window
    ranges = f"{100 * window.range_share:.1f} % of the average ({significant(window.mean)} IOPS)"
    said = [
        f"One line per cell ({len(cells)}): IOPS of each repeat, divided by the average of the last {SNIA.window}",
        (
            f"The dark line is the least steady cell, {least.cell}: these {SNIA.window} repeats, its measurement "
            f"window, range over {ranges}, and the best-fit line (dashed) changes by {100 * window.line_share:+.1f} %"
        ),
        "The band is the average ±10 %",
        "The SNIA PTS permits a range of 20 % and a change of the best-fit line of 10 %",
    ]
    if outside:
        said.append(f"{outside} {'point is' if outside == 1 else 'points are'} outside the axis and drawn at its edge")
    return ". ".join(said) + "."


def _layers(rows: Sequence[Row], least: _Rounds, spread: float) -> list[alt.Chart]:
    last = max(row["repeat"] for row in rows)
    scale = alt.Scale(domain=[1 - spread, 1 + spread], nice=False, zero=False)
    across = alt.Scale(domain=[0.75, last + 0.25], nice=False, zero=False)
    x = alt.X(
        "repeat:Q",
        title="Repeat (in run order)",
        scale=across,
        axis=counted_axis(last),
    )
    y = alt.Y("drawn_share:Q", title="IOPS / average", scale=scale, axis=alt.Axis(format=".2f"))
    ends = len(least.values) - SNIA.window + 1, len(least.values)
    band = alt.InlineData(values=[{"left": 0.75, "right": last + 0.25, "low": 1 - HALF_RANGE, "high": 1 + HALF_RANGE}])
    fit = alt.InlineData(values=[{"x": at, "y": share} for at, share in zip(ends, least.fit, strict=True)])
    told = tooltip(cell="cell", repeat="repeat", drawn_iops="IOPS", window="in the window")
    chart = alt.Chart()
    is_least = "datum.drawn_least"
    return [
        alt.Chart(band)
        .mark_rect(color=GRID, opacity=0.6)
        .encode(
            x=alt.X("left:Q", scale=across), x2=alt.X2("right:Q"), y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")
        ),
        alt.Chart().mark_rule(color=INK_SOFT, strokeWidth=1).encode(y=alt.YDatum(1, scale=scale)),
        chart.mark_line(strokeWidth=1, color=INK_SOFT, opacity=0.45).encode(x=x, y=y, detail=alt.Detail("cell:N")),
        chart.transform_filter(is_least).mark_line(strokeWidth=2.2, color=INK).encode(x=x, y=y),
        alt.Chart(fit)
        .mark_line(strokeWidth=1.5, strokeDash=[5, 4], color=INK)
        .encode(x=alt.X("x:Q", scale=across), y=alt.Y("y:Q", scale=scale)),
        named_rows(chart.mark_point(size=26, filled=True, color=INK_SOFT).encode(x=x, y=y, tooltip=told)),
    ]
