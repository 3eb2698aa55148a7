"""Chooses the form of a chart from the parameters that vary. All rules for this are here.

====================================================  =================================================
what varies                                           form
====================================================  =================================================
nothing, or names without an order, in few cells      bars
one number or size                                    one line
two: a number, and one with few values                several lines
block size and read share                             a heat map with numbers, as a table
two with many values                                  a heat map
three                                                 one of these charts for each value of the third
more, or too many values for several charts           heat maps with a row for each combination
few of the combinations were measured                 bars for few cells, else a heat map with gaps
====================================================  =================================================
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, permutations
from typing import Any, Final

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.matrix.keys import Key, joined, varied
from iosonde.charts.theme import PALETTE

LINES_MAX: Final = len(PALETTE)
"""The most lines in a chart: there are only so many distinguishable colours. For more, a heat map is used."""

POINTS_MIN: Final = 3
"""A line needs at least three points. Two points are drawn as bars."""

BARS_MAX: Final = 16
PANELS_MAX: Final = 4
COLUMNS_MAX: Final = 8
"""The most numbers that fit side by side on a phone."""

ROWS_MAX: Final = 20
FILLED_MIN: Final = 0.5
"""The least share of measured combinations for lines or a heat map. With fewer, a chart would be mostly gaps."""

TABLES: Final = frozenset({("block_size", "read")})
"""Pairs of rows and columns that are customarily shown as a table, as in the IOPS test of the SNIA."""


class Form(StrEnum):
    """How the cells of a chart are drawn."""

    BARS = "bars"
    LINES = "lines"
    HEAT_MAP = "heat_map"


@dataclass(frozen=True)
class Choice:
    """How cells are drawn.

    ``across`` is the key of the horizontal axis or the columns, ``apart`` that of the lines or rows. ``panels`` is the
    key with a separate chart for each value. A key is None if it is not used.
    """

    form: Form
    across: Key | None = None
    apart: Key | None = None
    panels: Key | None = None

    def parts(self, cells: Sequence[CellEstimate]) -> Iterator[tuple[str, list[CellEstimate]]]:
        """The name and the cells of each chart. The name says in what its cells differ from those of other charts."""
        values = [None] if self.panels is None else self.panels.values(cells)
        for value in values:
            mine = list(cells) if self.panels is None else _of(self.panels, value, cells)
            parts = list(self._in_rows(mine))
            for number, part in enumerate(parts, start=1):
                named = "" if self.panels is None else self.panels.label(value)
                numbered = "" if len(parts) == 1 else f"{number} of {len(parts)}"
                yield ", ".join(filter(None, (named, numbered))), part

    def _in_rows(self, cells: Sequence[CellEstimate]) -> Iterator[list[CellEstimate]]:
        """The cells in groups of at most ``ROWS_MAX`` rows. A line chart has no limit."""
        if self.form is Form.LINES:
            yield list(cells)
            return
        apart = self.apart
        rows = [[cell] for cell in cells] if apart is None else [_of(apart, row, cells) for row in apart.values(cells)]
        for first in range(0, len(rows), ROWS_MAX):
            yield [cell for row in rows[first : first + ROWS_MAX] for cell in row]


def choose(cells: Sequence[CellEstimate]) -> Choice:
    """The form for some cells. It depends only on their parameters, not on their results."""
    keys = varied(cells)
    options = list(_options(keys, cells))
    if not options:
        return Choice(Form.BARS)
    return min(options, key=lambda each: _rank(each, keys, cells))


def _options(keys: Sequence[Key], cells: Sequence[CellEstimate]) -> Iterator[Choice]:
    """Every form in which these cells are readable."""
    if len(cells) <= BARS_MAX or len(keys) <= 1:
        yield Choice(Form.BARS)
    for size in (1, 2):
        for inner in permutations(keys, size):
            rest = [key for key in keys if key not in inner]
            panels = joined(rest) if len(rest) > 1 else next(iter(rest), None)
            if panels is None or len(panels.values(cells)) <= PANELS_MAX:
                yield from _inner(inner, panels, cells)
    if len(keys) > 1:
        yield from _pivots(keys, cells)


def _inner(inner: Sequence[Key], panels: Key | None, cells: Sequence[CellEstimate]) -> Iterator[Choice]:
    """Lines or a heat map of one or two keys, if these are readable."""
    across, *others = inner
    apart = others[0] if others else None
    groups = [cells] if panels is None else [_of(panels, value, cells) for value in panels.values(cells)]
    used = [key for key in (across, apart) if key is not None]
    if any(len(group) < POINTS_MIN or _filled(used, group) < FILLED_MIN for group in groups):
        return
    if _is_table(across, apart, cells):
        yield Choice(Form.HEAT_MAP, across, apart, panels)
    if _is_table(across, apart, cells) or _is_table(apart, across, cells):
        return
    if not across.is_text and all(_are_lines(apart, group) for group in groups):
        yield Choice(Form.LINES, across, apart, panels)
    if apart is not None and len(across.values(cells)) <= COLUMNS_MAX:
        yield Choice(Form.HEAT_MAP, across, apart, panels)


def _are_lines(apart: Key | None, cells: Sequence[CellEstimate]) -> bool:
    """Whether the cells make at most ``LINES_MAX`` lines with at least ``POINTS_MIN`` points each."""
    lines = [cells] if apart is None else [_of(apart, value, cells) for value in apart.values(cells)]
    return len(lines) <= LINES_MAX and all(len(line) >= POINTS_MIN for line in lines)


def _pivots(keys: Sequence[Key], cells: Sequence[CellEstimate]) -> Iterator[Choice]:
    """Heat maps with a row for each combination of keys. With too many rows, some keys get separate charts instead."""
    fewest = min(len(key.values(cells)) for key in keys)
    for across in keys:
        if len(across.values(cells)) > max(COLUMNS_MAX, fewest):
            continue
        rows = [key for key in keys if key is not across]
        for out in (out for count in range(len(rows)) for out in combinations(rows[::-1], count)):
            kept = [key for key in rows if key not in out]
            apart = kept[0] if len(kept) == 1 else joined(kept)
            panels = None if not out else out[0] if len(out) == 1 else joined(out)
            groups = [cells] if panels is None else [_of(panels, value, cells) for value in panels.values(cells)]
            if max(len(apart.values(group)) for group in groups) <= ROWS_MAX or len(kept) == 1:
                yield Choice(Form.HEAT_MAP, across, apart, panels)
                break


def _rank(choice: Choice, keys: Sequence[Key], cells: Sequence[CellEstimate]) -> tuple[Any, ...]:
    """The sort key of a choice, best first: few charts, customary tables, lines, bars, heat maps, the order of keys."""
    across, apart = choice.across, choice.apart
    is_table = choice.form is Form.HEAT_MAP and _is_table(across, apart, cells)
    charts = 1 if choice.panels is None else len(choice.panels.values(cells))
    place = -1 if across is None else keys.index(across)
    return (charts > PANELS_MAX, not is_table, _PREFERRED.index(choice.form), charts, place)


_PREFERRED: Final = (Form.LINES, Form.BARS, Form.HEAT_MAP)


def _is_table(columns: Key | None, rows: Key | None, cells: Sequence[CellEstimate]) -> bool:
    """Whether these two keys are customarily a table. Each must have at least ``POINTS_MIN`` values."""
    if columns is None or rows is None or (rows.name, columns.name) not in TABLES:
        return False
    return min(len(key.values(cells)) for key in (rows, columns)) >= POINTS_MIN


def _of(key: Key, value: Any, cells: Sequence[CellEstimate]) -> list[CellEstimate]:  # noqa: ANN401
    return [cell for cell in cells if key.of(cell) == value]


def _filled(keys: Sequence[Key], cells: Sequence[CellEstimate]) -> float:
    """The share of the combinations of values that have a cell."""
    places = 1
    for key in keys:
        places *= len(key.values(cells))
    return len(cells) / places
