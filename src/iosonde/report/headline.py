"""The few numbers that a reader looks for first, as data: the page and the terminal show the same ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import DepthSweep, RunEstimates
from iosonde.analysis.families import Along, drawn_classes
from iosonde.analysis.figures import figure_of
from iosonde.analysis.histogram import percent_label
from iosonde.analysis.kinds import Kind, at_one_size, is_plain, kinds_of
from iosonde.charts.figure import why_no_figures
from iosonde.charts.names import names_of
from iosonde.charts.quantities import cell_depth_label, load_label, operations_label, plural
from iosonde.findings.model import Finding
from iosonde.records import Access, Aim, Experiment, Operation, Sync
from iosonde.report.headline_figures import BEST, Headline, HeadlineFigure, HeadlineGroup, SweptKnee
from iosonde.report.kind_names import kind_id, kind_label, name_at, operations_at
from iosonde.report.marks import invalid_below, with_marks
from iosonde.vocabulary import Quantity

TAIL_DEPTH: Final = 8
KINDS_MAX: Final = 6
"""So many kinds of workload are told: with latencies, durable writes and the tail they fill a screen."""
LATENCIES_MAX: Final = 4


def headline_of(estimates: RunEstimates, findings: Sequence[Finding] = (), aim_ended: Aim | None = None) -> Headline:
    """The headline of a run. What was not planned is absent; what was planned and has no figures says why.

    It tells the kinds of workload that the campaign holds, each at one block size (``kinds.py`` says which).
    ``aim_ended`` is what a finished run was to reach: figures that did not say so.
    """
    closed = estimates.closed_loops
    kinds = kinds_of(closed.cells)
    told = kinds[:KINDS_MAX]
    groups = [
        *(_best_throughput(kind) for kind in told),
        *(_without_queue(kind) for kind in _worth_latency(told)),
        _durable_write(closed),
        *(() if closed.cells else map(_rate_kept, kinds_of(estimates.cells)[:KINDS_MAX])),
        _tail(estimates),
    ]
    knees = _swept(closed.sweeps)
    return Headline(
        groups=tuple(with_marks(group, findings, aim_ended) for group in groups if group is not None),
        knees=knees,
        knees_invalid=invalid_below(knees, findings),
        untold=tuple(kind_label(kind) for kind in kinds[KINDS_MAX:]),
    )


def _swept(sweeps: Sequence[DepthSweep]) -> tuple[SweptKnee, ...]:
    """Each sweep under its names; with the workers or the first cell where another sweep has the same name."""
    labels = [operations_label(sweep.workload) for sweep in sweeps]
    for suffixes in (
        [f"{sweep.workload.jobs} jobs" for sweep in sweeps],
        [f"from {sweep.cells[0].cell} on" for sweep in sweeps],
    ):
        often = Counter(labels)
        labels = [
            label if often[label] == 1 else f"{label}, {suffix}" for label, suffix in zip(labels, suffixes, strict=True)
        ]
    names = names_of(sweeps, Along.DEPTH)
    return tuple(SweptKnee(*each) for each in zip(names, labels, sweeps, strict=True))


def _best_throughput(kind: Kind) -> HeadlineGroup | None:
    """Bandwidth of a stream, else operations a second; of a mix with flushes its commits, and its reads beside them."""
    whole = kind.whole

    def figures_of(cell: CellEstimate) -> tuple[HeadlineFigure, ...]:
        if kind.is_stream:
            return _figures(cell, whole, Quantity.BYTES_PER_S, BEST)
        if whole is Operation.COMMIT:
            beside = _figures(cell, Operation.READ, Quantity.IOPS, "reads")
            return (*_figures(cell, whole, Quantity.IOPS, BEST), *beside)
        return _figures(cell, whole, Quantity.IOPS, BEST)

    cells = kind.compared
    identity = f"{kind_id(kind)}-{'bandwidth' if kind.is_stream else 'iops'}"
    return _best(identity, name_at(kind, cells[0]), cells, figures_of, operations_at(kind, cells[0]))


def _worth_latency(kinds: Sequence[Kind]) -> list[Kind]:
    """Those whose latency without a queue is told: streams only where nothing else has any."""
    shallow = [kind for kind in kinds if kind.whole is not Operation.COMMIT and kind.without_queue]
    others = [kind for kind in shallow if not kind.is_stream]
    return (others or shallow)[:LATENCIES_MAX]


def _without_queue(kind: Kind) -> HeadlineGroup | None:
    cells = at_one_size(kind.without_queue)
    return _best(
        f"{kind_id(kind)}-latency", name_at(kind, cells[0]), cells, lambda cell: _each_kind(cell, _mean_and_p99)
    )


def _mean_and_p99(cell: CellEstimate, operation: Operation) -> tuple[HeadlineFigure, ...]:
    mean = _figures(cell, operation, Quantity.LATENCY_NS_MEAN, "mean")
    return (*mean, *_percentile(cell, operation, Quantity.LATENCY_NS_P99))


def _each_kind(
    cell: CellEstimate, figures_of: Callable[[CellEstimate, Operation], tuple[HeadlineFigure, ...]]
) -> tuple[HeadlineFigure, ...]:
    """The figures of what a cell does; of a mix those of reads and writes, since two latencies together are neither.

    Of a mix, a percentile that its samples don't support is left to the table.
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


def _durable_write(estimates: RunEstimates) -> HeadlineGroup | None:
    """Writes with an fdatasync each; O_DSYNC writes where the campaign has none of these."""
    writes = [cell for cell in estimates.cells if cell.direction is Operation.WRITE and cell.workload.is_usual]
    flushed = [cell for cell in writes if cell.workload.sync is Sync.FDATASYNC]
    cells = at_one_size(flushed or [cell for cell in writes if cell.workload.sync is Sync.DSYNC])
    if not cells:
        return None
    name, means = _DURABLE[cells[0].workload.sync]
    return _best(
        "durable-write",
        name,
        cells,
        lambda cell: (
            *_figures(cell, cell.workload.subject, Quantity.IOPS, "rate"),
            *_percentile(cell, cell.workload.subject, Quantity.LATENCY_NS_P99),
        ),
        f"Writes, each made durable by {means},",
    )


_DURABLE: Final = {
    Sync.FDATASYNC: ("Write + fdatasync", "fdatasync"),
    Sync.DSYNC: ("Write, O_DSYNC", "O_DSYNC"),
}


def _rate_kept(kind: Kind) -> HeadlineGroup | None:
    """The highest rate that was kept, where nothing but open loops was measured."""
    cells = at_one_size(kind.cells)

    def figures_of(cell: CellEstimate) -> tuple[HeadlineFigure, ...]:
        figures = cell.of(kind.whole)
        if figures is None or figures.saturated:
            return ()
        rate = _figures(cell, kind.whole, Quantity.IOPS, "rate")
        return (*rate, *_percentile(cell, kind.whole, Quantity.LATENCY_NS_P99))

    return _best(f"{kind_id(kind)}-rate", name_at(kind, cells[0]), cells, figures_of, operations_at(kind, cells[0]))


def _tail(estimates: RunEstimates) -> HeadlineGroup | None:
    """The tail of random reads at depth 8 or, where that was not measured, of the first tail cells of the plan."""
    cells = estimates.of(Experiment.TAIL)
    if not cells:
        return None
    usual = [
        cell
        for cell in cells
        if cell.workload.operations_in_flight_each == TAIL_DEPTH
        and cell.direction is Operation.READ
        and cell.workload.pattern is Access.RANDOM
        and is_plain(cell.workload)
        and not cell.workload.is_open_loop
    ]
    chosen = at_one_size(usual)[:1] or [next((cell for cell in cells if cell.subject is not None), cells[0])]
    asked = chosen[0].workload
    label = operations_label(asked).removeprefix(f"{asked.size_text} ")
    return _best(
        "random-read-tail" if usual else "tail",
        f"Tail of {label}",
        chosen,
        lambda cell: _each_kind(
            cell,
            lambda each, operation: (
                *_percentile(each, operation, Quantity.LATENCY_NS_P99_9),
                *_percentile(each, operation, Quantity.LATENCY_NS_P99_99),
            ),
        ),
        label,
    )


def _best(
    identity: str,
    name: str,
    cells: Sequence[CellEstimate],
    figures_of: Callable[[CellEstimate], Sequence[HeadlineFigure]],
    operations: str = "",
) -> HeadlineGroup:
    """The cell whose first figure is greatest; there is at least one."""
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
        return "no rate that was asked for was kept"
    return why_no_figures(cells[0])


def _where(cell: CellEstimate, group: str) -> str:
    """Depth or rate; with the block size, where the group's name leaves it open, and of durable writes the pattern."""
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


def _figures(cell: CellEstimate, operation: Operation, quantity: Quantity, name: str) -> tuple[HeadlineFigure, ...]:
    estimates = cell.of(operation)
    if estimates is None:
        return ()
    return (HeadlineFigure(**vars(figure_of(quantity, estimates, cell.cell)), name=name),)


def _percentile(cell: CellEstimate, operation: Operation, quantity: Quantity) -> tuple[HeadlineFigure, ...]:
    percent = quantity.percent
    assert percent is not None, "it is a percentile"
    found = _figures(cell, operation, quantity, percent_label(percent))
    if not found:
        return ()
    known = cell.operations[operation].percentile(percent)
    return tuple(replace(figure, lowest=known.lowest_ns, highest=known.highest_ns) for figure in found)
