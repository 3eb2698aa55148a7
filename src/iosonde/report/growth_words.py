"""How far latency grows from the smallest to the largest block size, and what the deepest queue gains and costs."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.contrasts import Multiple, multiple_of
from iosonde.analysis.families import Along, CellGroup, drawn_classes, families_of
from iosonde.charts.names import names_of
from iosonde.charts.quantities import cell_depth_label, operations_label, plural
from iosonde.charts.ratio_texts import ratio_ends, times_text
from iosonde.records import Operation
from iosonde.report.contrast_words import interval_text
from iosonde.report.headline_figures import SweptKnee

TOLD_MAX: Final = 6
"""The most workloads and operations in the sentence on latency. The table has all of them."""

DEPTHS_TOLD_MAX: Final = 2
"""The most sweeps over depths with a sentence. The table has all of them."""


@dataclass(frozen=True)
class _Ends:
    """The first and the last cell of a sweep with results, for one class of operations."""

    cells: tuple[CellEstimate, CellEstimate]
    figures: tuple[OperationEstimate, OperationEstimate]

    @property
    def operation(self) -> Operation:
        return self.figures[0].operation

    def latency(self, comparisons: int) -> Multiple:
        first, last = self.figures
        return multiple_of(last.latency_ns_mean, first.latency_ns_mean, comparisons)

    def iops(self, comparisons: int) -> Multiple:
        first, last = self.figures
        return multiple_of(last.iops, first.iops, comparisons)


def size_growth_sentences(cells: Sequence[CellEstimate]) -> list[str]:
    """Mean latency at the largest block size compared with the smallest, for each workload and operation.

    Nothing without intervals. The intervals hold together for all that have the same two sizes.
    """
    families = [
        family
        for family in families_of([cell for cell in cells if not cell.workload.is_open_loop], Along.BLOCK_SIZE)
        if len(family.cells) > 1
    ]
    groups: dict[tuple[str, str], list[tuple[str, _Ends]]] = {}
    for name, family in zip(names_of(families, Along.BLOCK_SIZE), families, strict=True):
        for ends in _ends_of(family):
            first, last = ends.cells
            label = f"{plural(ends.operation)} of {name}" if family.is_mix else name
            groups.setdefault((first.workload.size_text, last.workload.size_text), []).append((label, ends))
    return [sentence for sizes, named in groups.items() if (sentence := _latencies(sizes, named))]


def _latencies(sizes: tuple[str, str], named: Sequence[tuple[str, _Ends]]) -> str:
    multiples = [(label, ends.latency(len(named))) for label, ends in named]
    parts = [f"{label} {_change(multiple)}" for label, multiple in multiples if multiple.ratio is not None]
    if not parts:
        return ""
    first, last = sizes
    more = f"; see the table for {len(parts) - TOLD_MAX} more" if len(parts) > TOLD_MAX else ""
    return f"Mean latency at {last} compared with {first}: {', '.join(parts[:TOLD_MAX])}{more}."


def depth_growth_sentences(knees: Sequence[SweptKnee], invalid: Collection[str]) -> list[str]:
    """What the deepest queue gains and costs compared with the shallowest, for sweeps whose knee is not identifiable.

    Nothing without intervals or with an invalid cell. A sweep with a knee has a sentence on what that gains and costs.
    """
    unknown = [each.sweep for each in knees if each.knee.point is None]
    sweeps = [each for each in unknown if not any(cell.cell in invalid for cell in each.cells)]
    sentences = [sentence for sweep in sweeps if (sentence := _depths(sweep))]
    return sentences[:DEPTHS_TOLD_MAX]


def _depths(sweep: CellGroup) -> str:
    known = list(_ends_of(sweep))
    parts = [
        f"{_whose(ends, sweep)}{_gain(ends.iops(len(known)))} and {_cost(ends.latency(len(known)))}"
        for ends in known
        if ends.iops(1).ratio is not None and ends.latency(1).ratio is not None
    ]
    if not parts:
        return ""
    first, last = (cell_depth_label(each) for each in known[0].cells)
    return f"{operations_label(sweep.workload)} at {last} compared with {first}: {'; '.join(parts)}."


def _whose(ends: _Ends, sweep: CellGroup) -> str:
    return "" if len(drawn_classes(sweep.workload)) == 1 else f"{plural(ends.operation)} have "


def _gain(multiple: Multiple) -> str:
    return f"{_change(multiple)} the IOPS" if _differs(multiple) else _unchanged(multiple, " in IOPS")


def _cost(multiple: Multiple) -> str:
    return f"{_change(multiple)} the mean latency" if _differs(multiple) else _unchanged(multiple, " in mean latency")


def _differs(multiple: Multiple) -> bool:
    return multiple.ratio is not None and multiple.ratio.differs


def _change(multiple: Multiple) -> str:
    return f"{times_text(multiple)}{interval_text(multiple)}" if _differs(multiple) else _unchanged(multiple)


def _unchanged(multiple: Multiple, of: str = "") -> str:
    """That a change is not significant, and how large it may be: a wide interval does not mean "equal"."""
    assert multiple.ratio is not None
    ratio = f"ratio {ratio_ends(multiple.ratio)}"
    if multiple.ratio.is_undecided:
        return f"a change{of} that is too uncertain to judge ({ratio})"
    return f"no significant change{of} ({ratio})"


def _ends_of(group: CellGroup) -> Iterator[_Ends]:
    """The ends of a sweep for each class of operations of its workload, without all operations of a mix together."""
    for operation in drawn_classes(group.workload):
        if operation is Operation.ALL:
            continue
        shown = [
            (cell, figures)
            for cell in group.cells
            if (figures := cell.of(operation)) is not None
            and figures.iops.mean > 0
            and figures.latency_ns_mean.mean > 0
        ]
        if len(shown) > 1:
            (first, first_figures), *_, (last, last_figures) = shown
            yield _Ends((first, last), (first_figures, last_figures))
