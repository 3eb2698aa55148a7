"""Distributes lines over charts: whole workloads in shared charts, and each mix also in one chart by class."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import Along, Family, drawn_classes, families_of
from iosonde.charts.figure import NO_FIGURES, NO_PERCENTILES, Figure, Row, left_out
from iosonde.charts.names import class_name, names_of, slug
from iosonde.charts.points import Point
from iosonde.charts.quantities import SYNC_LABELS, direction_label
from iosonde.charts.theme import BY_CLASS, PALETTE, SEQUENTIAL_READ, SEQUENTIAL_WRITE, WRITE, Series
from iosonde.records import Access, Operation

LINES_MAX: Final = len(PALETTE)
"""The most lines in a chart: there are only so many distinguishable colours. Further lines are in another chart."""

MIXES_APART_MAX: Final = 6
"""The most mixes with a separate chart, to limit the number of charts. The tables have all mixes."""


@dataclass(frozen=True)
class Line:
    """A line of a chart: one class of operations of cells that differ in one parameter.

    ``is_whole`` is whether the class comprises all operations of the cells.
    """

    series: Series
    operation: Operation
    cells: tuple[CellEstimate, ...]
    is_whole: bool

    @property
    def name(self) -> str:
        """Its name in the legend."""
        return self.series.name

    @property
    def points(self) -> list[Point]:
        """The cells that have figures of the class, with these figures."""
        return [(cell, figures) for cell in self.cells if (figures := cell.of(self.operation)) is not None]


@dataclass(frozen=True)
class Panel:
    """The lines of one chart. ``suffix`` and ``subject`` make its id and title unique.

    ``note`` is a sentence that explains the lines; empty if their names are sufficient.
    """

    lines: tuple[Line, ...]
    suffix: str = ""
    subject: str = ""
    note: str = ""

    @property
    def points(self) -> list[tuple[Line, Point]]:
        """All points, each with its line, in the order of the lines."""
        return [(line, point) for line in self.lines for point in line.points]

    @property
    def series(self) -> tuple[Series, ...]:
        """The lines in the legend: those with at least one point."""
        return tuple(line.series for line in self.lines if line.points)

    @property
    def cells(self) -> tuple[CellEstimate, ...]:
        """The cells of the chart, each once."""
        return tuple({cell.cell: cell for line in self.lines for cell in line.cells}.values())

    @property
    def expected(self) -> list[tuple[CellEstimate, Operation, str]]:
        """Each cell and class that the chart should show, with the name of its line."""
        return [(cell, line.operation, line.name) for line in self.lines for cell in line.cells]

    def figure(
        self, identity: str, title: str, caption: str, rows: Sequence[Row], draw: Callable[[str], alt.LayerChart]
    ) -> Figure:
        """The figure of the panel. ``draw`` gets the complete caption and is called only if there are rows."""
        said = f"{caption} {self.note}".rstrip()
        return Figure(
            f"{identity}{self.suffix}",
            f"{title}{self.subject}",
            said,
            draw(said) if rows else None,
            tuple(rows),
            left_out(self.expected, rows),
            NO_PERCENTILES if self.points else NO_FIGURES,
        )


def panels_of(cells: Iterable[CellEstimate], along: Along) -> tuple[Panel, ...]:
    """The charts of some cells: whole workloads, at most ``LINES_MAX`` per chart, then a chart for each mix.

    A single mix has only its own chart, which includes a line for all its operations.
    """
    families = families_of(cells, along)
    named = list(zip(names_of(families, along), families, strict=True))
    mixes = [(name, family) for name, family in named if family.is_mix]
    wholes = [] if len(families) == 1 and mixes else list(_wholes(named, len(mixes)))
    apart = [_apart(name, family, number) for number, (name, family) in enumerate(mixes[:MIXES_APART_MAX], start=1)]
    if not wholes:
        # A single mix needs no subject in the title.
        return tuple(Panel(panel.lines, note=panel.note) for panel in apart)
    return (*wholes, *apart)


def _wholes(named: Sequence[tuple[str, Family]], mixes: int) -> Iterator[Panel]:
    parts = [named[first : first + LINES_MAX] for first in range(0, len(named), LINES_MAX)]
    for number, part in enumerate(parts, start=1):
        lines = tuple(
            Line(series, family.whole, family.cells, is_whole=True)
            for (_, family), series in zip(part, series_of(part), strict=True)
        )
        many = len(parts) > 1
        yield Panel(
            lines,
            suffix=f"-{number}" if number > 1 else "",
            subject=f", {number} of {len(parts)}" if many else "",
            note=_note(mixes, has_mix=any(family.is_mix for _, family in part)),
        )


def _note(mixes: int, *, has_mix: bool) -> str:
    if not has_mix:
        return ""
    said = "Each mix is shown with all operations combined"
    if mixes > MIXES_APART_MAX:
        return (
            f"{said}. The first {MIXES_APART_MAX} of {mixes} mixes also have separate charts; "
            "the table lists all of them."
        )
    return f"{said}; a separate chart shows its reads and writes."


# The lines of a 50/50 mix can coincide. Writes are dashed, so that reads remain visible.
_APART: Final = {**BY_CLASS, Operation.WRITE: replace(WRITE, dash=(6, 3))}


def _apart(name: str, family: Family, number: int) -> Panel:
    # The legend has a short name, for lack of room on a phone. The title has the full name.
    short = f"{direction_label(family.workload)}{SYNC_LABELS[family.workload.sync]}"
    lines = tuple(
        Line(_in_style(class_name(short, each), _APART[each]), each, family.cells, is_whole=each is family.whole)
        for each in drawn_classes(family.workload)
    )
    note = "The line labelled 'all' shows all operations of the mix combined."
    return Panel(lines, suffix=f"-{number}-{slug(name)}", subject=f": {name}", note=note)


def series_of(named: Sequence[tuple[str, Family]]) -> list[Series]:
    """A style for each line. The first reads and writes have their usual styles, other lines the remaining styles."""
    taken: set[str] = set()
    styles: list[Series | None] = []
    for _, family in named:
        usual = _usual(family)
        free = usual is not None and usual.colour not in taken
        styles.append(usual if free else None)
        taken |= {usual.colour} if usual is not None and free else set()
    left = iter([style for style in PALETTE if style.colour not in taken])
    return [_in_style(name, style or next(left)) for (name, _), style in zip(named, styles, strict=True)]


def _usual(family: Family) -> Series | None:
    if family.workload.pattern is Access.SEQUENTIAL and family.whole is Operation.READ:
        return SEQUENTIAL_READ
    if family.workload.pattern is Access.SEQUENTIAL and family.whole is Operation.WRITE:
        return SEQUENTIAL_WRITE
    return BY_CLASS[family.whole] if family.whole in {Operation.READ, Operation.WRITE} else None


def _in_style(name: str, style: Series) -> Series:
    return replace(style, name=name)
