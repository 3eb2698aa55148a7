"""The tables beside percentiles: how well each is known, and how far repeats agree."""

from collections.abc import Callable, Sequence

from iosonde.analysis.cells import CellEstimate, PercentileEstimate
from iosonde.analysis.histogram import PERCENTS, SAMPLES_BEYOND_MIN, percent_label
from iosonde.charts.quantities import NO_VALUE, LatencyUnit, latency_unit
from iosonde.report.result_tables import Head, Line, ResultTable, ends_text


def percentile_interval_table(cells: Sequence[CellEstimate]) -> ResultTable:
    """How well each percentile is known."""
    return _percentile_table(
        cells, "95 % intervals of the percentiles above.", _interval_text, "too few samples for one"
    )


def tail_range_table(cells: Sequence[CellEstimate]) -> ResultTable:
    """How far the repeats of the tail cells agree: each percentile's extremes over them."""
    return _percentile_table(
        cells,
        "The lowest and the highest of the repeats' own percentiles; percentiles are never averaged.",
        _range_text,
        f"not every repeat alone has {SAMPLES_BEYOND_MIN} samples beyond it",
    )


def _percentile_table(
    cells: Sequence[CellEstimate], caption: str, text: Callable[[PercentileEstimate, LatencyUnit], str], why_none: str
) -> ResultTable:
    shown = [(cell, figures) for cell in cells if (figures := cell.subject) is not None]
    unit = latency_unit(figures.latency_ns_mean.mean for _, figures in shown)
    heads = (Head("Cell", number=False), *(Head(percent_label(percent), unit.name) for percent in PERCENTS))
    lines = tuple(Line((cell.cell, *(text(each, unit) for each in figures.percentiles))) for cell, figures in shown)
    has_gaps = any(NO_VALUE in line.texts for line in lines)
    return ResultTable(
        caption=caption, heads=heads, lines=lines, notes=(f"{NO_VALUE}: {why_none}.",) if has_gaps else ()
    )


def _interval_text(percentile: PercentileEstimate, unit: LatencyUnit) -> str:
    return ends_text(percentile.low_ns, percentile.high_ns, unit)


def _range_text(percentile: PercentileEstimate, unit: LatencyUnit) -> str:
    return ends_text(percentile.lowest_ns, percentile.highest_ns, unit)
