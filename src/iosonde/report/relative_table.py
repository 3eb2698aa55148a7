"""The table of a sweep of depths against its shallowest one."""

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
    """Each sweep of depths against its first one, a mix as a whole: what so many times the depth buys and costs."""
    heads = (
        Head("Cell", number=False),
        Head("Counted", number=False),
        Head("Depth", "times the first"),
        Head("Depth", "achieved"),
        Head("IOPS", "against the first"),
        Head("Mean latency", "times the first"),
        Head("p99", "times the first"),
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
        caption="Each depth against the shallowest one of its workload; + 100 % is twice as many.",
        heads=heads,
        lines=tuple(lines),
        notes=() if lines else (f"No multiples: {'; '.join(gaps)}.",),
    )


def _against(figures: OperationEstimate, base: OperationEstimate) -> tuple[str, str, str]:
    tail_ns, base_tail_ns = figures.percentile(99.0).value_ns, base.percentile(99.0).value_ns
    return (
        f"{100 * (figures.iops.mean / base.iops.mean - 1):+,.0f} %",
        f"{figures.latency_ns_mean.mean / base.latency_ns_mean.mean:,.2f} x"
        if base.latency_ns_mean.mean
        else Dash("the mean latency of the first is zero"),
        f"{tail_ns / base_tail_ns:,.2f} x"
        if tail_ns and base_tail_ns
        else Dash(why_no_percentile(figures, 99.0) or f"of the first: {why_no_percentile(base, 99.0)}"),
    )
