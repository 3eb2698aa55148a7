"""The values of a cell's repeats and their means, for the estimates of a cell and for the list of runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.estimate import Estimate, Own, estimate, estimate_known
from iosonde.analysis.latency import leading
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, Operation, OperationTotals, Workload
from iosonde.units import SECOND_NS


@dataclass(frozen=True)
class RepeatValues:
    """The values of one operation, one per repeat in each field.

    ``sums`` are the totals as recorded. In ``totals``, ``latency`` is the response time in an open loop, and the
    service time in a closed loop. A repeat without completions has a rate of 0, and neither totals nor a time.
    ``own_rates`` and ``own_times`` are the standard errors of throughput and mean latency that the intervals of each
    repeat give; None if there are too few intervals.
    """

    records: tuple[CellRecord, ...]
    sums: tuple[OperationTotals | None, ...]
    totals: tuple[OperationTotals | None, ...]
    rates: tuple[float, ...]
    times: tuple[float | None, ...]
    own_rates: tuple[Own | None, ...]
    own_times: tuple[Own | None, ...]

    @property
    def lengths(self) -> list[float]:
        """The measurement time of each repeat."""
        return [float(record.measured_ns) for record in self.records]

    @property
    def completed(self) -> list[OperationTotals]:
        """The totals of the repeats with completions."""
        return [each for each in self.totals if each is not None]

    def rate(self, *, weights: Sequence[float] | None = None, looked: bool = False) -> Estimate | None:
        """The throughput over the repeats, in operations per second."""
        return estimate(self.rates, self.lengths, self.own_rates, weights=weights, looked=looked)

    def time(self, weights: Sequence[float], *, looked: bool = False) -> Estimate | None:
        """The mean latency over the repeats that have one, in nanoseconds, with the weights of the throughput."""
        return estimate_known(self.times, weights, self.lengths, self.own_times, looked=looked)


def repeat_values(operation: Operation, workload: Workload, used: Sequence[CellRecord]) -> RepeatValues:
    """The values of one operation. Errors within a repeat are known only for the subject of the cell."""
    found = [total_of(record.operations, operation) for record in used]
    totals = [None if each is None or not each.count else leading(each) for each in found]
    rates = [
        0.0 if each is None else each.count * SECOND_NS / record.measured_ns
        for record, each in zip(used, totals, strict=True)
    ]
    times = [None if each is None else each.latency_ns_sum / each.count for each in totals]
    within = [record.within if operation is workload.subject else None for record in used]
    return RepeatValues(
        records=tuple(used),
        sums=tuple(found),
        totals=tuple(totals),
        rates=tuple(rates),
        times=tuple(times),
        own_rates=tuple(
            None if each is None else Own(each.throughput_error * rate, each.effective)
            for each, rate in zip(within, rates, strict=True)
        ),
        own_times=tuple(
            None if each is None or time is None else Own(each.latency_error * time, each.effective)
            for each, time in zip(within, times, strict=True)
        ),
    )


@dataclass(frozen=True)
class Means:
    """The means of a cell's subject over the used repeats, without intervals."""

    iops: float
    latency_ns_mean: float
    repeats: int


def means_over(workload: Workload, repeats: Sequence[CellRecord]) -> Means | None:
    """The means over these finished repeats, as in ``analysis.cells``, but without reading histograms.

    None if they completed nothing.
    """
    found = repeat_values(workload.subject, workload, repeats)
    rate = found.rate()
    latency = None if rate is None else found.time(rate.weights)
    if rate is None or latency is None:
        return None
    return Means(rate.mean, latency.mean, len(found.records))
