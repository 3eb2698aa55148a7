"""Makes a headline group from cells: the cell with the highest figure, and its figures."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import drawn_classes
from iosonde.analysis.figures import figure_of
from iosonde.analysis.histogram import percent_label
from iosonde.charts.figure import why_no_figures
from iosonde.charts.quantities import cell_depth_label, load_label, plural
from iosonde.records import Access, Operation, Sync
from iosonde.report.headline_figures import HeadlineFigure, HeadlineGroup
from iosonde.vocabulary import Quantity


def mean_and_p99(cell: CellEstimate, operation: Operation) -> tuple[HeadlineFigure, ...]:
    """The latency figures of a cell without a queue: mean and p99."""
    mean = figures_named(cell, operation, Quantity.LATENCY_NS_MEAN, "mean")
    return (*mean, *percentile_figures(cell, operation, Quantity.LATENCY_NS_P99))


def each_kind(
    cell: CellEstimate, figures_of: Callable[[CellEstimate, Operation], tuple[HeadlineFigure, ...]]
) -> tuple[HeadlineFigure, ...]:
    """The figures of a cell. A mix has separate figures for reads and writes: a combined latency describes neither.

    For a mix, a percentile with too few samples is omitted here and explained in the table.
    """
    classes = drawn_classes(cell.workload)
    if len(classes) == 1:
        return figures_of(cell, classes[0])
    apart = tuple(
        replace(figure, name=f"{figure.name} of {plural(operation)}")
        for operation in classes
        if operation not in {Operation.ALL, Operation.TRIM}
        for figure in figures_of(cell, operation)
    )
    return tuple(figure for figure in apart if figure.value is not None) or apart[:1]


def best_group(
    identity: str,
    name: str,
    cells: Sequence[CellEstimate],
    figures_of: Callable[[CellEstimate], Sequence[HeadlineFigure]],
    operations: str = "",
) -> HeadlineGroup:
    """The group of the cell with the greatest first figure. ``cells`` is not empty; ``operations`` names its I/O."""
    known = [(figures[0].value or 0.0, cell, figures) for cell in cells if (figures := tuple(figures_of(cell)))]
    if not known:
        first = cells[0]
        return HeadlineGroup(
            identity, name, _where(first, identity), first.cell, (), missing=_why_missing(cells), of=operations
        )
    _, cell, figures = max(known, key=lambda each: each[0])
    return HeadlineGroup(identity, name, _where(cell, identity), cell.cell, figures, of=operations)


def _why_missing(cells: Sequence[CellEstimate]) -> str:
    if any(figures.saturated for cell in cells for figures in cell.operations.values()):
        return "no arrival rate was sustained"
    return why_no_figures(cells[0])


def _where(cell: CellEstimate, group: str) -> str:
    """The depth or rate; also the block size if the name of the group lacks it, and the pattern for durable writes."""
    asked = cell.workload
    if group == "durable-write":
        return f"{asked.size_text} {asked.pattern}, {_load(cell)}"
    names_size = asked.pattern is not Access.SEQUENTIAL and not group.endswith("tail")
    return _load(cell) if names_size else f"{asked.size_text}, {_load(cell)}"


def _load(cell: CellEstimate) -> str:
    asked = cell.workload
    if asked.is_open_loop:
        load = f"at {load_label(asked)}"
        return load if asked.targets == 1 else f"{load} on each of {asked.targets} targets"
    if asked.targets > 1:
        return f"depth {asked.operations_in_flight_each} on each of {asked.targets} targets"
    return cell_depth_label(cell) if asked.sync is Sync.NONE else f"depth {asked.operations_in_flight_each}"


def figures_named(
    cell: CellEstimate, operation: Operation, quantity: Quantity, name: str
) -> tuple[HeadlineFigure, ...]:
    """The figure of one quantity, with this name; empty if the cell has no such operations."""
    estimates = cell.of(operation)
    if estimates is None:
        return ()
    return (HeadlineFigure(**vars(figure_of(quantity, estimates, cell.cell)), name=name),)


def percentile_figures(cell: CellEstimate, operation: Operation, quantity: Quantity) -> tuple[HeadlineFigure, ...]:
    """The figure of a percentile, with its lowest and highest value over the repeats."""
    percent = quantity.percent
    assert percent is not None, "it is a percentile"
    found = figures_named(cell, operation, quantity, percent_label(percent))
    if not found:
        return ()
    known = cell.operations[operation].percentile(percent)
    return tuple(replace(figure, lowest=known.lowest_ns, highest=known.highest_ns) for figure in found)
