"""One interval of a cell."""

from typing import Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from iosonde.records.base import COMPACT
from iosonde.records.histogram import Histogram
from iosonde.vocabulary import Operation, Phase


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Times:
    """A distribution of times in nanoseconds. Minimum, maximum and sum are exact, not from buckets."""

    ns_sum: int
    ns_min: int
    ns_max: int
    histogram: Histogram


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class OperationTotals:
    """The totals of one operation over a period of time, counted at completion.

    ``latency`` is service time: reap time minus submission time. Minimum, maximum and sum are exact, not from
    buckets. ``response`` is reap time minus intended start, ``lag`` is submission time minus intended start, and
    ``host_lag`` is the part of the lag in which the queue had room, which is the engine's own lag. All three are None
    in a closed loop, which has no intended starts.
    """

    count: int
    bytes: int
    latency_ns_sum: int
    latency_ns_min: int
    latency_ns_max: int
    latency: Histogram
    response: Times | None = None
    lag: Times | None = None
    host_lag: Times | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class IntervalRecord:
    """One interval, or several that the engine merged (``interval_first`` < ``interval_last``).

    Times are those of the engine's clock. ``in_flight_ns`` is the number of operations in flight integrated over time:
    divided by the length of the interval it is the achieved queue depth; None if the engine does not report it.
    ``backlog_ns`` is the part of it in which operations had completed but were not yet reaped, estimated from one poll
    in 64; the rest was in flight at the device. None if it was not sampled. ``kernel_workers`` is the largest number of
    io-wq workers in the interval; None for other engines than io_uring.
    """

    phase: Phase
    interval_first: int
    interval_last: int
    start_ns: int
    end_ns: int
    in_flight_ns: int | None = None
    backlog_ns: int | None = None
    kernel_workers: int | None = None
    operations: dict[Operation, OperationTotals]


INTERVAL_FORM: Final = TypeAdapter(IntervalRecord)
"""Reads and writes single intervals as JSON."""
