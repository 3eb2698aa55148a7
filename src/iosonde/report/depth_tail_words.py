"""How latency percentiles grow with queue depth, and how deep the queue can be with p99 below a limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple
from iosonde.analysis.depth_tails import (
    DEPTHS_MIN,
    MULTIPLE_MAX,
    STEP_PERCENTS,
    DepthTails,
    Position,
    TailAtDepth,
    below_count,
    depth_tails_of,
)
from iosonde.analysis.histogram import TAIL_PERCENT, percent_label
from iosonde.analysis.missing_reasons import why_no_percentile, why_no_percentile_interval
from iosonde.charts.quantities import cell_depth_label, more_in_table, operations_label, plural
from iosonde.charts.ratio_texts import multiple_text, ratio_ends, times_text
from iosonde.records import Operation
from iosonde.report.dashes import Dash
from iosonde.report.parentheses import in_parentheses, with_note
from iosonde.report.result_tables import achieved_text
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_latency

TOLD_MAX: Final = 4
"""The most sentences on classes of operations. The table has all of them."""

NO_STEP: Final = "this row is the lowest depth"
_INTERVALS: Final = (
    "Confidence intervals (CI) of the growth hold together for all steps of a sweep. Those of the ratio to the lowest "
    "depth apply to one depth each."
)
_FACTOR: Final = f"{MULTIPLE_MAX:g}"
_VERDICTS: Final = {Position.BELOW: "yes", Position.ABOVE: "no", Position.UNDECIDED: "undecided"}


def depth_tail_sentences(cells: Sequence[CellEstimate]) -> list[str]:
    """Up to which depth p99 is at most ``MULTIPLE_MAX`` times its lowest-depth value, and its largest growth.

    All operations of a mix together are only in the table, because the tail of reads is not that of writes.
    """
    every = depth_tails_of(cells)
    found = [each for each in every if each.operation is not Operation.ALL]
    rest = more_in_table(len(found) - TOLD_MAX, "class of operations", "classes of operations")
    return [*(_sentence(each) for each in found[:TOLD_MAX]), *rest]


@dataclass(frozen=True)
class DepthVerdict:
    """The comparison of one depth with a limit. ``value`` is the compared value, ``why`` the reason for unknown."""

    cell: CellEstimate
    position: Position
    value: str
    why: str = ""


def limit_clause(verdicts: Sequence[DepthVerdict]) -> str:
    """``up to depth 8 (…); at depth 16, it is above (…)``: the deepest depth below, and the next one."""
    number = below_count([each.position for each in verdicts])
    below, beyond = verdicts[:number], verdicts[number:]
    upto = _up_to(below)
    if not beyond:
        return f"{upto}, the highest measured."
    following, *deeper = beyond
    depth = cell_depth_label(following.cell)
    again = [cell_depth_label(each.cell) for each in deeper if each.position is Position.BELOW]
    but = f", but it is below at {', '.join(again)}" if again else ""
    if following.position is Position.UNKNOWN:
        return f"{upto}; at {depth}, this is unknown {in_parentheses(following.why)}{but}."
    side = "it is above" if following.position is Position.ABOVE else "this is undecided"
    return f"{upto}; at {depth}, {side} {in_parentheses(following.value)}{but}."


def _up_to(below: Sequence[DepthVerdict]) -> str:
    if not below:
        return "at no depth that is certain"
    deepest = below[-1]
    name = with_note(cell_depth_label(deepest.cell), deepest.value) if deepest.value else cell_depth_label(deepest.cell)
    return f"up to {name}" if len(below) > 1 else f"only at {name}"


def class_label(tails: DepthTails) -> str:
    """``4 KiB random reads``; for a mix, ``reads of 4 KiB random 70/30 mix``."""
    workload = tails.lowest.cell.workload
    label = operations_label(workload)
    return label if workload.only_operation is not None else f"{plural(tails.operation)} of {label}"


def _sentence(tails: DepthTails) -> str:
    name, lowest = class_label(tails), tails.lowest
    value_ns = lowest.figures.percentile(TAIL_PERCENT).value_ns
    depth = cell_depth_label(lowest.cell)
    if value_ns is None:
        return f"No limit of depth for p99 of {name}: at {depth}, {why_no_percentile(lowest.figures, TAIL_PERCENT)}."
    verdicts = [DepthVerdict(each.cell, each.position, *_compared(each, lowest)) for each in tails.depths]
    start = with_note(depth, format_latency(value_ns))
    if len(verdicts) == DEPTHS_MIN:
        return _pair(name, start, verdicts[1])
    basis = f"p99 of {name} is at most {_FACTOR} times that at {start}"
    return f"{basis} {limit_clause(verdicts)} {_growth(tails)}".strip()


def _pair(name: str, start: str, deep: DepthVerdict) -> str:
    """A sweep of only two depths: one ratio, and which side of the limit it is on."""
    depth = cell_depth_label(deep.cell)
    if deep.position is Position.UNKNOWN:
        return f"p99 of {name} at {depth} is not compared with that at {start}: {deep.why}."
    sides = {Position.BELOW: "below", Position.ABOVE: "above", Position.UNDECIDED: "not distinguishable from"}
    return f"p99 of {name} at {with_note(depth, deep.value)} is {sides[deep.position]} {_FACTOR} times that at {start}."


def _compared(each: TailAtDepth, lowest: TailAtDepth) -> tuple[str, str]:
    """The ratio with its interval, and why there is none."""
    if each is lowest:
        return "", ""
    if each.of_lowest is None:
        return "", why_no_percentile(each.figures, TAIL_PERCENT)
    why = "" if each.of_lowest.ratio is not None else _why_no_interval(each, lowest)
    return f"{times_text(each.of_lowest)}{_interval(each.of_lowest)}", why


def _why_no_interval(each: TailAtDepth, lowest: TailAtDepth) -> str:
    own = why_no_percentile_interval(each.figures, TAIL_PERCENT)
    return own or f"{why_no_percentile_interval(lowest.figures, TAIL_PERCENT)} (at the lowest depth)"


def _interval(multiple: Multiple) -> str:
    return "" if multiple.ratio is None else f", 95 % CI {ratio_ends(multiple.ratio)}"


def _growth(tails: DepthTails) -> str:
    """The step with the largest growth; nothing without intervals, or if the sweep has only one step."""
    steps = [step for each in tails.depths[1:] if (step := each.of_previous[TAIL_PERCENT]) is not None]
    if len(steps) < 2 or any(step.ratio is None for step in steps):  # noqa: PLR2004 - one step is the whole sweep
        return ""
    if tails.steepest is None:
        return "No step raises it significantly."
    shallow, deep = tails.steepest
    step = deep.of_previous[TAIL_PERCENT]
    assert step is not None
    return (
        f"Largest step: {cell_depth_label(shallow.cell)} to "
        f"{with_note(cell_depth_label(deep.cell), f'{times_text(step)}{_interval(step)}')}."
    )


def depth_tail_table(cells: Sequence[CellEstimate]) -> ResultTable | None:
    """Percentiles of each depth divided by those of the previous depth, and p99 divided by that of the lowest depth.

    None if no workload has results at two depths.
    """
    found = depth_tails_of(cells)
    if not found:
        return None
    return ResultTable(
        caption="Growth of percentiles with queue depth: divided by the value at the next lower depth (growth), and "
        "p99 divided by its value at the lowest depth.",
        heads=(
            Head("Cell", number=False),
            Head("Operation", number=False),
            Head("QD", "achieved"),
            *(Head(f"{percent_label(percent)} growth", "ratio") for percent in STEP_PERCENTS),
            Head("p99 growth, 95 % CI", number=False),
            Head("p99 of lowest QD", "ratio"),
            Head("95 % CI", number=False),
            Head(f"At most {_FACTOR} x", number=False),
        ),
        lines=tuple(_line(tails, each) for tails in found for each in tails.depths),
        notes=(_INTERVALS,),
    )


def _line(tails: DepthTails, each: TailAtDepth) -> Line:
    lowest = tails.lowest
    is_lowest = each is lowest
    texts = (
        each.cell.cell,
        str(tails.operation),
        achieved_text(each.cell),
        *(Dash(NO_STEP) if is_lowest else _ratio(each, percent) for percent in STEP_PERCENTS),
        Dash(NO_STEP) if is_lowest else _ends(each.of_previous[TAIL_PERCENT], each, lowest),
        Dash(NO_STEP) if is_lowest else _value(each.of_lowest, each, TAIL_PERCENT),
        Dash(NO_STEP) if is_lowest else _ends(each.of_lowest, each, lowest),
        Dash(NO_STEP) if is_lowest else _verdict(each, lowest),
    )
    return Line(texts, rests_on=() if is_lowest else (lowest.cell.cell,))


def _ratio(each: TailAtDepth, percent: float) -> str:
    return _value(each.of_previous[percent], each, percent)


def _value(multiple: Multiple | None, each: TailAtDepth, percent: float) -> str:
    if multiple is not None:
        return f"{multiple_text(multiple)} x"
    return Dash(why_no_percentile(each.figures, percent) or "a percentile at a lower depth has too few samples")


def _ends(multiple: Multiple | None, each: TailAtDepth, lowest: TailAtDepth) -> str:
    if multiple is None:
        return _value(None, each, TAIL_PERCENT)
    return Dash(_why_no_interval(each, lowest)) if multiple.ratio is None else ratio_ends(multiple.ratio)


def _verdict(each: TailAtDepth, lowest: TailAtDepth) -> str:
    if each.position is Position.UNKNOWN:
        return _ends(each.of_lowest, each, lowest)
    return _VERDICTS[each.position]
