"""Demand variation: IOPS by queue depth, response time by IOPS, and both by the total outstanding I/O."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.procedures.demand import DemandCell, best_by_outstanding
from iosonde.charts.axes import log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import Unit, colour_of, dash_of, shape_of, styled, unit_of
from iosonde.charts.quantities import significant
from iosonde.charts.theme import INK, INK_SOFT, Series, layered
from iosonde.vocabulary import Quantity

PLOT_PX: Final = 260
NOTHING: Final = "No data: no cell of the demand variation has a value in each round of the window."
ABOVE: Final = 1.08
POINT_NAMES: Final = {"maximum": "Max", "middle": "Mid", "minimum": "Min"}
ABOVE_NAMED: Final = 1.14
"""Room to the right of the highest IOPS for the name of a point."""


def demand_variation(identity: str, title: str, cells: Sequence[DemandCell]) -> Figure:
    """IOPS by queue depth, a line for each number of threads."""
    unit = unit_of(Quantity.IOPS)
    rows = _rows(cells)
    caption = (
        "IOPS by the queue depth of each thread (QD), a line for each number of threads (TC). Means over the window."
    )
    if not rows:
        return _empty(identity, title)
    depths = sorted({row["queue_depth"] for row in rows})
    x = _log(rows, "queue_depth", "Queue depth of each thread", depths)
    y = alt.Y("iops:Q", title=f"IOPS ({unit.name})", scale=_from_zero(rows, "iops"), axis=number_axis(tickCount=6))
    return Figure(identity, title, caption, layered(_lines(rows, x, y, "queue_depth"), rows, caption, PLOT_PX), rows)


def demand_intensity(
    identity: str, title: str, cells: Sequence[DemandCell], points: Sequence[tuple[str, str]] = ()
) -> Figure:
    """Mean response time by IOPS, a line for each number of threads, in the order of queue depths.

    ``points`` are the operating points to mark: the name of each with its cell.
    """
    rows = _rows(cells)
    if not rows:
        return _empty(identity, title)
    unit = _latency(cells)
    caption = (
        "Mean response time by IOPS. Each line has one number of threads (TC), and its points are the queue depths in "
        "their order. Means over the window."
    )
    if points:
        caption += " Rings mark the operating points."
    x = alt.X(
        "iops:Q",
        title="IOPS (operations/s)",
        scale=_from_zero(rows, "iops", ABOVE_NAMED),
        axis=number_axis(tickCount=6),
    )
    domain = log_domain([row[unit.field] for row in rows])
    y = alt.Y(**log_scaled(unit.field, f"Mean response time ({unit.name})", domain, _ticks(domain)))
    layers = _lines(rows, x, y, "queue_depth")
    layers += _marked(rows, points, x, y)
    return Figure(identity, title, caption, layered(layers, rows, caption, PLOT_PX), rows)


def iops_by_outstanding(identity: str, title: str, cells: Sequence[DemandCell]) -> Figure:
    """IOPS by total outstanding I/O: every cell, and a line through the best of each."""
    return _by_outstanding(identity, title, cells, unit_of(Quantity.IOPS))


def latency_by_outstanding(identity: str, title: str, cells: Sequence[DemandCell]) -> Figure:
    """Mean response time by total outstanding I/O: every cell, and a line through those with the most IOPS."""
    return _by_outstanding(identity, title, cells, _latency(cells))


def best_side_by_side(identity: str, title: str, runs: Sequence[tuple[str, Sequence[DemandCell]]]) -> Figure:
    """The most IOPS of each total outstanding I/O: a line for each run."""
    rows = tuple({**row, "series": label} for label, cells in runs for row in _rows(best_by_outstanding(cells)))
    if not rows:
        return _empty(identity, title)
    caption = (
        "The most IOPS of each total outstanding I/O (threads × queue depth, on all targets): a line for each run. "
        "Means over the window."
    )
    x = _log(rows, "outstanding", "Total outstanding I/O", sorted({row["outstanding"] for row in rows}), thin=True)
    y = alt.Y("iops:Q", title="IOPS (operations/s)", scale=_from_zero(rows, "iops"), axis=number_axis(tickCount=6))
    return Figure(identity, title, caption, layered(_lines(rows, x, y, "outstanding"), rows, caption, PLOT_PX), rows)


def _by_outstanding(identity: str, title: str, cells: Sequence[DemandCell], unit: Unit) -> Figure:
    rows = _rows(cells)
    if not rows:
        return _empty(identity, title)
    is_latency = unit.quantity is Quantity.LATENCY_NS_MEAN
    name = "Mean response time" if is_latency else "IOPS"
    caption = (
        f"{name} by total outstanding I/O (threads × queue depth, on all targets). Each point is one demand; "
        "several demands can have the same total. The line joins those with the most IOPS."
    )
    x = _log(rows, "outstanding", "Total outstanding I/O", sorted({row["outstanding"] for row in rows}), thin=True)
    if is_latency:
        domain = log_domain([row[unit.field] for row in rows])
        y = alt.Y(**log_scaled(unit.field, f"{name} ({unit.name})", domain, _ticks(domain)))
    else:
        scale = _from_zero(rows, unit.field)
        y = alt.Y(f"{unit.field}:Q", title=f"{name} ({unit.name})", scale=scale, axis=number_axis(tickCount=6))
    best = _rows(best_by_outstanding(cells), _latency(cells))
    line = alt.Chart(alt.InlineData(values=list(best))).mark_line(color=INK_SOFT, strokeWidth=1.6)
    series = _series(rows)
    points = alt.Chart().mark_point(size=55, filled=True, opacity=0.85)
    layers = [
        line.encode(x=x, y=y, order=alt.Order("outstanding:Q")),
        named_rows(points.encode(x=x, y=y, color=colour_of(series), shape=shape_of(series), tooltip=_told())),
    ]
    return Figure(identity, title, caption, layered(layers, rows, caption, PLOT_PX), rows)


def _rows(cells: Sequence[DemandCell], unit: Unit | None = None) -> tuple[Row, ...]:
    unit = unit or _latency(cells)
    return tuple(
        {
            "cell": each.cell,
            "series": f"TC {each.jobs}",
            "jobs": each.jobs,
            "queue_depth": each.queue_depth,
            "outstanding": each.outstanding,
            "iops": round(each.iops, 3),
            unit.field: round(unit.shown(each.latency_ns), 6),
            "drawn_iops": significant(each.iops),
            "drawn_latency": f"{significant(unit.shown(each.latency_ns))} {unit.name}",
        }
        for each in sorted(cells, key=lambda each: (-each.jobs, each.queue_depth))
    )


def _latency(cells: Sequence[DemandCell]) -> Unit:
    return unit_of(Quantity.LATENCY_NS_MEAN, (each.latency_ns for each in cells))


def _empty(identity: str, title: str) -> Figure:
    return Figure(identity, title, "", None, (), nothing=NOTHING)


def _series(rows: Sequence[Row]) -> tuple[Series, ...]:
    return styled(list(dict.fromkeys(row["series"] for row in rows)))


def _told() -> list[alt.Tooltip]:
    return tooltip(
        series="threads",
        queue_depth="queue depth",
        outstanding="outstanding I/O",
        drawn_iops="IOPS",
        drawn_latency="mean response time",
    )


def _lines(rows: Sequence[Row], x: alt.X, y: alt.Y, order: str) -> list[alt.Chart]:
    series = _series(rows)
    coloured, chart = colour_of(series), alt.Chart()
    along = alt.Order(f"{order}:Q")
    return [
        chart.mark_line(strokeWidth=1.6).encode(x=x, y=y, color=coloured, strokeDash=dash_of(series), order=along),
        named_rows(
            chart.mark_point(size=44, filled=True, opacity=1).encode(
                x=x, y=y, color=coloured, shape=shape_of(series), tooltip=_told()
            )
        ),
    ]


def _marked(rows: Sequence[Row], points: Sequence[tuple[str, str]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A ring around each operating point, with its name."""
    at = {row["cell"]: row for row in rows}
    names: dict[str, list[str]] = {}
    for name, cell in points:
        names.setdefault(cell, []).append(POINT_NAMES[name])
    marks = [{**at[cell], "drawn_name": ", ".join(named)} for cell, named in names.items() if cell in at]
    if not marks:
        return []
    rings = alt.Chart(alt.InlineData(values=marks)).mark_point(
        size=260, filled=False, stroke=INK, strokeWidth=1.8, shape="circle"
    )
    layers = [rings.encode(x=x, y=y)]
    # Below and to the right of a point there are no lines: at more IOPS the response time is longer.
    text = alt.Chart(alt.InlineData(values=marks)).mark_text(
        align="left", dx=12, dy=13, fontSize=12.5, fontWeight=600, color=INK
    )
    layers.append(text.encode(x=x, y=y, text=alt.Text("drawn_name:N")))
    return layers


def _log(rows: Sequence[Row], field: str, title: str, values: Sequence[int], *, thin: bool = False) -> alt.X:
    """A log axis of whole numbers with a tick at each, or at each power of two."""
    domain = log_domain([row[field] for row in rows])
    ticks = [each for each in values if not thin or each & (each - 1) == 0]
    return alt.X(**log_scaled(field, title, domain, number_axis(values=ticks, grid=False)))


def _from_zero(rows: Sequence[Row], field: str, above: float = ABOVE) -> alt.Scale:
    return alt.Scale(domain=[0, max(row[field] for row in rows) * above or 1], nice=False)


def _ticks(domain: tuple[float, float]) -> alt.Axis:
    return number_axis(values=log_ticks(domain))
