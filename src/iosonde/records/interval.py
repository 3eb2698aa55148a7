"""What happened in one stretch of a cell."""

from typing import Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from iosonde.records.base import COMPACT
from iosonde.records.histogram import Histogram
from iosonde.vocabulary import Operation, Phase


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Times:
    """A distribution of times, nanoseconds. Minimum, maximum and sum are exact, not from buckets."""

    ns_sum: int
    ns_min: int
    ns_max: int
    histogram: Histogram


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class OperationTotals:
    """One class of operations over a stretch of time, counted at completion.

    ``latency`` is service latency: reap minus submit. Minimum, maximum and sum are exact, not from buckets.
    ``response`` is reap minus the moment at which an operation was wanted, ``lag`` is submit minus that moment, and
    ``host_lag`` the part of the lag in which the queue had a place: how late the engine itself was. All are None in a
    closed loop, where nothing is wanted at a moment.
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
    """One interval, or several that the engine had to merge (``interval_first`` < ``interval_last``).

    Times are the engine's. ``in_flight_ns`` is the number of operations in flight integrated over time: divided by
    the interval's length it is the achieved queue depth; None where the engine does not know it. ``backlog_ns`` is the
    part of it in which operations had completed and the engine had not taken them yet, estimated from one look in 64:
    the rest was in flight at the device. None where nobody looked. ``kernel_workers`` is
    how many kernel threads io_uring had for its operations meanwhile, at most; None for other engines.
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
"""Reads intervals from JSON and writes them, each on its own."""
