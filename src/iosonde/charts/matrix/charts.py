"""The charts of a matrix: one per quantity, all in the same form (``form.py`` chooses it)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import altair as alt

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import drawn_classes, whole_of
from iosonde.charts.figure import NO_FIGURES, NO_PERCENTILES, Figure, Row, left_out
from iosonde.charts.matrix.bars import bars
from iosonde.charts.matrix.form import Choice, Form, choose
from iosonde.charts.matrix.heat_map import heat_map
from iosonde.charts.matrix.keys import common_text, in_speech, joined, varied
from iosonde.charts.matrix.lines import lines, series_of
from iosonde.charts.matrix.quantities import DIGITS, P99, Quantity, bandwidth, iops, latency_p99, mean_latency
from iosonde.charts.names import slug
from iosonde.charts.points import Point, bars_text, row_of
from iosonde.charts.quantities import significant
from iosonde.charts.theme import HEIGHT, layered
from iosonde.records import Operation

OWN_AXIS_FROM = 3.0
"""Charts side by side share an axis, unless the values of one would use less than one part in this many of it."""

BAR_ROOM = 1.4
"""An error bar that extends above this multiple of the highest value is cut at the edge of the chart."""

Draw = Callable[[Sequence[CellEstimate]], tuple[Figure, ...]]


def matrix_charts(cells: Sequence[CellEstimate]) -> tuple[Draw, ...]:
    """The functions that draw a matrix: bandwidth only if block sizes differ, p99 only if a cell has one."""
    sizes = {cell.workload.size_text for cell in cells}
    has_p99 = any(found.percentile(P99).value_ns is not None for cell in cells if (found := cell.subject) is not None)
    return (
        matrix_iops,
        *((matrix_bandwidth,) if len(sizes) > 1 else ()),
        matrix_latency,
        *((matrix_p99,) if has_p99 else ()),
    )


def matrix_iops(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """IOPS of each cell."""
    return _figures(cells, iops)


def matrix_bandwidth(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Bandwidth of each cell."""
    return _figures(cells, bandwidth)


def matrix_latency(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """Mean latency of each cell."""
    return _figures(cells, mean_latency)


def matrix_p99(cells: Sequence[CellEstimate]) -> tuple[Figure, ...]:
    """The 99th percentile of each cell."""
    return _figures(cells, latency_p99)


def _figures(cells: Sequence[CellEstimate], made: Callable[[Sequence[Point]], Quantity]) -> tuple[Figure, ...]:
    choice = choose(cells)
    classes = _classes(choice, cells)
    points = [
        (cell, figures)
        for cell in cells
        for operation in classes[cell.cell]
        if (figures := cell.of(operation)) is not None
    ]
    quantity = made(points)
    parts = list(choice.parts(cells))
    values = [_values(part, choice, classes, quantity) for _, part in parts]
    everywhere = [value for each in values for value in each]
    own = any(each and max(each) < max(everywhere) / OWN_AXIS_FROM for each in values)
    shown = [
        _Shown(cells, part, name, choice, classes, each if own else everywhere, has_own_axis=own)
        for (name, part), each in zip(parts, values, strict=True)
    ]
    made_figures = [
        _figure(each, quantity, "" if number == 1 else f"-{number}-{slug(each.name)}")
        for number, each in enumerate(shown, start=1)
    ]
    return _without_empty(made_figures)


def _without_empty(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The charts with data. The last one also names what the empty charts omit. If all are empty, all charts."""
    drawn = [figure for figure in figures if figure.rows]
    if not drawn:
        return tuple(figures)
    *others, last = drawn
    left = [sentence for figure in figures if not figure.rows for sentence in figure.left_out]
    return (*others, replace(last, left_out=(*last.left_out, *left)))


def _values(
    cells: Sequence[CellEstimate], choice: Choice, classes: Mapping[str, Sequence[Operation]], quantity: Quantity
) -> list[float]:
    """The values that an axis must include. For lines also the ends of error bars, limited by ``BAR_ROOM``."""
    found = [cell.of(operation) for cell in cells for operation in classes[cell.cell]]
    known = [(each, value) for each in found if each is not None and (value := quantity.value(each)) is not None]
    values = [value for _, value in known]
    if choice.form is not Form.LINES or not values:
        return values
    ends = [quantity.ends(each) for each, _ in known]
    most = max(values) * BAR_ROOM
    return [*values, *(min(end["high"], most) for end in ends), *(end["drawn_low"] for end in ends)]


def _classes(choice: Choice, cells: Sequence[CellEstimate]) -> dict[str, tuple[Operation, ...]]:
    """The classes drawn for each cell: all operations of a mix combined, or each class if there is room."""
    has_room = choice.form is not Form.HEAT_MAP and choice.apart is None
    return {cell.cell: drawn_classes(cell.workload) if has_room else (whole_of(cell.workload),) for cell in cells}


@dataclass(frozen=True)
class _Shown:
    """The cells of one chart, and all cells of the matrix. ``everywhere`` are all values on its axis."""

    all_cells: Sequence[CellEstimate]
    cells: Sequence[CellEstimate]
    name: str
    choice: Choice
    classes: dict[str, tuple[Operation, ...]]
    everywhere: Sequence[float]
    has_own_axis: bool

    @property
    def expected(self) -> list[tuple[CellEstimate, Operation, str]]:
        """Each cell and class that the chart should show, with the name of its series."""
        return [
            (cell, operation, self.series(cell, operation))
            for cell in self.cells
            for operation in self.classes[cell.cell]
        ]

    def series(self, cell: CellEstimate, operation: Operation) -> str:
        """The series of a class of a cell: the name of its line, or the class."""
        apart = self.choice.apart
        return apart.label(apart.of(cell)) if self.choice.form is Form.LINES and apart else str(operation)

    def rows(self, quantity: Quantity) -> list[Row]:
        """A row for each value."""
        return [
            self._row((cell, figures), series, value, quantity)
            for cell, operation, series in self.expected
            if (figures := cell.of(operation)) is not None and (value := quantity.value(figures)) is not None
        ]

    def _row(self, point: Point, series: str, value: float, quantity: Quantity) -> Row:
        cell, figures = point
        across, apart = self.choice.across, self.choice.apart
        number, unit = quantity.text(value)
        row = row_of(point, series, quantity.unit) | quantity.ends(figures) | {quantity.field: value}
        row |= {"drawn_number": number, "drawn_unit": unit, "drawn_text": f"{number} {unit}"}
        # Next to an axis, all numbers are in its unit.
        row |= {"drawn_label": significant(value, DIGITS) if quantity.is_latency else number}
        if self.choice.form is Form.LINES and across is not None:
            return row | {"drawn_across": across.number(cell), "drawn_tick": across.tick(across.of(cell))}
        if across is not None and apart is not None:
            return row | {"drawn_column": across.tick(across.of(cell)), "drawn_row": apart.label(apart.of(cell))}
        return row | {"name": self._name(cell)}

    def _name(self, cell: CellEstimate) -> str:
        keys = in_speech(varied(self.all_cells))
        return joined(keys).label(tuple(key.of(cell) for key in keys)) if keys else common_text([cell])

    def title(self, quantity: Quantity) -> str:
        """The title: the quantity, the parameters by which it is shown, and the cells of this chart."""
        keys = [key for key in (self.choice.across, self.choice.apart) if key] or varied(self.all_cells)
        by = " and ".join(key.short for key in keys)
        return f"{quantity.title}{f' by {by}' if by else ''}{f': {self.name}' if self.name else ''}"

    def caption(self, quantity: Quantity, rows: Sequence[Row]) -> str:
        """The caption: how to read the chart, the parameters that all cells share, and what error bars are."""
        sentences = [f"{quantity.said}{self._how()}"]
        common = common_text(self.cells)
        if common and varied(self.all_cells):
            sentences.append(f"All cells: {common}")
        if self.choice.form is Form.LINES:
            sentences.append(bars_text(rows).replace("95 % confidence intervals for the mean", quantity.bars))
        if self.choice.form is Form.HEAT_MAP and quantity.is_wide(self.everywhere):
            sentences.append("The colour scale is logarithmic")
        if self.has_own_axis:
            what = "Colour scales" if self.choice.form is Form.HEAT_MAP else "Axis ranges"
            sentences.append(f"{what} differ between these charts")
        is_mix = any(cell.workload.only_operation is None for cell in self.cells)
        if is_mix and self.choice.apart is not None:
            sentences.append("Each mix is shown with all operations combined; the table lists each class of operations")
        return ". ".join(sentences) + "."

    def _how(self) -> str:
        across, apart = self.choice.across, self.choice.apart
        if self.choice.form is Form.BARS or across is None:
            return " of each cell"
        if self.choice.form is Form.LINES:
            return f" by {across.short}{f', one line per {apart.short}' if apart else ''}"
        return f" of each cell, with {across.short} in columns and {apart.short if apart else ''} in rows"


def _figure(shown: _Shown, quantity: Quantity, suffix: str) -> Figure:
    rows = shown.rows(quantity)
    expected = shown.expected
    known = any(cell.of(operation) is not None for cell, operation, _ in expected)
    caption = shown.caption(quantity, rows)
    chart = None
    if rows:
        rows, layers, height = _drawn(shown, quantity, rows)
        chart = layered(layers, rows, caption, height=height)
    return Figure(
        f"{quantity.id}{suffix}",
        shown.title(quantity),
        caption,
        chart,
        tuple(rows),
        left_out(expected, rows),
        NO_PERCENTILES if known else NO_FIGURES,
    )


def _drawn(shown: _Shown, quantity: Quantity, rows: Sequence[Row]) -> tuple[list[Row], list[alt.Chart], int]:
    across, apart = shown.choice.across, shown.choice.apart
    if shown.choice.form is Form.LINES:
        assert across is not None
        return (*lines(rows, across, series_of(apart, shown.all_cells), quantity, shown.everywhere), HEIGHT)
    if shown.choice.form is Form.HEAT_MAP:
        assert across is not None
        assert apart is not None
        return heat_map(rows, (across, apart), quantity, shown.everywhere, shown.cells)
    return bars(rows, quantity, shown.everywhere)
