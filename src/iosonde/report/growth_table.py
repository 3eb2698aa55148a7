"""Tables of a sweep relative to its first row: by queue depth, block size or read percentage, and by operation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.contrasts import Multiple, multiple_of
from iosonde.analysis.families import Along, Family, drawn_classes, families_of
from iosonde.analysis.histogram import percent_label
from iosonde.analysis.missing_reasons import why_no_percentile
from iosonde.charts.figure import why_no_figures
from iosonde.charts.ratio_texts import ratio_text
from iosonde.records import Experiment, Operation, Workload
from iosonde.report.contrast_words import SINGLE_REPEAT, TOO_WIDE
from iosonde.report.dashes import Dash
from iosonde.report.result_tables import achieved_text, in_order
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_size

PERCENTS: Final = (95.0, 99.0)
FIRST_ROW: Final = "this row is the basis of the comparison"
NO_MEAN: Final = "the first row has a mean latency of 0"

_ALONG: Final = {
    Experiment.QUEUE_DEPTH: (Along.DEPTH,),
    Experiment.BLOCK_SIZE: (Along.BLOCK_SIZE,),
    Experiment.MIX: (Along.READ_SHARE,),
    Experiment.MATRIX: (Along.DEPTH, Along.BLOCK_SIZE, Along.READ_SHARE, Along.SPAN, Along.OFFSET),
}
"""The parameters along which each kind of experiment is compared with its first row."""

_CAPTIONS: Final = {
    Along.DEPTH: "the lowest queue depth",
    Along.BLOCK_SIZE: "the smallest block size",
    Along.SPAN: "the smallest test region",
    Along.OFFSET: "the smallest offset",
    Along.READ_SHARE: "the mix with the largest share of the operation",
}


@dataclass(frozen=True)
class _Row:
    """A class of operations of a cell, the row that it is compared with, and the number of such comparisons."""

    point: tuple[CellEstimate, OperationEstimate]
    first: tuple[CellEstimate, OperationEstimate]
    comparisons: int


def growth_tables(kind: Experiment, cells: Sequence[CellEstimate]) -> list[ResultTable]:
    """A table for each parameter that varies. Each row is compared with the first row of its workload and operation."""
    ordered = in_order(kind, [cell for cell in cells if not cell.workload.is_open_loop])
    tables = []
    for along in _ALONG.get(kind, ()):
        families = [family for family in families_of(ordered, along) if len(family.cells) > 1]
        gaps = [why_no_figures(cell, cell.workload.subject) for family in families for cell in _unknown(family)]
        lines = [_line(row, along) for family in families for row in _rows(family, along)]
        if lines or gaps:
            notes = (f"No comparison: {'; '.join(dict.fromkeys(gaps))}.",) if gaps else ()
            tables.append(ResultTable(_caption(along), _heads(along), tuple(lines), notes))
    return tables


def _unknown(family: Family) -> list[CellEstimate]:
    return [cell for cell in family.cells if cell.subject is None]


def _caption(along: Along) -> str:
    return f"Results relative to {_CAPTIONS[along]}, for each workload and operation."


def _heads(along: Along) -> tuple[Head, ...]:
    varied = {
        Along.DEPTH: (Head("QD", "ratio"), Head("QD", "achieved")),
        Along.BLOCK_SIZE: (Head("Block size", "ratio"),),
        Along.READ_SHARE: (Head("Reads", "%"),),
        Along.SPAN: (Head("Test region"),),
        Along.OFFSET: (Head("Offset"),),
    }[along]
    bandwidth = (Head("Bandwidth", "ratio"),) if along is Along.BLOCK_SIZE else ()
    return (
        Head("Cell", number=False),
        Head("Operation", number=False),
        *varied,
        Head("IOPS", "change, %"),
        Head("95 % CI", number=False),
        *bandwidth,
        Head("Mean latency", "ratio"),
        *(Head(percent_label(percent), "ratio") for percent in PERCENTS),
    )


def _rows(family: Family, along: Along) -> Iterator[_Row]:
    """The rows of each operation of a workload. The first row of writes in a mix is that with the most writes."""
    # All operations together are compared over the mixes and the pure workloads at their ends.
    whole = (Operation.ALL,) if along is Along.READ_SHARE else ()
    named = (operation for cell in family.cells for operation in drawn_classes(cell.workload))
    for operation in dict.fromkeys(named):
        shown = [
            (cell, figures)
            for cell in family.cells
            if operation in {*drawn_classes(cell.workload), *whole}
            and (figures := cell.of(operation)) is not None
            and figures.iops.mean > 0
        ]
        if along is Along.READ_SHARE and operation is not Operation.WRITE:
            shown.reverse()
        for point in shown if len(shown) > 1 else ():
            yield _Row(point, shown[0], len(shown) - 1)


def _line(row: _Row, along: Along) -> Line:
    (cell, figures), (first, base) = row.point, row.first
    iops = multiple_of(figures.iops, base.iops, row.comparisons)
    is_first = cell is first
    bandwidth = (
        (f"{ratio_text(figures.bytes_per_s.mean / base.bytes_per_s.mean)} x",) if along is Along.BLOCK_SIZE else ()
    )
    texts = (
        cell.cell,
        str(figures.operation),
        *_varied(along, cell, first),
        _change(iops.value),
        Dash(FIRST_ROW) if is_first else _interval(iops),
        *bandwidth,
        *_latencies(figures, base),
    )
    return Line(texts, rests_on=() if is_first else (first.cell,))


def _varied(along: Along, cell: CellEstimate, first: CellEstimate) -> tuple[str, ...]:
    if along is Along.DEPTH:
        return f"{_plain(cell.queue_depth_asked / first.queue_depth_asked)} x", achieved_text(cell)
    if along is Along.BLOCK_SIZE:
        return (f"{_plain(cell.workload.bytes_per_operation / first.workload.bytes_per_operation)} x",)
    if along is Along.SPAN:
        return (region_text(cell.workload),)
    if along is Along.OFFSET:
        return (format_size(cell.workload.offset_bytes),)
    return (str(cell.workload.read_percent),)


def region_text(workload: Workload) -> str:
    """The size of the test region of a workload."""
    return "whole" if workload.span_bytes is None else format_size(workload.span_bytes)


def _plain(ratio: float) -> str:
    """A ratio without an exponent, and without decimals if it is a whole number."""
    return f"{ratio:,.0f}" if ratio.is_integer() else f"{ratio:,.2f}"


def _change(ratio: float) -> str:
    percent = 100 * (ratio - 1)
    return f"{percent:+,.1f}" if abs(percent) < 99.95 else f"{percent:+,.0f}"  # noqa: PLR2004 - one digit less


def _interval(iops: Multiple) -> str:
    if iops.ratio is None:
        return Dash(SINGLE_REPEAT)
    return Dash(TOO_WIDE) if iops.is_wide else f"{_change(iops.ratio.low)} to {_change(iops.ratio.high)}"


def _latencies(figures: OperationEstimate, base: OperationEstimate) -> tuple[str, ...]:
    mean_ns = base.latency_ns_mean.mean
    mean = f"{ratio_text(figures.latency_ns_mean.mean / mean_ns)} x" if mean_ns else Dash(NO_MEAN)
    return mean, *(_percentile(figures, base, percent) for percent in PERCENTS)


def _percentile(figures: OperationEstimate, base: OperationEstimate, percent: float) -> str:
    value_ns, base_ns = figures.percentile(percent).value_ns, base.percentile(percent).value_ns
    if value_ns and base_ns:
        return f"{ratio_text(value_ns / base_ns)} x"
    return Dash(why_no_percentile(figures, percent) or f"in the first row, {why_no_percentile(base, percent)}")
