"""Long workloads against time: a line for each phase, one after the other, or all from the same origin."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

import altair as alt

from iosonde.analysis.procedures.long_runs import LongPhase, TimeSample
from iosonde.charts.axes import number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import LINES_MAX, Unit, styled, unit_of
from iosonde.charts.quantities import latency_unit, significant
from iosonde.charts.theme import colour, dash, layered
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Quantity

POINTS_MAX: Final = 400
"""The most points of a line. More would not be distinguishable, so the values of adjacent samples are averaged."""

DOTTED_MAX: Final = 60
"""With so few points each has a dot: a phase with a single sample would have no line."""

PLOT_PX: Final = 220
NOTHING: Final = "No data: no long workload has samples."

TIME_UNITS: Final = (("h", 3600 * SECOND_NS, 10 * 3600 * SECOND_NS), ("min", 60 * SECOND_NS, 600 * SECOND_NS))


def rate_over_time(identity: str, title: str, phases: Sequence[LongPhase], quantity: Quantity) -> Figure:
    """The throughput of all phases, one after the other."""

    def value(sample: TimeSample) -> float | None:
        return sample.bytes_per_s if quantity is Quantity.BYTES_PER_S else sample.iops

    return _drawn(identity, title, phases, _Line(unit_of(quantity), value))


def rate_by_state(identity: str, title: str, phases: Sequence[LongPhase]) -> Figure:
    """The IOPS of all phases from the same origin."""
    return _drawn(identity, title, phases, _Line(unit_of(Quantity.IOPS), lambda sample: sample.iops, is_stacked=True))


def mean_latency_over_time(identity: str, title: str, phases: Sequence[LongPhase]) -> Figure:
    """The mean latency of all phases, one after the other."""
    means = [mean for phase in phases for each in phase.samples if (mean := each.latency_ns_mean) is not None]
    unit = unit_of(Quantity.LATENCY_NS_MEAN, means)
    return _drawn(identity, title, phases, _Line(unit, lambda sample: sample.latency_ns_mean))


def longest_over_time(identity: str, title: str, phases: Sequence[LongPhase]) -> Figure:
    """The longest operation of each sample of all phases, one after the other."""
    found = [each.latency_ns_max for phase in phases for each in phase.samples if each.latency_ns_max is not None]
    unit = latency_unit(found)
    shown = Unit(Quantity.LATENCY_NS_MEAN, "Maximum latency", unit.name, unit.ns, unit.field)
    return _drawn(identity, title, phases, _Line(shown, lambda sample: sample.latency_ns_max, joined=max))


@dataclass(frozen=True)
class _Line:
    """What the lines show, how adjacent values are joined, and whether all phases begin at the origin."""

    unit: Unit
    value: Callable[[TimeSample], float | None]
    joined: Callable[[Sequence[float]], float] = fmean
    is_stacked: bool = False


def _drawn(identity: str, title: str, phases: Sequence[LongPhase], line: _Line) -> Figure:
    unit, is_stacked = line.unit, line.is_stacked
    shown = phases[:LINES_MAX]
    left_out = tuple(f"phase {each.name}" for each in phases[LINES_MAX:])
    ends = [each.samples[-1].end_ns + (0 if is_stacked else each.start_ns) for each in shown]
    if not ends:
        return Figure(identity, title, "", None, (), nothing=NOTHING)
    name, length_ns = _time_unit(max(ends))
    rows: list[Row] = []
    for phase in shown:
        origin_ns = 0 if is_stacked else phase.start_ns
        for group in _groups(phase.samples):
            known = [found for each in group if (found := line.value(each)) is not None]
            if known:
                middle_ns = origin_ns + (group[0].start_ns + group[-1].end_ns) / 2
                number = unit.shown(line.joined(known))
                rows.append(
                    {
                        "series": phase.name,
                        "time": round(middle_ns / length_ns, 6),
                        unit.field: round(number, 6),
                        "drawn_value": f"{significant(number)} {unit.name}",
                    }
                )
    if not rows:
        return Figure(identity, title, "", None, (), nothing=NOTHING)
    since = "since the beginning of each phase" if is_stacked else "of measurement, all phases in their order"
    caption = f"{unit.title} against time {since}."
    chart = layered([_lines(rows, unit, name, [each.name for each in shown])], rows, caption, height=PLOT_PX)
    return Figure(identity, title, caption, chart, tuple(rows), left_out=left_out)


def _lines(rows: Sequence[Row], unit: Unit, time_unit: str, names: Sequence[str]) -> alt.Chart:
    across = alt.Scale(domain=[0, max(row["time"] for row in rows)], nice=False)
    up = alt.Scale(domain=[0, max(row[unit.field] for row in rows) * 1.1 or 1], nice=False)
    series = styled(names)
    return named_rows(
        alt.Chart()
        .mark_line(strokeWidth=1.4, point=len(rows) <= DOTTED_MAX)
        .encode(
            x=alt.X("time:Q", title=f"Time ({time_unit})", scale=across, axis=number_axis(tickCount=8)),
            y=alt.Y(f"{unit.field}:Q", title=f"{unit.title} ({unit.name})", scale=up, axis=number_axis(tickCount=6)),
            color=colour(series, lines=True),
            strokeDash=dash(series, lines=True),
            tooltip=tooltip(series="phase", time=f"time ({time_unit})", drawn_value=unit.title.lower()),
        )
    )


def _groups(samples: Sequence[TimeSample]) -> list[Sequence[TimeSample]]:
    number = min(POINTS_MAX, len(samples))
    return [samples[at * len(samples) // number : (at + 1) * len(samples) // number] for at in range(number)]


def _time_unit(longest_ns: int) -> tuple[str, int]:
    """Hours from ten hours on, minutes from ten minutes on, else seconds."""
    return next(((name, length) for name, length, least in TIME_UNITS if longest_ns >= least), ("s", SECOND_NS))
