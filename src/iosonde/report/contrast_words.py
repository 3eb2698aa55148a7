"""The contrasts of a run in words and as a table: random against sequential, reads against writes, durable or not."""

from collections.abc import Collection, Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import NEAR, Contrast, ContrastSeries, Multiple, contrasts_of, series_of
from iosonde.analysis.ratios import UNDECIDED
from iosonde.charts.quantities import depth_label, more_in_table, operations_label
from iosonde.charts.ratio_texts import multiple_text, ratio_ends, ratio_text, times_text
from iosonde.printing import capital
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_percent

TOLD_MAX: Final = 4
"""The most comparisons with a sentence. The table has all of them."""

UNRESOLVED: Final = 1.25
"""A sentence names a factor that the confidence intervals include only if it is larger than this."""

TOO_WIDE: Final = "the 95 % CI is too wide for a comparison"
NO_P99: Final = "at least one of the two p99 values has too few samples"
NO_P99_INTERVAL: Final = "at least one of the two p99 values has no confidence interval"
SINGLE_REPEAT: Final = "at least one of the two cells has a single repeat"


def contrast_sentences(contrasts: Sequence[Contrast]) -> list[str]:
    """A sentence for each pair of workloads, and a pointer to the table for those beyond ``TOLD_MAX``."""
    series = series_of(contrasts)
    told = [_sentence(each) for each in series[:TOLD_MAX]]
    rest = more_in_table(len(series) - TOLD_MAX, "comparison", "comparisons")
    return [*told, *rest]


def _sentence(series: ContrastSeries) -> str:
    first, last = series.first, series.last
    if first is last:
        verdict = "" if _is_known(first) and not first.iops.is_near else f"; {_verdict(first)}"
        ratio = f"{times_text(first.iops)} the IOPS{interval_text(first.iops)}"
        return f"{capital(_pair(first, sized=True))}: {ratio}{verdict}."
    together = series.together_from
    if together is None:
        end = "they still differ at the largest block size" if _is_known(last) else "no confidence intervals"
    else:
        where = "at any block size" if together is first else f"from {together.one.workload.size_text} on"
        end = _together(series, where)
    parts = [first, *([series.furthest] if series.furthest is not None else []), last]
    ratios = [
        f"{times_text(each.iops)}{' the IOPS' if each is first else ''} at {each.one.workload.size_text}"
        f"{interval_text(each.iops)}"
        for each in parts
    ]
    return f"{capital(_pair(first, sized=False))}: {', '.join(ratios)}; {end}."


def _together(series: ContrastSeries, where: str) -> str:
    """That no difference is significant, and how far apart the two may be if the intervals are wide."""
    factor = series.allows_up_to
    allowed = f"the 95 % CIs include factors of up to {ratio_text(factor)}"
    if factor > UNDECIDED:
        return f"{where}, the data do not decide: {allowed}"
    more = f", but {allowed}" if factor > UNRESOLVED else ""
    return f"no significant difference of more than {format_percent(NEAR)} {where}{more}"


def _is_known(contrast: Contrast) -> bool:
    return contrast.iops.ratio is not None


def _verdict(contrast: Contrast) -> str:
    ratio = contrast.iops.ratio
    if ratio is None:
        return "no confidence interval because a cell has a single repeat"
    if not ratio.differs:
        return "the data do not decide" if ratio.is_undecided else "the difference is not significant"
    return f"the difference is at most {format_percent(NEAR)}"


def _pair(contrast: Contrast, *, sized: bool) -> str:
    """``4 KiB random reads against 4 KiB sequential reads at depth 8``; without sizes if the pair has several."""
    one, other = (
        operations_label(cell.workload).removeprefix("" if sized else f"{cell.workload.size_text} ")
        for cell in (contrast.one, contrast.other)
    )
    return f"{one} against {other} at {depth_label(contrast.one.queue_depth_asked, None)}"


def interval_text(multiple: Multiple) -> str:
    """The interval of a ratio in parentheses, or that it is too wide; empty if there is none."""
    if multiple.ratio is None:
        return ""
    return f" ({TOO_WIDE})" if multiple.is_wide else f" (95 % CI {ratio_ends(multiple.ratio)})"


def contrast_table(contrasts: Sequence[Contrast]) -> ResultTable | None:
    """Every pair of cells with its ratios; None if there is no pair."""
    if not contrasts:
        return None
    heads = tuple(
        head
        for name in ("IOPS", "Mean latency", "p99")
        for head in (Head(name, "ratio"), Head("95 % CI", number=False))
    )
    return ResultTable(
        caption="Cells that differ only in pattern, direction or durability: the results of the first cell divided by "
        "those of the second.",
        heads=(Head("Cell", number=False), Head("Compared with", number=False), *heads),
        lines=tuple(
            Line(
                (
                    each.one.cell,
                    each.other.cell,
                    *_texts(each.iops),
                    *_texts(each.latency_mean),
                    *(
                        _texts(each.latency_p99, NO_P99_INTERVAL)
                        if each.latency_p99 is not None
                        else (Dash(NO_P99),) * 2
                    ),
                ),
                rests_on=(each.other.cell,),
            )
            for each in contrasts
        ),
        notes=("Confidence intervals (CI) of all comparisons that differ in the same property hold together at 95 %.",),
    )


def _texts(multiple: Multiple, why_none: str = SINGLE_REPEAT) -> tuple[str, str]:
    interval = Dash(why_none) if multiple.ratio is None else ratio_ends(multiple.ratio)
    return multiple_text(multiple), interval


def valid_contrasts(cells: Sequence[CellEstimate], invalid: Collection[str]) -> tuple[Contrast, ...]:
    """The contrasts of cells whose results are valid."""
    return contrasts_of(cell for cell in cells if cell.cell not in invalid)
