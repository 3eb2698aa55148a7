"""Which repeats of a cell belong to the state that the target was left in, and which came before it.

A drive that was just filled is quick until it has to collect what was deleted; a repeat from before that is no repeat
of those behind it. Such repeats stand at the beginning and differ from all that follow by more than these differ from
each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Final

from iosonde.analysis.estimate import REPEATS_MIN, student_t
from iosonde.analysis.series import LEVEL_SHARE_MIN
from iosonde.analysis.totals import count_of
from iosonde.records import CellRecord, Outcome

BEHIND_MIN: Final = 3
"""Repeats behind a change of state that show what is usual there."""

CONFIDENCE: Final = 0.999
"""A campaign asks hundreds of cells: what is usual once in a thousand times is no change of state."""


@dataclass(frozen=True)
class Repeats:
    """The finished repeats of a cell, in the order in which they were measured.

    ``used`` are those that figures come from. ``unsettled`` still moved while they were measured, and ``early`` came
    before the target changed its state; both are left out where enough others are there.
    """

    used: tuple[CellRecord, ...]
    unsettled: tuple[CellRecord, ...]
    early: tuple[CellRecord, ...]


def sort_repeats(records: Sequence[CellRecord]) -> Repeats:
    """Sorts the repeats of one cell."""
    finished = [record for record in records if record.outcome is Outcome.FINISHED and record.measured_ns > 0]
    ordered = sorted(finished, key=lambda record: record.order)
    first = _early(ordered)
    behind = ordered[first:]
    settled = tuple(record for record in behind if record.settled)
    unsettled = tuple(record for record in behind if not record.settled)
    return Repeats(settled if len(settled) >= REPEATS_MIN else tuple(behind), unsettled, tuple(ordered[:first]))


def _early(records: Sequence[CellRecord]) -> int:
    """How many of the first repeats show another state than all others: at most half of them."""
    rates = [_rate(record) for record in records]
    most = min(len(rates) // 2, len(rates) - BEHIND_MIN)
    return next((first for first in range(most, 0, -1) if _differs(rates[:first], rates[first:])), 0)


def _rate(record: CellRecord) -> float:
    return count_of(record.operations, record.workload.subject) / record.measured_ns


def _differs(before: Sequence[float], behind: Sequence[float]) -> bool:
    """Whether each value before differs from those behind, to the same side, by more than these from each other."""
    count = len(behind)
    mean = fsum(behind) / count
    spread = sqrt(fsum((each - mean) ** 2 for each in behind) / (count - 1) * (1 + 1 / count))
    least = max(student_t(count - 1, CONFIDENCE) * spread, LEVEL_SHARE_MIN * mean)
    return all(each - mean > least for each in before) or all(mean - each > least for each in before)
