"""Response time for open loops, service time for closed loops."""

from dataclasses import dataclass, replace

from iosonde.analysis.histogram import PERCENTS, percentiles
from iosonde.records import LatencyKind, OperationTotals, Times, Workload


@dataclass(frozen=True)
class TimesEstimate:
    """A distribution of times merged over all repeats, in nanoseconds.

    ``percentiles_ns`` are those of ``analysis.histogram.PERCENTS``, None if fewer than 10 samples are above.
    """

    ns_mean: float
    ns_min: int
    ns_max: int
    percentiles_ns: tuple[int | None, ...]

    def percentile(self, percent: float) -> int | None:
        """The time at one of ``PERCENTS``."""
        return self.percentiles_ns[PERCENTS.index(percent)]


def latency_kind(workload: Workload) -> LatencyKind:
    """The kind of latency that results of a workload report."""
    return LatencyKind.RESPONSE if workload.is_open_loop else LatencyKind.SERVICE


def leading(totals: OperationTotals) -> OperationTotals:
    """The same totals with the latency of their loop in ``latency``.

    Response time, if known, is the time that a user waits. Service time does not include the wait for a full
    queue, which dominates when a target stalls.
    """
    times = totals.response
    if times is None:
        return totals
    return replace(
        totals,
        latency_ns_sum=times.ns_sum,
        latency_ns_min=times.ns_min,
        latency_ns_max=times.ns_max,
        latency=times.histogram,
    )


def service_of(totals: OperationTotals) -> Times:
    """Service time as a separate distribution."""
    return Times(
        ns_sum=totals.latency_ns_sum,
        ns_min=totals.latency_ns_min,
        ns_max=totals.latency_ns_max,
        histogram=totals.latency,
    )


def estimate_times(times: Times | None) -> TimesEstimate | None:
    """Mean, extremes and percentiles of a distribution; None if it is unknown or empty."""
    if times is None or not times.histogram.count:
        return None
    return TimesEstimate(
        ns_mean=times.ns_sum / sum(times.histogram.count),
        ns_min=times.ns_min,
        ns_max=times.ns_max,
        percentiles_ns=percentiles(times.histogram, PERCENTS, smallest_ns=times.ns_min, largest_ns=times.ns_max),
    )


def percentiles_of(totals: OperationTotals) -> tuple[int | None, ...]:
    """The latency percentiles at ``PERCENTS`` in nanoseconds; None if too few samples support them."""
    return percentiles(totals.latency, PERCENTS, smallest_ns=totals.latency_ns_min, largest_ns=totals.latency_ns_max)
