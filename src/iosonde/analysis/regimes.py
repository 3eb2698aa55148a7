"""The throughput regimes of a repeat, and its stalls.

A level change in the time series is a regime change only if both levels last. An interruption of some hundred
milliseconds is a stall.
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
"""The shortest regime, regardless of the number of intervals. A full cache, throttling and garbage collection last for
seconds, while a drive's housekeeping (mapping tables, read retries, a flush) takes some hundred ms. The intervals of an
adaptive repeat may be 10 ms long, so five of them do not show a lasting level."""

STALL_SHARE_MAX: Final = 0.1
"""The highest throughput during a stall, as a share of the usual throughput."""

STALL_OPERATIONS_MIN: Final = 20.0
"""The least number of operations that usually complete in the time of a stall. If operations are independent, less than
a tenth of them complete by chance once in a million cases."""

STALL_NS_MIN: Final = 10 * MILLISECOND_NS
"""A shorter interruption may be the kernel's scheduler running another thread."""


@dataclass(frozen=True)
class Regime:
    """A period of constant throughput: its start and end from the start of the measurement, and its IOPS."""

    start_ns: int
    end_ns: int
    iops: float


def regimes_of(record: CellRecord) -> tuple[Regime, ...]:
    """The regimes of one repeat in order: one if its throughput was level, none without intervals.

    A period between two changes that is too short belongs to the regime that it interrupts, or to the previous one.
    """
    measured = measured_intervals(record)
    if not measured:
        return ()
    rates = [iops_of(each) for each in measured]
    begin_ns = measured[0].start_ns
    starts = _starts_of_lasting(measured, rates)
    return tuple(regime_of(measured[first:last], begin_ns) for first, last in pairwise([*starts, len(measured)]))


def _starts_of_lasting(measured: Sequence[IntervalRecord], rates: Sequence[float]) -> list[int]:
    """The indices at which regimes start: the first at 0, each other one where a different, lasting level starts."""
    stretches = list(pairwise([0, *find_changes(rates), len(rates)]))
    lasting = [(first, last) for first, last in stretches if _time_ns(measured[first:last]) >= REGIME_NS_MIN]
    starts, level = [0], None
    for first, last in lasting:
        # Outliers move a mean, but do not change the level.
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
    """A sequence of intervals and its throughput. ``begin_ns`` is the start of the measurement."""
    count = sum(count_all(each.operations) for each in intervals)
    iops = count * SECOND_NS / _time_ns(intervals)
    return Regime(intervals[0].start_ns - begin_ns, intervals[-1].end_ns - begin_ns, iops)


def stalls_of(record: CellRecord) -> tuple[Regime, ...]:
    """The periods of a repeat in which almost nothing completed, and which are too short for a regime.

    There are none for a workload with pauses of its own, or if so few operations complete that such gaps occur by
    chance.
    """
    measured = measured_intervals(record)
    if not measured or record.workload.has_pauses:
        return ()
    rates = [iops_of(each) for each in measured]
    # If the target stalled for most of a short repeat, the median rate is that of the stall.
    usual = median(rates) or fmean(rates)
    begin_ns = measured[0].start_ns
    found = (regime_of(measured[first:last], begin_ns) for first, last in _runs(rates, usual * STALL_SHARE_MAX))
    return tuple(each for each in found if _is_stall(each, usual))


def _is_stall(stretch: Regime, usual: float) -> bool:
    time_ns = stretch.end_ns - stretch.start_ns
    return STALL_NS_MIN <= time_ns < REGIME_NS_MIN and usual * time_ns / SECOND_NS >= STALL_OPERATIONS_MIN


def _runs(rates: Sequence[float], most: float) -> list[tuple[int, int]]:
    """The runs of consecutive values of at most ``most``: start and end index of each."""
    low = [rate <= most for rate in rates]
    edges = [
        index for index in range(len(low) + 1) if (index > 0 and low[index - 1]) != (index < len(low) and low[index])
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _time_ns(intervals: Sequence[IntervalRecord]) -> int:
    return sum(each.end_ns - each.start_ns for each in intervals)
