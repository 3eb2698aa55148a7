"""The tables on percentiles: their confidence intervals, and their range over the repeats."""

from collections.abc import Callable, Sequence

from iosonde.analysis.cells import CellEstimate, OperationEstimate, PercentileEstimate
from iosonde.analysis.histogram import PERCENTS, percent_label
from iosonde.analysis.missing_reasons import why_no_percentile_interval, why_no_range
from iosonde.charts.quantities import NO_VALUE, LatencyUnit, latency_unit, significant
from iosonde.records import Experiment
from iosonde.report.dashes import Dash
from iosonde.report.result_tables import in_order, shown_percents
from iosonde.report.tables import Head, Line, ResultTable


def percentile_interval_table(experiment: Experiment, cells: Sequence[CellEstimate]) -> ResultTable | None:
    """The confidence interval of each percentile in the tables of the experiment; None if none has an interval."""
    caption = "95 % confidence intervals of the percentiles above, for the main class of operations of each cell."
    ordered, percents = in_order(experiment, cells), shown_percents(experiment)
    table = _percentile_table(ordered, percents, caption, _interval_text, why_no_percentile_interval)
    return table if any(text != NO_VALUE for line in table.lines for text in line.texts[1:]) else None


def tail_range_table(cells: Sequence[CellEstimate]) -> ResultTable:
    """The lowest and highest value of each percentile over the repeats of the tail cells."""
    return _percentile_table(
        cells,
        PERCENTS,
        "Lowest and highest value of each percentile among the repeats. Percentiles are never averaged.",
        _range_text,
        why_no_range,
    )


def _percentile_table(
    cells: Sequence[CellEstimate],
    percents: Sequence[float],
    caption: str,
    text: Callable[[PercentileEstimate, LatencyUnit], str],
    why_none: Callable[[OperationEstimate, float], str],
) -> ResultTable:
    shown = [(cell, figures) for cell in cells if (figures := cell.subject) is not None]
    unit = latency_unit(figures.latency_ns_mean.mean for _, figures in shown)
    heads = (Head("Cell", number=False), *(Head(percent_label(percent), unit.name) for percent in percents))

    def told(figures: OperationEstimate, percent: float) -> str:
        return text(figures.percentile(percent), unit) or Dash(why_none(figures, percent))

    lines = tuple(Line((cell.cell, *(told(figures, percent) for percent in percents))) for cell, figures in shown)
    return ResultTable(caption=caption, heads=heads, lines=lines, notes=())


def _interval_text(percentile: PercentileEstimate, unit: LatencyUnit) -> str:
    return _ends(percentile.low_ns, percentile.high_ns, unit)


def _range_text(percentile: PercentileEstimate, unit: LatencyUnit) -> str:
    return _ends(percentile.lowest_ns, percentile.highest_ns, unit)


def _ends(low_ns: int | None, high_ns: int | None, unit: LatencyUnit) -> str:
    if low_ns is None or high_ns is None:
        return ""
    return f"{significant(low_ns / unit.ns)} to {significant(high_ns / unit.ns)}"
