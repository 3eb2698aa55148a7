"""Computes the headline: the main numbers of a run, as data. The page and the terminal show the same numbers."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import DepthSweep, RunEstimates
from iosonde.analysis.families import Along
from iosonde.analysis.workload_kinds import Kind, at_one_size, is_plain, kinds_of
from iosonde.charts.names import names_of
from iosonde.charts.quantities import operations_label, timing_label
from iosonde.findings.finding import Finding
from iosonde.records import Access, Aim, Experiment, Operation, Sync
from iosonde.report.headline_figures import BEST, Headline, HeadlineFigure, HeadlineGroup, SweptKnee
from iosonde.report.headline_groups import (
    best_group,
    each_kind,
    figures_named,
    mean_and_p99,
    percentile_figures,
)
from iosonde.report.kind_names import kind_id, kind_label, name_at, operations_at
from iosonde.report.marks import invalid_below, with_marks
from iosonde.vocabulary import Quantity

TAIL_DEPTH: Final = 8
KINDS_MAX: Final = 6
"""The most kinds of workload in a headline: with latencies, durable writes and the tail, they fill a screen."""
LATENCIES_MAX: Final = 4


def headline_of(estimates: RunEstimates, findings: Sequence[Finding] = (), aim_ended: Aim | None = None) -> Headline:
    """The headline of a run. It omits what was not planned; a planned group without figures says why it has none.

    It has a group for each kind of workload of the campaign, at one block size (``kinds.py`` selects it).
    ``aim_ended`` is the requested precision of a finished run; figures that missed it have a remark.
    """
    estimates = estimates.without_sustained.without_beside_rounds
    closed = estimates.closed_loops
    kinds = kinds_of(closed.cells)
    # A single kind beyond takes no more room than the line that names it.
    told = kinds if len(kinds) == KINDS_MAX + 1 else kinds[:KINDS_MAX]
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
        untold=tuple(kind_label(kind) for kind in kinds[len(told) :]),
    )


def _swept(sweeps: Sequence[DepthSweep]) -> tuple[SweptKnee, ...]:
    """Each sweep with its names. If two sweeps have the same name, the parts that distinguish them are added."""
    labels = [operations_label(sweep.workload) for sweep in sweeps]
    for suffixes in (
        [_jobs(sweep.workload.jobs) for sweep in sweeps],
        [timing_label(sweep.cells[0].timing) for sweep in sweeps],
        [f"starting at {sweep.cells[0].cell}" for sweep in sweeps],
    ):
        often = Counter(labels)
        if all(
            len({suffix for other, suffix in zip(labels, suffixes, strict=True) if other == label}) == 1
            for label in labels
        ):
            continue
        labels = [
            label if often[label] == 1 else f"{label}, {suffix}" for label, suffix in zip(labels, suffixes, strict=True)
        ]
    names = names_of(sweeps, Along.DEPTH)
    return tuple(SweptKnee(*each) for each in zip(names, labels, sweeps, strict=True))


def _distinguish(labels: Sequence[str], suffixes: Sequence[str]) -> bool:
    """Whether two workloads of one label have different suffixes."""
    return len(set(zip(labels, suffixes, strict=True))) > len(set(labels))


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"


def _best_throughput(kind: Kind) -> HeadlineGroup | None:
    """Bandwidth for sequential workloads, else IOPS. For a mix with flushes: commits per second, and read IOPS."""
    whole = kind.whole

    def figures_of(cell: CellEstimate) -> tuple[HeadlineFigure, ...]:
        if kind.is_stream:
            return figures_named(cell, whole, Quantity.BYTES_PER_S, BEST)
        if whole is Operation.COMMIT:
            beside = figures_named(cell, Operation.READ, Quantity.IOPS, "reads")
            return (*figures_named(cell, whole, Quantity.IOPS, BEST), *beside)
        return figures_named(cell, whole, Quantity.IOPS, BEST)

    cells = kind.compared
    identity = f"{kind_id(kind)}-{'bandwidth' if kind.is_stream else 'iops'}"
    return best_group(identity, name_at(kind, cells[0]), cells, figures_of, operations_at(kind, cells[0]))


def _worth_latency(kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds whose latency at depth 1 is shown. Sequential kinds are shown only if no other kind has one."""
    shallow = [kind for kind in kinds if kind.whole is not Operation.COMMIT and kind.without_queue]
    others = [kind for kind in shallow if not kind.is_stream]
    return (others or shallow)[:LATENCIES_MAX]


def _without_queue(kind: Kind) -> HeadlineGroup | None:
    cells = at_one_size(kind.without_queue)
    return best_group(
        f"{kind_id(kind)}-latency", name_at(kind, cells[0]), cells, lambda cell: each_kind(cell, mean_and_p99)
    )


def _durable_write(estimates: RunEstimates) -> HeadlineGroup | None:
    """Writes followed by fdatasync; if the campaign has none, O_DSYNC writes."""
    writes = [cell for cell in estimates.cells if cell.direction is Operation.WRITE and cell.workload.is_usual]
    flushed = [cell for cell in writes if cell.workload.sync is Sync.FDATASYNC]
    cells = at_one_size(flushed or [cell for cell in writes if cell.workload.sync is Sync.DSYNC])
    if not cells:
        return None
    name, means = _DURABLE[cells[0].workload.sync]
    return best_group(
        "durable-write",
        name,
        cells,
        lambda cell: (
            *figures_named(cell, cell.workload.subject, Quantity.IOPS, "rate"),
            *percentile_figures(cell, cell.workload.subject, Quantity.LATENCY_NS_P99),
        ),
        means,
    )


_DURABLE: Final = {
    Sync.FDATASYNC: ("Write + fdatasync", "Writes followed by fdatasync"),
    Sync.DSYNC: ("Write, O_DSYNC", "Writes with O_DSYNC"),
}


def _rate_kept(kind: Kind) -> HeadlineGroup | None:
    """The highest sustained rate. Used only for runs in which all cells are open loops."""
    cells = at_one_size(kind.cells)

    def figures_of(cell: CellEstimate) -> tuple[HeadlineFigure, ...]:
        figures = cell.of(kind.whole)
        if figures is None or figures.saturated:
            return ()
        rate = figures_named(cell, kind.whole, Quantity.IOPS, "rate")
        return (*rate, *percentile_figures(cell, kind.whole, Quantity.LATENCY_NS_P99))

    return best_group(
        f"{kind_id(kind)}-rate", name_at(kind, cells[0]), cells, figures_of, operations_at(kind, cells[0])
    )


def _tail(estimates: RunEstimates) -> HeadlineGroup | None:
    """The tail of random reads at depth 8; if that was not measured, of the first tail cell with results."""
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
    return best_group(
        "random-read-tail" if usual else "tail",
        f"Tail of {label}",
        chosen,
        lambda cell: each_kind(
            cell,
            lambda each, operation: (
                *percentile_figures(each, operation, Quantity.LATENCY_NS_P99_9),
                *percentile_figures(each, operation, Quantity.LATENCY_NS_P99_99),
            ),
        ),
        label,
    )
