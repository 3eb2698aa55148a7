"""The states that a repeat went through: one level of throughput after another."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from iosonde.analysis.series import find_changes
from iosonde.analysis.totals import count_all, iops_of, measured_intervals
from iosonde.records import CellRecord, IntervalRecord
from iosonde.units import SECOND_NS


@dataclass(frozen=True)
class Regime:
    """A stretch of one level: from when to when, counted from where measuring began, and operations a second in it."""

    start_ns: int
    end_ns: int
    iops: float


def regimes_of(record: CellRecord) -> tuple[Regime, ...]:
    """The regimes of one repeat in order: one where its throughput kept its level, none without intervals."""
    measured = measured_intervals(record)
    if not measured:
        return ()
    changes = find_changes([iops_of(each) for each in measured])
    begin_ns = measured[0].start_ns
    return tuple(regime_of(measured[first:last], begin_ns) for first, last in pairwise([0, *changes, len(measured)]))


def regime_of(intervals: Sequence[IntervalRecord], begin_ns: int) -> Regime:
    """A stretch of intervals and its throughput; ``begin_ns`` is when measuring began."""
    time_ns = sum(each.end_ns - each.start_ns for each in intervals)
    count = sum(count_all(each.operations) for each in intervals)
    return Regime(intervals[0].start_ns - begin_ns, intervals[-1].end_ns - begin_ns, count * SECOND_NS / time_ns)
