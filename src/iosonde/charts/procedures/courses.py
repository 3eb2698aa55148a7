"""The course of long trials: throughput and latency against time, bytes written or drive fills."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import altair as alt

from iosonde.analysis.procedures.courses import LongPhase, Sample, merged
from iosonde.charts.axes import log_domain, log_scaled, log_ticks, number_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.styles import LINES_MAX, Unit, styled, unit_of
from iosonde.charts.quantities import latency_unit, significant
from iosonde.charts.theme import Series, colour, dash, layered
from iosonde.units import SECOND_NS, format_duration
from iosonde.vocabulary import Quantity

PLOT_PX: Final = 240
POINTS_MAX: Final = 360
"""The most points of a chart. More would be closer than a pixel on paper: neighbours are merged."""

DOTS_MAX: Final = 120
"""With more points than this, points would hide their line and are drawn only faintly."""

ABOVE: Final = 1.08
ALIKE: Final = 1.1
"""Samples whose lengths differ by a larger factor have no common length."""

FAR_APART: Final = 20.0
"""Values that differ by a larger factor are drawn on a log axis, where the small ones can be told apart."""

NOTHING: Final = "No data: no long trial has intervals."
MEAN: Final = "mean"
MAXIMUM: Final = "maximum"
TIME_UNITS: Final = (("h", 3600 * SECOND_NS, 3 * 3600 * SECOND_NS), ("min", 60 * SECOND_NS, 600 * SECOND_NS))


@dataclass(frozen=True)
class Course:
    """A line: its name, and its samples. ``cell`` is the cell that it belongs to."""

    name: str
    cell: str
    samples: tuple[Sample, ...]

    @classmethod
    def of(cls, phase: LongPhase, name: str = "") -> "Course":
        """The course of a phase."""
        return cls(name or phase.name, phase.cell, phase.samples)

    @property
    def from_zero(self) -> "Course":
        """The same with times from its own start."""
        first_ns = self.samples[0].start_ns if self.samples else 0
        moved = tuple(_moved(each, first_ns) for each in self.samples)
        return Course(self.name, self.cell, moved)


@dataclass(frozen=True)
class Across:
    """What a course is drawn against: the field of its rows, the title of its axis and the value of a sample."""

    field: str
    title: str
    words: str
    value: Callable[[Sample], float]


def against_time(courses: Sequence[Course]) -> Across:
    """Time since the start of the first trial, with idle time between trials, in a unit that suits the latest end."""
    longest = max((each.samples[-1].end_ns for each in courses if each.samples), default=0)
    name, length = next(((name, ns) for name, ns, least in TIME_UNITS if longest >= least), ("s", SECOND_NS))
    return Across(f"time_{name}", f"Time ({name})", "time", lambda each: (each.start_ns + each.end_ns) / 2 / length)


def against_bytes() -> Across:
    """All bytes written since the start of the procedure's first long trial."""
    return Across(
        "written_gb", "Total bytes written (GB)", "total bytes written", lambda each: each.written_bytes / 1e9
    )


def against_fills(capacity_bytes: int) -> Across:
    """The same in drive fills."""
    return Across("drive_fills", "Drive fills", "drive fills", lambda each: each.written_bytes / capacity_bytes)


def throughput_course(
    identity: str, title: str, courses: Sequence[Course], quantity: Quantity, across: Across
) -> Figure:
    """IOPS or bandwidth, a line for each course."""
    unit = unit_of(quantity)
    drawn = _Drawn(unit, across, [(each, each.name, quantity.value) for each in courses])
    return _figure(identity, title, drawn, f"{unit.title} against {across.words}")


def latency_course(identity: str, title: str, courses: Sequence[Course], across: Across) -> Figure:
    """The mean and the maximum latency of each sample, of all courses."""
    found = [value for each in courses for sample in each.samples if (value := sample.latency_ns_mean) is not None]
    unit = latency_unit(found)
    shown = Unit(Quantity.LATENCY_NS_MEAN, "Latency", unit.name, unit.ns, unit.field)
    lines = [(each, name, field) for name, field in _LATENCIES for each in courses]
    return _figure(identity, title, _Drawn(shown, across, lines), f"Mean and maximum latency against {across.words}")


_LATENCIES: Final = ((MEAN, "latency_ns_mean"), (MAXIMUM, "latency_ns_max"))


@dataclass(frozen=True)
class _Drawn:
    """What is drawn: lines, each with the name of its style and the attribute of its samples."""

    unit: Unit
    across: Across
    lines: Sequence[tuple[Course, str, str]]

    @property
    def names(self) -> list[str]:
        """The names of the styles."""
        return list(dict.fromkeys(name for _, name, _ in self.lines))[:LINES_MAX]

    @property
    def merged(self) -> int:
        """How many samples each point is."""
        longest = sum(len(course.samples) for course, _, _ in self.lines)
        return max(-(-longest // (POINTS_MAX * (2 if MAXIMUM in self.names else 1))), 1)

    def rows(self) -> Iterator[Row]:
        """A row for each point."""
        for part, (course, name, field) in enumerate(self.lines):
            for each in thinned(course.samples, self.merged):
                value = getattr(each, field)
                if value is None or name not in self.names:
                    continue
                shown = self.unit.shown(value)
                yield {
                    "cell": course.cell,
                    "series": name,
                    "part": part,
                    self.across.field: round(self.across.value(each), 6),
                    self.unit.field: round(shown, 6),
                    "drawn_value": f"{significant(shown)} {self.unit.name}",
                    "drawn_at": significant(self.across.value(each)),
                }


def _figure(identity: str, title: str, drawn: _Drawn, what: str) -> Figure:
    rows = tuple(drawn.rows())
    if not rows:
        return Figure(identity, title, "", None, (), nothing=NOTHING)
    first = next(course.samples[0] for course, _, _ in drawn.lines if course.samples)
    length = format_duration((first.end_ns - first.start_ns) * drawn.merged)
    caption = f"{what}. Each point is {length} of measurement."
    lengths = {(each.samples[0].end_ns - each.samples[0].start_ns) for each, _, _ in drawn.lines if each.samples}
    if max(lengths) > min(lengths) * ALIKE:
        several = "one sample" if drawn.merged == 1 else f"{drawn.merged} samples"
        caption = f"{what}. Each point is {several}."
    chart = layered(_layers(rows, drawn), rows, caption, height=PLOT_PX)
    return Figure(identity, title, caption, chart, rows)


def _layers(rows: Sequence[Row], drawn: _Drawn) -> list[alt.Chart]:
    across, unit = drawn.across, drawn.unit
    series: tuple[Series, ...] = styled(drawn.names)
    farthest = max(row[across.field] for row in rows)
    scale = alt.Scale(domain=[0, farthest * 1.01 or 1], nice=False)
    x = alt.X(f"{across.field}:Q", title=across.title, scale=scale, axis=number_axis(tickCount=8, grid=False))
    y = _vertical(rows, unit)
    coloured, dashed, chart = colour(series, lines=True), dash(series, lines=True), alt.Chart()
    told = tooltip(series="series", drawn_at=across.title.lower(), drawn_value=unit.title.lower())
    is_few = len(rows) <= DOTS_MAX
    return [
        chart.mark_line(strokeWidth=1.6).encode(
            x=x, y=y, color=coloured, strokeDash=dashed, detail=alt.Detail("part:N")
        ),
        named_rows(
            chart.mark_point(size=26 if is_few else 8, filled=True, opacity=1 if is_few else 0.5).encode(
                x=x, y=y, color=coloured, tooltip=told
            )
        ),
    ]


def _vertical(rows: Sequence[Row], unit: Unit) -> alt.Y:
    values = [row[unit.field] for row in rows]
    title = f"{unit.title} ({unit.name})"
    if unit.quantity is Quantity.LATENCY_NS_MEAN or (min(values) > 0 and max(values) / min(values) > FAR_APART):
        domain = log_domain(values)
        drawn = log_scaled(unit.field, title, domain, number_axis(values=log_ticks(domain)))
        # A sample without completions has no throughput, which a log axis cannot show.
        drawn["scale"].clamp = min(values) <= 0
        return alt.Y(**drawn)
    scale = alt.Scale(domain=[0, max(values) * ABOVE or 1], nice=False)
    return alt.Y(f"{unit.field}:Q", title=title, scale=scale, axis=number_axis(tickCount=6))


def thinned(samples: Sequence[Sample], size: int) -> Iterator[Sample]:
    """The samples with ``size`` neighbours merged into one."""
    for start in range(0, len(samples), size):
        group = samples[start : start + size]
        yield group[0] if len(group) == 1 else merged(group)


def _moved(sample: Sample, by_ns: int) -> Sample:
    return replace(sample, start_ns=sample.start_ns - by_ns, end_ns=sample.end_ns - by_ns)
