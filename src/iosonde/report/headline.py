"""The few numbers that a reader looks for first, as data: the page and the terminal show the same ones."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.histogram import TAIL_PERCENT, percent_label
from iosonde.analysis.knee import Knee
from iosonde.analysis.missing import why_no_mean_interval, why_no_percentile_interval
from iosonde.charts.figure import why_no_figures
from iosonde.charts.quantities import cell_depth_label
from iosonde.findings.model import Finding
from iosonde.records import Access, Aim, Experiment, Operation, Sync
from iosonde.report.marks import invalid_below, with_marks
from iosonde.units import format_size

SMALL_BLOCK_BYTES: Final = 4096
TAIL_DEPTH: Final = 8
DIRECTIONS: Final = (Operation.READ, Operation.WRITE)


class Quantity(StrEnum):
    """What kind of number a headline figure is; its value is in the base unit named here."""

    IOPS = "operations_per_s"
    COMMITS = "commits_per_s"
    BANDWIDTH = "bytes_per_s"
    LATENCY = "latency_ns"


@dataclass(frozen=True)
class HeadlineFigure:
    """One number in a base unit.

    ``estimate`` is there for means over repeats. A percentile has none: it is read from all repeats added up, ``low``
    and ``high`` bound it with 95 % confidence, and ``lowest`` and ``highest`` are the extremes of the repeats' own;
    either pair is None where samples do not support it.
    ``value`` is None when too few samples lie beyond the percentile. ``why_none`` says why it has no value or no
    interval; it is empty where it has both. ``remark`` says by how much it is known less exactly than was asked.
    """

    name: str
    quantity: Quantity
    value: float | None
    estimate: Estimate | None = None
    low: float | None = None
    high: float | None = None
    lowest: float | None = None
    highest: float | None = None
    why_none: str = ""
    remark: str = ""

    @property
    def is_aimed_at(self) -> bool:
        """Whether a precision asks for it: throughput, mean latency and p99."""
        return self.estimate is not None or self.name == percent_label(TAIL_PERCENT)


@dataclass(frozen=True)
class HeadlineGroup:
    """The figures that belong together, and the one cell that they come from.

    ``missing`` says why there are no figures; it is empty when there are. ``doubted_by`` are the ids of the findings
    that name the cell and call its figures doubtful, ``invalid_by`` those that make them invalid.
    """

    id: str
    name: str
    where: str
    cell: str
    figures: tuple[HeadlineFigure, ...]
    missing: str = ""
    doubted_by: tuple[str, ...] = ()
    invalid_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Headline:
    """The headline of a run: groups of figures, and the knee of each direction that was swept.

    ``knees_invalid`` is a sentence on the cells of these sweeps that are invalid, empty where none is.
    """

    groups: tuple[HeadlineGroup, ...]
    knees: tuple[tuple[Operation, Knee], ...]
    knees_invalid: str = ""


def headline_of(estimates: RunEstimates, findings: Sequence[Finding] = (), aim_ended: Aim | None = None) -> Headline:
    """The headline of a run. What was not planned is absent; what was planned and has no figures says why.

    ``aim_ended`` is what a finished run was to reach: figures that did not say so.
    """
    estimates = estimates.closed_loops
    groups = [
        *(_best_iops(estimates, direction) for direction in DIRECTIONS),
        *(_best_bandwidth(estimates, direction) for direction in DIRECTIONS),
        *(_without_queue(estimates, direction) for direction in DIRECTIONS),
        _durable_write(estimates),
        _tail(estimates),
    ]
    swept = {cell.direction for cell in estimates.sweep}
    knees = tuple((direction, estimates.knee(direction)) for direction in DIRECTIONS if direction in swept)
    return Headline(
        groups=tuple(with_marks(group, findings, aim_ended) for group in groups if group is not None),
        knees=knees,
        knees_invalid=invalid_below(knees, estimates.sweep, findings),
    )


def _best_iops(estimates: RunEstimates, direction: Operation) -> HeadlineGroup | None:
    cells = _small_random(estimates.cells, direction)
    return _best(
        f"random-{direction}-iops",
        f"Random {direction}, {format_size(SMALL_BLOCK_BYTES)}",
        cells,
        lambda cell: _figures(cell, direction, lambda each: each.iops, "best", Quantity.IOPS),
    )


def _best_bandwidth(estimates: RunEstimates, direction: Operation) -> HeadlineGroup | None:
    cells = [
        cell
        for cell in estimates.cells
        if cell.workload.pattern is Access.SEQUENTIAL and cell.direction is direction and _plain(cell)
    ]
    return _best(
        f"sequential-{direction}-bandwidth",
        f"Sequential {direction}",
        cells,
        lambda cell: _figures(cell, direction, lambda each: each.bytes_per_s, "best", Quantity.BANDWIDTH),
    )


def _without_queue(estimates: RunEstimates, direction: Operation) -> HeadlineGroup | None:
    cells = [cell for cell in _small_random(estimates.cells, direction) if cell.workload.operations_in_flight_each == 1]
    return _best(
        f"random-{direction}-latency",
        f"Random {direction}, {format_size(SMALL_BLOCK_BYTES)}",
        cells,
        lambda cell: (
            *_figures(cell, direction, lambda each: each.latency_ns_mean, "mean", Quantity.LATENCY),
            *_percentile(cell, direction, 99),
        ),
    )


def _durable_write(estimates: RunEstimates) -> HeadlineGroup | None:
    cells = [cell for cell in estimates.cells if cell.workload.sync is Sync.FDATASYNC and cell.workload.is_usual]
    return _best(
        "durable-write",
        "Write + fdatasync",
        cells,
        lambda cell: (
            *_figures(cell, Operation.COMMIT, lambda each: each.iops, "rate", Quantity.COMMITS),
            *_percentile(cell, Operation.COMMIT, 99),
        ),
        _where_with_pattern,
    )


def _tail(estimates: RunEstimates) -> HeadlineGroup | None:
    cells = [
        cell
        for cell in estimates.of(Experiment.TAIL)
        if cell.workload.operations_in_flight_each == TAIL_DEPTH and cell.workload.is_usual
    ]
    return _best(
        "random-read-tail",
        "Tail of random reads",
        [cell for cell in cells if cell.direction is Operation.READ],
        lambda cell: (*_percentile(cell, Operation.READ, 99.9), *_percentile(cell, Operation.READ, 99.99)),
        _where_with_size,
    )


def _small_random(cells: Iterable[CellEstimate], direction: Operation) -> list[CellEstimate]:
    return [
        cell
        for cell in cells
        if cell.workload.pattern is Access.RANDOM
        and cell.workload.block_size_bytes == SMALL_BLOCK_BYTES
        and cell.direction is direction
        and _plain(cell)
    ]


def _plain(cell: CellEstimate) -> bool:
    return cell.workload.sync is Sync.NONE and cell.workload.is_usual


def _best(
    identity: str,
    name: str,
    cells: Sequence[CellEstimate],
    figures_of: Callable[[CellEstimate], Sequence[HeadlineFigure]],
    where_of: Callable[[CellEstimate], str] | None = None,
) -> HeadlineGroup | None:
    """The cell whose first figure is greatest; None when no such cell was planned."""
    if not cells:
        return None
    where_of = where_of or _where
    known = [(figures[0].value or 0.0, cell, figures) for cell in cells if (figures := tuple(figures_of(cell)))]
    if not known:
        return HeadlineGroup(identity, name, where_of(cells[0]), cells[0].cell, (), missing=why_no_figures(cells[0]))
    _, cell, figures = max(known, key=lambda each: each[0])
    return HeadlineGroup(identity, name, where_of(cell), cell.cell, figures)


def _where_with_size(cell: CellEstimate) -> str:
    """With the block size, where the group's name leaves it open."""
    size = cell.workload.size_text
    return f"{size}, {_where(cell).removeprefix(f'{size}, ')}"


def _where_with_pattern(cell: CellEstimate) -> str:
    """With block size and pattern, where the group's name leaves both open."""
    size = cell.workload.size_text
    return f"{size} {cell.workload.pattern}, {_where(cell).removeprefix(f'{size}, ')}"


def _where(cell: CellEstimate) -> str:
    asked = cell.workload
    depth = f"depth {asked.operations_in_flight_each}"
    if asked.targets > 1:
        depth = f"{depth} on each of {asked.targets} targets"
    elif asked.operations_in_flight_each == cell.queue_depth_asked and asked.sync is Sync.NONE:
        depth = cell_depth_label(cell)
    if cell.workload.pattern is Access.SEQUENTIAL:
        return f"{format_size(cell.workload.block_size_bytes)}, {depth}"
    return depth


def _figures(
    cell: CellEstimate,
    operation: Operation,
    estimate_of: Callable[[OperationEstimate], Estimate],
    name: str,
    quantity: Quantity,
) -> tuple[HeadlineFigure, ...]:
    figures = cell.of(operation)
    if figures is None:
        return ()
    estimate = estimate_of(figures)
    return (HeadlineFigure(name, quantity, estimate.mean, estimate, why_none=why_no_mean_interval(estimate)),)


def _percentile(cell: CellEstimate, operation: Operation, percent: float) -> tuple[HeadlineFigure, ...]:
    figures = cell.of(operation)
    if figures is None:
        return ()
    known = figures.percentile(percent)
    return (
        HeadlineFigure(
            percent_label(percent),
            Quantity.LATENCY,
            known.value_ns,
            low=known.low_ns,
            high=known.high_ns,
            lowest=known.lowest_ns,
            highest=known.highest_ns,
            why_none=why_no_percentile_interval(figures, percent),
        ),
    )
