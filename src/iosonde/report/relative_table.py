"""The table of a queue-depth sweep relative to its lowest depth."""

from collections.abc import Sequence

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.families import Along, families_of
from iosonde.analysis.missing_reasons import why_no_percentile
from iosonde.charts.figure import why_no_figures
from iosonde.records import Experiment
from iosonde.report.dashes import Dash
from iosonde.report.result_tables import achieved_text, in_order
from iosonde.report.tables import Head, Line, ResultTable


def relative_table(cells: Sequence[CellEstimate]) -> ResultTable:
    """IOPS, mean latency and p99 at each depth of a sweep, relative to its lowest depth. A mix is one workload."""
    heads = (
        Head("Cell", number=False),
        Head("Operation", number=False),
        Head("QD", "ratio"),
        Head("QD", "achieved"),
        Head("IOPS", "change"),
        Head("Mean latency", "ratio"),
        Head("p99", "ratio"),
    )
    lines: list[Line] = []
    gaps: list[str] = []
    for family in families_of(in_order(Experiment.QUEUE_DEPTH, cells), Along.DEPTH):
        points = [(cell, figures) for cell in family.cells if (figures := cell.of(family.whole)) is not None]
        gaps += [why_no_figures(cell, family.whole) for cell in family.cells if cell.of(family.whole) is None]
        for cell, figures in points:
            first, base = points[0]
            times = f"{cell.queue_depth_asked / first.queue_depth_asked:g} x"
            texts = (cell.cell, str(family.whole), times, achieved_text(cell), *_against(figures, base))
            lines.append(Line(texts, rests_on=first.cell))
    return ResultTable(
        caption="Change in IOPS, and ratios of depth and latency, relative to the lowest queue depth of each workload.",
        heads=heads,
        lines=tuple(lines),
        notes=() if lines else (f"No comparison: {'; '.join(gaps)}.",),
    )


def _against(figures: OperationEstimate, base: OperationEstimate) -> tuple[str, str, str]:
    tail_ns, base_tail_ns = figures.percentile(99.0).value_ns, base.percentile(99.0).value_ns
    return (
        f"{100 * (figures.iops.mean / base.iops.mean - 1):+,.0f} %",
        f"{figures.latency_ns_mean.mean / base.latency_ns_mean.mean:,.2f} x"
        if base.latency_ns_mean.mean
        else Dash("the mean latency at the lowest depth is 0"),
        f"{tail_ns / base_tail_ns:,.2f} x"
        if tail_ns and base_tail_ns
        else Dash(why_no_percentile(figures, 99.0) or f"at the lowest depth, {why_no_percentile(base, 99.0)}"),
    )
