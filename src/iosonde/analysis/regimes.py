"""The throughput regimes that a repeat went through, and the stalls in between.

A change of level that the series shows is a regime change only if both sides of it last. What holds a target back for
some hundred milliseconds and lets it go again is a stall.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from statistics import fmean, median
from typing import Final

from iosonde.analysis.estimate import LEVEL_SHARE_MIN
from iosonde.analysis.series import find_changes
from iosonde.analysis.totals import count_all, iops_of, measured_intervals
from iosonde.records import CellRecord, IntervalRecord
from iosonde.units import MILLISECOND_NS, SECOND_NS

REGIME_NS_MIN: Final = SECOND_NS
"""A regime lasts as long, however many intervals that is: a full cache, throttling and collection hold on for seconds,
while a drive's housekeeping (its tables, a read that is tried again, a flush) is over after some hundred ms. Sixty
intervals of an adaptive repeat may be 10 ms each, so that five of them say nothing about what lasts."""

STALL_SHARE_MAX: Final = 0.1
"""What is completed while a target stalls, as a share of what it completes usually, at most."""

STALL_OPERATIONS_MIN: Final = 20.0
"""So many operations would usually have completed in a stall, at least: of independent ones, chance leaves less than a
tenth of them once in a million stretches."""

STALL_NS_MIN: Final = 10 * MILLISECOND_NS
"""A shorter one may be the kernel's, which lets another thread run for as long."""


@dataclass(frozen=True)
class Regime:
    """A stretch of one level: from when to when, counted from where measuring began, and operations a second in it."""

    start_ns: int
    end_ns: int
    iops: float


def regimes_of(record: CellRecord) -> tuple[Regime, ...]:
    """The regimes of one repeat in order: one where its throughput kept its level, none without intervals.

    Where changes part a stretch that did not last, it belongs to the regime that it interrupts, or to the one before.
    """
    measured = measured_intervals(record)
    if not measured:
        return ()
    rates = [iops_of(each) for each in measured]
    begin_ns = measured[0].start_ns
    starts = _starts_of_lasting(measured, rates)
    return tuple(regime_of(measured[first:last], begin_ns) for first, last in pairwise([*starts, len(measured)]))


def _starts_of_lasting(measured: Sequence[IntervalRecord], rates: Sequence[float]) -> list[int]:
    """Where regimes begin: the first one with the series, each other one where another level has begun that lasts."""
    stretches = list(pairwise([0, *find_changes(rates), len(rates)]))
    lasting = [(first, last) for first, last in stretches if _time_ns(measured[first:last]) >= REGIME_NS_MIN]
    starts, level = [0], None
    for first, last in lasting:
        # Single values far off move a mean, and are no level.
        own = median(rates[first:last])
        if level is not None and _differ(level, own):
            starts.append(first)
            level = own
        level = own if level is None else level
    return starts


def _differ(one: float, other: float) -> bool:
    if not one or not other:
        return one != other
    return abs(log(one / other)) >= log(1 + LEVEL_SHARE_MIN)


def regime_of(intervals: Sequence[IntervalRecord], begin_ns: int) -> Regime:
    """A stretch of intervals and its throughput; ``begin_ns`` is when measuring began."""
    count = sum(count_all(each.operations) for each in intervals)
    iops = count * SECOND_NS / _time_ns(intervals)
    return Regime(intervals[0].start_ns - begin_ns, intervals[-1].end_ns - begin_ns, iops)


def stalls_of(record: CellRecord) -> tuple[Regime, ...]:
    """The stretches of a repeat in which next to nothing completed, too short for a regime.

    None where a workload rests by itself, and where so few operations complete that chance leaves such gaps.
    """
    measured = measured_intervals(record)
    if not measured or record.workload.burst_operations is not None:
        return ()
    rates = [iops_of(each) for each in measured]
    # Where it stood still for most of a short repeat, the median of the rates is that of standing still.
    usual = median(rates) or fmean(rates)
    begin_ns = measured[0].start_ns
    found = (regime_of(measured[first:last], begin_ns) for first, last in _runs(rates, usual * STALL_SHARE_MAX))
    return tuple(each for each in found if _is_stall(each, usual))


def _is_stall(stretch: Regime, usual: float) -> bool:
    time_ns = stretch.end_ns - stretch.start_ns
    return STALL_NS_MIN <= time_ns < REGIME_NS_MIN and usual * time_ns / SECOND_NS >= STALL_OPERATIONS_MIN


def _runs(rates: Sequence[float], most: float) -> list[tuple[int, int]]:
    """Where values of at most so much follow each other: from which place up to which."""
    low = [rate <= most for rate in rates]
    edges = [
        index for index in range(len(low) + 1) if (index > 0 and low[index - 1]) != (index < len(low) and low[index])
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _time_ns(intervals: Sequence[IntervalRecord]) -> int:
    return sum(each.end_ns - each.start_ns for each in intervals)
