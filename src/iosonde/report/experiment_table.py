"""The short table of an experiment: the parameters in which its cells differ, and the main results."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.figures import figure_of
from iosonde.analysis.missing_reasons import NO_DATA_MOVED, TOO_WIDE, why_no_mean_interval
from iosonde.charts.figure import why_no_figures
from iosonde.charts.quantities import BANDWIDTH_UNIT, LatencyUnit, latency_unit, significant
from iosonde.records import Aim, Experiment
from iosonde.report.dashes import Dash
from iosonde.report.marks import misses
from iosonde.report.result_tables import (
    AT_LEAST,
    counted,
    in_flight_text,
    in_order,
    latency_notes,
    left_out_repeats,
    longest_text,
    percentile_text,
)
from iosonde.report.signs import LEFT_OUT, UNMET
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.varying import Varying
from iosonde.units import MEGABYTE
from iosonde.vocabulary import Quantity

ROWS_MAX: Final = 12
"""The most rows that are readable at a glance. The folded table has all rows."""

NAMED_MAX: Final = 3
"""A note names so many rows."""

SINGLE_REPEAT: Final = "the cell has a single repeat"

EXTRACT: Final = ": the ends of each sweep, its highest IOPS and bandwidth, and some between them"
_PERCENTS: Final = (50.0, 95.0, 99.0, 99.9)
_BOTH_ENDS: Final = 2
_WITH_BEST: Final = 3


@dataclass(frozen=True)
class _Row:
    """A class of operations of a cell, or a cell without results (``figures`` is None)."""

    cell: CellEstimate
    figures: OperationEstimate | None

    @property
    def iops(self) -> float:
        return 0.0 if self.figures is None else self.figures.iops.mean

    @property
    def bytes_per_s(self) -> float:
        return 0.0 if self.figures is None else self.figures.bytes_per_s.mean


@dataclass(frozen=True)
class _Shown:
    """The columns of a table: those that vary, the unit of latency, the operation, and standard deviations."""

    varying: Varying
    unit: LatencyUnit
    apart: bool
    deviations: bool

    def deviation_head(self, unit: str) -> tuple[Head, ...]:
        return (Head("SD", unit),) if self.deviations else ()

    def deviation(self, of: Estimate, factor: float) -> tuple[str, ...]:
        if not self.deviations:
            return ()
        found = of.standard_deviation
        return (Dash(SINGLE_REPEAT) if found is None else significant(found * factor, 3),)


def experiment_table(
    experiment: Experiment,
    cells: Sequence[CellEstimate],
    aim_ended: Aim | None,
    *,
    deviations: bool = False,
    named: Collection[str] = (),
) -> ResultTable:
    """A table of at most ``ROWS_MAX`` rows. ``aim_ended`` is the requested precision of a finished run.

    ``deviations`` adds the standard deviations over repeats of the three means. ``named`` are cells that sentences
    name, such as knees.
    """
    ordered = in_order(experiment, cells)
    rows = [row for cell in ordered for row in _rows_of(cell)]
    varying = Varying(ordered)
    chosen = most_telling(
        rows, lambda row: (*varying.line_of(row.cell), row.figures and row.figures.operation), named=named
    )
    unit = latency_unit(row.figures.latency_ns_mean.mean for row in rows if row.figures is not None)
    apart = any(
        row.figures is not None and row.figures.operation is not row.cell.workload.only_operation for row in rows
    )
    columns = _Shown(varying, unit, apart, deviations)
    shown = [(row.cell, row.figures) for row in chosen if row.figures is not None]
    return ResultTable(
        caption="" if len(chosen) == len(rows) else f"Only {len(chosen)} of {len(rows)} rows are shown{EXTRACT}.",
        heads=_heads(columns),
        lines=tuple(_line(row, columns, aim_ended) for row in chosen),
        notes=(*latency_notes(shown), *_without_interval(shown, varying)),
        is_extract=len(chosen) < len(rows),
    )


def _without_interval(shown: Sequence[tuple[CellEstimate, OperationEstimate]], varying: Varying) -> Iterator[str]:
    """A note on the rows whose mean varies too much between repeats for an interval."""
    names = dict.fromkeys(
        ", ".join(varying.texts(cell)) for cell, figures in shown if why_no_mean_interval(figures.iops) == TOO_WIDE
    )
    if names:
        named = [*list(names)[:NAMED_MAX], *([f"{len(names) - NAMED_MAX} more"] if len(names) > NAMED_MAX else [])]
        yield f"No confidence interval for {'; '.join(named)}: {TOO_WIDE}."


def _rows_of(cell: CellEstimate) -> list[_Row]:
    return [_Row(cell, figures) for figures in counted(cell)] or [_Row(cell, None)]


def most_telling(
    rows: Sequence[_Row], line_of: Callable[[_Row], object], rows_max: int = ROWS_MAX, named: Collection[str] = ()
) -> list[_Row]:
    """All rows if they fit; else the telling rows of each line, and others between them.

    Telling are the first and the last row, those with the highest IOPS and bandwidth, and those of ``named`` cells.
    """
    if len(rows) <= rows_max:
        return list(rows)
    lines: dict[object, list[int]] = {}
    for place, row in enumerate(rows):
        lines.setdefault(line_of(row), []).append(place)
    kept = list(lines.values())
    if len(kept) > rows_max:
        kept = [kept[round(number * (len(kept) - 1) / (rows_max - 1))] for number in range(rows_max)]
    chosen: set[int] = set()
    for left, line in zip(range(len(kept), 0, -1), sorted(kept, key=len), strict=True):
        chosen |= _of_line(line, rows, (rows_max - len(chosen)) // left, named)
    return [row for place, row in enumerate(rows) if place in chosen]


def _of_line(line: Sequence[int], rows: Sequence[_Row], number: int, named: Collection[str]) -> set[int]:
    """``number`` evenly spaced places of a line; with one place or at least three, the highest IOPS is included."""
    if number >= len(line):
        return set(line)
    best = max(line, key=lambda place: rows[place].iops)
    if number < _BOTH_ENDS:
        return {best}
    chosen = [line[round(each * (len(line) - 1) / (number - 1))] for each in range(number)]
    widest = max(line, key=lambda place: rows[place].bytes_per_s)
    telling = dict.fromkeys([best, *(place for place in line if rows[place].cell.cell in named), widest])
    free = set(range(1, number - 1)) if number >= _WITH_BEST else set()
    free -= {each for each in free if chosen[each] in telling}
    for place in telling:
        if place not in chosen and free:
            nearest = min(free, key=lambda each: abs(chosen[each] - place))
            chosen[nearest] = place
            free.discard(nearest)
    return set(chosen)


def _heads(shown: _Shown) -> tuple[Head, ...]:
    unit = shown.unit
    return (
        *shown.varying.heads,
        *((Head("Operation", number=False),) if shown.apart else ()),
        Head("IOPS"),
        *shown.deviation_head("IOPS"),
        Head("Bandwidth", BANDWIDTH_UNIT),
        *shown.deviation_head(BANDWIDTH_UNIT),
        Head("Mean", unit.name),
        *shown.deviation_head(unit.name),
        *(Head(f"p{percent:g}", unit.name) for percent in _PERCENTS),
        Head("Max", unit.name),
        Head("QD", "achieved"),
        Head("n", "repeats"),
    )


def _line(row: _Row, shown: _Shown, aim: Aim | None) -> Line:
    cell, figures, varying, unit = row.cell, row.figures, shown.varying, shown.unit
    named = varying.texts(cell)
    if figures is None:
        return Line((" ".join(named),), gap=why_no_figures(cell), cell=cell.cell)
    signed = _Signed(cell, figures, aim)
    mean = f"{AT_LEAST if figures.saturated else ''}{significant(figures.latency_ns_mean.mean / unit.ns)}"

    texts = (
        *named,
        *((str(figures.operation),) if shown.apart else ()),
        signed(Quantity.IOPS, significant(figures.iops.mean)),
        *shown.deviation(figures.iops, 1),
        signed(Quantity.BYTES_PER_S, significant(figures.bytes_per_s.mean / MEGABYTE))
        if figures.bytes
        else Dash(NO_DATA_MOVED),
        *shown.deviation(figures.bytes_per_s, 1 / MEGABYTE),
        signed(Quantity.LATENCY_NS_MEAN, mean),
        *shown.deviation(figures.latency_ns_mean, 1 / unit.ns),
        *(
            signed(Quantity.LATENCY_NS_P99 if percent == 99.0 else None, percentile_text(figures, percent, unit))  # noqa: PLR2004 - the only one with an aim
            for percent in _PERCENTS
        ),
        longest_text(figures, unit),
        in_flight_text(cell, figures),
        f"{figures.iops.repeats}{LEFT_OUT if left_out_repeats(cell) else ''}",
    )
    return Line(texts, cell=cell.cell)


@dataclass(frozen=True)
class _Signed:
    """Adds a sign to each value that missed the requested precision."""

    cell: CellEstimate
    figures: OperationEstimate
    aim: Aim | None

    def __call__(self, quantity: Quantity | None, text: str) -> str:
        if self.aim is None or quantity is None or isinstance(text, Dash):
            return text
        return f"{text}{UNMET}" if misses(figure_of(quantity, self.figures, self.cell.cell), self.aim) else text
