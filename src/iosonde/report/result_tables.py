"""The full result tables: one row for each class of operations of each cell, with units in the column heads."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.histogram import PERCENTS, percent_label
from iosonde.analysis.missing_reasons import (
    NO_DATA_MOVED,
    NO_ENGINE_COST,
    why_no_depth,
    why_no_mean_interval,
    why_no_percentile,
)
from iosonde.analysis.pace import SATURATED
from iosonde.analysis.totals import total_of
from iosonde.charts.figure import why_no_figures
from iosonde.charts.quantities import BANDWIDTH_UNIT, LatencyUnit, depth_text, latency_unit, significant, with_interval
from iosonde.findings.case import distinct, name_some
from iosonde.records import Experiment, LatencyKind, Operation, Sync
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import MEGABYTE

FEW_PERCENTS: Final = (50.0, 95.0, 99.0, 99.9)
AT_LEAST: Final = "≥ "

RESPONSE_NOTE: Final = (
    "For cells with an arrival rate, latency is response time, measured from the intended start, not from submission."
)

FULL_DISTRIBUTION_IN: Final = (Experiment.BASELINE, Experiment.TAIL, Experiment.PROBE)
"""Experiments on the latency distribution. Their tables have the minimum and all percentiles."""


_ORDERS: Final[dict[Experiment, Callable[[CellEstimate], tuple[str | int, ...]]]] = {
    Experiment.BLOCK_SIZE: lambda cell: (
        str(cell.workload.pattern),
        -cell.workload.read_percent,
        cell.workload.block_size_bytes,
    ),
    Experiment.MIX: lambda cell: (-cell.workload.read_percent,),
    Experiment.QUEUE_DEPTH: lambda cell: (
        str(cell.workload.pattern),
        -cell.workload.read_percent,
        cell.workload.trim_percent,
        cell.workload.block_size_bytes,
        cell.workload.targets,
        cell.queue_depth_asked,
    ),
    Experiment.TAIL: lambda cell: (cell.queue_depth_asked,),
}


@dataclass(frozen=True)
class Column:
    """A column: its head, and the text for each class of operations of each cell."""

    head: Head
    text: Callable[[CellEstimate, OperationEstimate], str]


def in_order(experiment: Experiment, cells: Sequence[CellEstimate]) -> list[CellEstimate]:
    """The cells in the order of the table: sweeps by their parameters, other experiments as planned."""
    return sorted(cells, key=_ORDERS[experiment]) if experiment in _ORDERS else list(cells)


def shown_percents(experiment: Experiment) -> tuple[float, ...]:
    """The percentiles in the tables of an experiment."""
    return PERCENTS if experiment in FULL_DISTRIBUTION_IN else FEW_PERCENTS


def experiment_tables(experiment: Experiment, cells: Sequence[CellEstimate]) -> tuple[ResultTable, ...]:
    """All figures of one experiment.

    For ``FULL_DISTRIBUTION_IN``, the distribution is a separate table: a single one would be wider than a page.
    """
    cells = in_order(experiment, cells)
    shown = [(cell, figures) for cell in cells for figures in counted(cell)]
    unit = latency_unit(figures.latency_ns_mean.mean for _, figures in shown)
    interval = (
        "± is the half-width of the 95 % confidence interval, based on the variation between or within repeats, "
        "whichever is larger. Above ±20 %, the upper limit is further from the mean than the lower one."
    )
    if experiment not in FULL_DISTRIBUTION_IN:
        least = Column(Head("Min", unit.name), _least(unit))
        columns = [*_rate_columns(unit), least, *_latency_columns(unit, FEW_PERCENTS), _CPU]
        return (_table(cells, columns, interval, (*_without_interval(shown), *latency_notes(shown))),)
    distribution = [*_HEAD, Column(Head("Min", unit.name), _least(unit)), *_latency_columns(unit, PERCENTS)]
    return (
        _table(cells, [*_rate_columns(unit), _CPU], interval, (*_without_interval(shown), *latency_notes(shown))),
        _table(cells, distribution, "Latency distribution with all repeats merged.", latency_notes(shown)),
    )


def _table(
    cells: Sequence[CellEstimate], columns: Sequence[Column], caption: str, notes: tuple[str, ...]
) -> ResultTable:
    lines: list[Line] = []
    for cell in cells:
        rows = counted(cell)
        lines.extend(Line(tuple(column.text(cell, figures) for column in columns)) for figures in rows)
        if not rows:
            lines.append(Line((cell.cell,), gap=why_no_figures(cell)))
    return ResultTable(caption=caption, heads=tuple(column.head for column in columns), lines=tuple(lines), notes=notes)


def counted(cell: CellEstimate) -> list[OperationEstimate]:
    """The classes that have a row: the requested ones, and all operations together for a mix."""
    asked = list(cell.workload.asked_operations())
    if cell.direction is None:
        asked.append(Operation.ALL)
    return [figures for operation in asked if (figures := cell.of(operation)) is not None]


def _rate_columns(unit: LatencyUnit) -> list[Column]:
    return [
        *_HEAD,
        Column(Head("QD", "requested"), lambda cell, _: _asked(cell)),
        Column(Head("QD", "achieved"), in_flight_text),
        Column(Head("n", "repeats"), _repeats),
        Column(Head("IOPS", "operations/s"), lambda _, figures: with_interval(figures.iops)),
        Column(Head("Bandwidth", BANDWIDTH_UNIT), _bandwidth),
        Column(Head("Mean latency", unit.name), lambda _, each: mean_text(each, unit)),
    ]


def _latency_columns(unit: LatencyUnit, percents: Sequence[float]) -> list[Column]:
    most = Column(Head("Max", unit.name), lambda _, figures: longest_text(figures, unit))
    return [*(_percentile_column(percent, unit) for percent in percents), most]


def mean_text(figures: OperationEstimate, unit: LatencyUnit) -> str:
    """The mean latency with its interval. For a saturated cell it is a lower bound, without an interval."""
    if figures.saturated:
        return f"{AT_LEAST}{significant(figures.latency_ns_mean.mean / unit.ns)}"
    return with_interval(figures.latency_ns_mean, 1 / unit.ns)


def longest_text(figures: OperationEstimate, unit: LatencyUnit) -> str:
    """The largest latency. For a saturated cell it is a lower bound."""
    return f"{AT_LEAST if figures.saturated else ''}{significant(figures.latency_ns_max / unit.ns)}"


def _least(unit: LatencyUnit) -> Callable[[CellEstimate, OperationEstimate], str]:
    return lambda _, figures: significant(figures.latency_ns_min / unit.ns)


def _percentile_column(percent: float, unit: LatencyUnit) -> Column:
    return Column(Head(percent_label(percent), unit.name), lambda _, each: percentile_text(each, percent, unit))


def percentile_text(figures: OperationEstimate, percent: float, unit: LatencyUnit) -> str:
    """A percentile, or a dash with the reason why it is missing."""
    value_ns = figures.percentile(percent).value_ns
    return Dash(why_no_percentile(figures, percent)) if value_ns is None else significant(value_ns / unit.ns)


def _asked(cell: CellEstimate) -> str:
    """The requested depth. For an open loop it is the limit of operations in flight."""
    return f"{'≤ ' if cell.workload.is_open_loop else ''}{cell.queue_depth_asked}"


def achieved_text(cell: CellEstimate) -> str:
    """The achieved depth, or a dash with the reason why it is unknown."""
    depth, device = cell.queue_depth_achieved, cell.queue_depth_device
    return Dash(why_no_depth(cell)) if depth is None else depth_text(depth, device)


def in_flight_text(cell: CellEstimate, figures: OperationEstimate) -> str:
    """The achieved depth of a row. For one class of a mix it is the mean number of these operations in flight."""
    if cell.direction is not None or figures.operation is Operation.ALL:
        return achieved_text(cell)
    shares = [
        totals.latency_ns_sum / record.measured_ns
        for record in cell.repeats.used
        if record.measured_ns and (totals := total_of(record.operations, figures.operation)) is not None
    ]
    return significant(sum(shares) / len(shares), 3) if shares else achieved_text(cell)


def left_out_repeats(cell: CellEstimate) -> list[str]:
    """The numbers of discarded, failed and interrupted repeats: those without results."""
    without_figures = (
        (len(cell.repeats.discarded), "discarded"),
        (cell.repeats_failed, "failed"),
        (cell.repeats_cut, "interrupted"),
    )
    return [f"{number} {word}" for number, word in without_figures if number]


def _repeats(cell: CellEstimate, figures: OperationEstimate) -> str:
    lost = left_out_repeats(cell)
    return f"{figures.iops.repeats} ({', '.join(lost)})" if lost else str(figures.iops.repeats)


def _bandwidth(_: CellEstimate, figures: OperationEstimate) -> str:
    return with_interval(figures.bytes_per_s, 1 / MEGABYTE) if figures.bytes else Dash(NO_DATA_MOVED)


def _cpu(cell: CellEstimate) -> str:
    return Dash(NO_ENGINE_COST) if cell.cpu_ns_per_io is None else significant(cell.cpu_ns_per_io.mean, 3)


_HEAD: Final = (
    Column(Head("Cell", number=False), lambda cell, _: cell.cell),
    Column(Head("Operation", number=False), lambda _, figures: str(figures.operation)),
)
_CPU: Final = Column(Head("CPU", "ns/operation"), lambda cell, _: _cpu(cell))


def _without_interval(shown: Iterable[tuple[CellEstimate, OperationEstimate]]) -> tuple[str, ...]:
    """The reasons why means have no ±, each with its cells."""
    reasons: dict[str, list[str]] = {}
    pairs = list(shown)
    for cell, figures in pairs:
        if why := why_no_mean_interval(figures.iops):
            reasons.setdefault(why, []).append(cell.cell)
    return tuple(
        f"Without ±{'' if len(names) == len(pairs) else f' ({name_some(distinct(names))})'}: {why}."
        for why, names in reasons.items()
    )


def latency_notes(shown: Iterable[tuple[CellEstimate, OperationEstimate]]) -> tuple[str, ...]:
    """Notes on the latencies of these rows: response time, saturated cells and commits."""
    pairs = list(shown)
    notes = []
    if any(figures.latency_kind is LatencyKind.RESPONSE for _, figures in pairs):
        notes.append(RESPONSE_NOTE)
    if any(figures.saturated for _, figures in pairs):
        notes.append(SATURATED)
    if any(cell.workload.sync is Sync.FDATASYNC for cell, _ in pairs):
        notes.append("A commit is a write followed by fdatasync. Writes and flushes also have separate rows.")
    return tuple(notes)
