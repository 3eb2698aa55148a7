"""The table of open loops: the offered and the achieved rate, and the components of response time."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.latency import TimesEstimate
from iosonde.analysis.missing_reasons import ENGINE_UNKNOWING, FEW_BEYOND, RATE_NOT_KEPT
from iosonde.analysis.pace import SATURATED
from iosonde.charts.quantities import latency_unit, significant, with_interval
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_latency

CAPTION: Final = (
    "Open-loop cells (with an arrival rate). In the other tables, the latency of these cells is response time: lag "
    "plus service time. Lag is the time from intended start to submission."
)


def pace_table(cells: Sequence[CellEstimate]) -> ResultTable | None:
    """A row for each open-loop cell with figures; None if there is none."""
    shown = [
        (cell, figures)
        for cell in cells
        if cell.pace is not None and (figures := cell.subject) is not None and figures.service is not None
    ]
    if not shown:
        return None
    unit = latency_unit(figures.service.ns_mean for _, figures in shown if figures.service is not None)
    heads = (
        Head("Cell", number=False),
        Head("Rate", "offered, operations/s"),
        Head("Rate", "achieved, operations/s"),
        Head("Saturated", "repeats"),
        Head("Backlog age", "at the end"),
        Head("Service", f"mean, {unit.name}"),
        Head("Service", f"p99, {unit.name}"),
        Head("Lag", f"p99, {unit.name}"),
        Head("Engine lag", f"p50, {unit.name}"),
        Head("Engine lag", f"p99, {unit.name}"),
        Head("Engine lag", f"max, {unit.name}"),
    )
    lines = tuple(Line(_texts(cell, figures, unit.ns)) for cell, figures in shown)
    notes = (OWN_LAG, *((SATURATED,) if any(figures.saturated for _, figures in shown) else ()))
    return ResultTable(caption=CAPTION, heads=heads, lines=lines, notes=notes)


OWN_LAG: Final = (
    "Engine lag is the part of the lag that the engine caused: a queue slot was free, but submission was late."
)


def behind_text(cell: CellEstimate) -> str:
    """The backlog age at the end: how long the oldest operation had waited. A dash if the engine did not record it."""
    if cell.pace is None or cell.pace.waiting_ns_max is None:
        return Dash(ENGINE_UNKNOWING)
    return format_latency(cell.pace.waiting_ns_max) if cell.pace.waiting_ns_max else "none"


def pace_facts(cell: CellEstimate) -> list[tuple[str, str]]:
    """The facts of that table for one cell, as names and values; empty for a closed loop."""
    pace, figures = cell.pace, cell.subject
    if pace is None or figures is None:
        return []
    kept = f"saturated in {pace.saturated} of {pace.achieved_per_s.repeats} repeats" if pace.saturated else "sustained"
    if pace.waiting_ns_max is None:
        kept = "backlog unknown"
    behind = f", {behind_text(cell)} behind schedule at the end" if pace.waiting_ns_max else ""
    achieved = f"{with_interval(pace.achieved_per_s)} achieved ({pace.share:.1%})"
    rate = f"{pace.asked_per_s:,} offered, {achieved}: {kept}{behind}"
    lag = None if figures.saturated else figures.lag
    times = (("service time", figures.service), ("lag", lag), ("engine lag", figures.host_lag))
    return [("operations/s", rate), *((name, times_text(each)) for name, each in times if each is not None)]


def times_text(times: TimesEstimate) -> str:
    """A distribution in one line: mean, median, p99 and maximum."""
    known = ((f"p{percent:g}", times.percentile(percent)) for percent in (50.0, 99.0))
    parts = [
        ("mean", times.ns_mean),
        *((name, each) for name, each in known if each is not None),
        ("max", times.ns_max),
    ]
    return ", ".join(f"{name} {format_latency(each)}" for name, each in parts)


def _of(times: TimesEstimate | None, percent: float) -> tuple[float | None, str]:
    """A percentile of times, and the reason to show if it is missing."""
    return (None, ENGINE_UNKNOWING) if times is None else (times.percentile(percent), FEW_BEYOND)


def _texts(cell: CellEstimate, figures: OperationEstimate, unit_ns: int) -> tuple[str, ...]:
    pace = cell.pace
    assert pace is not None
    assert figures.service is not None

    def text(value_ns: float | None, why: str = FEW_BEYOND) -> str:
        return Dash(why) if value_ns is None else significant(value_ns / unit_ns)

    lag, own = figures.lag, figures.host_lag
    return (
        cell.cell,
        f"{pace.asked_per_s:,}",
        with_interval(pace.achieved_per_s),
        f"{pace.saturated} of {pace.achieved_per_s.repeats}",
        behind_text(cell),
        text(figures.service.ns_mean),
        text(figures.service.percentile(99.0)),
        text(None, RATE_NOT_KEPT) if figures.saturated else text(*_of(lag, 99.0)),
        text(*_of(own, 50.0)),
        text(*_of(own, 99.0)),
        text(None, ENGINE_UNKNOWING) if own is None else text(own.ns_max),
    )
