"""How deep the queue can be with p99 below an expected value, from the checks of a file of expected values."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.depth_tails import DepthTails, Position, depth_tails_of
from iosonde.expectations import Checked, CheckedResults, Verdict
from iosonde.report.depth_tail_words import DepthVerdict, class_label, limit_clause
from iosonde.report.expected_words import interval_text, value_text
from iosonde.units import format_latency
from iosonde.vocabulary import Quantity

DEPTHS_MIN: Final = 2
"""A bound on one depth of a sweep says nothing about the other depths."""

_POSITIONS: Final = {Verdict.PASS: Position.BELOW, Verdict.FAIL: Position.ABOVE}


def depth_bound_sentences(cells: Sequence[CellEstimate], checked: CheckedResults) -> list[str]:
    """For each upper bound of p99 that applies to several depths of a sweep, up to which depth it is met."""
    return [
        _sentence(tails, bound, checks, checked.name)
        for tails in depth_tails_of(cells)
        for bound, checks in _bounds(tails, checked).items()
        if len(checks) >= DEPTHS_MIN
    ]


def _bounds(tails: DepthTails, checked: CheckedResults) -> dict[float, dict[str, Checked]]:
    """The checks of each bound on this class of operations, by cell."""
    names = {each.cell.cell for each in tails.depths}
    found: dict[float, dict[str, Checked]] = {}
    for each in checked.checks:
        is_bound = each.metric is Quantity.LATENCY_NS_P99 and each.is_at_most
        if is_bound and each.cell in names and each.operation is tails.operation:
            found.setdefault(each.bound, {})[each.cell] = each
    return found


def _sentence(tails: DepthTails, bound: float, checks: dict[str, Checked], name: str) -> str:
    verdicts = [_verdict(each.cell, checks[each.cell.cell]) for each in tails.depths if each.cell.cell in checks]
    return f"p99 of {class_label(tails)} is at most {format_latency(bound)} ({name}) {limit_clause(verdicts)}"


def _verdict(cell: CellEstimate, checked: Checked) -> DepthVerdict:
    low, high = checked.low, checked.high
    # The results of an invalid cell are undecided too, wherever their interval is.
    contains_bound = low is not None and high is not None and low <= checked.bound < high
    position = _POSITIONS.get(checked.verdict, Position.UNDECIDED if contains_bound else Position.UNKNOWN)
    interval = "" if low is None or high is None else f", 95 % CI {interval_text(checked)}"
    return DepthVerdict(cell, position, f"{value_text(checked.metric, checked.value)}{interval}", checked.why)
