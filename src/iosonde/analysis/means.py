"""The values of a cell's repeats, and their means: what the figures of a cell and a listing of runs both rest on."""

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.estimate import Estimate, Own, estimate, estimate_known
from iosonde.analysis.latency import leading
from iosonde.analysis.states import sort_repeats
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, Operation, OperationTotals, Workload
from iosonde.units import SECOND_NS


@dataclass(frozen=True)
class RepeatValues:
    """What one class of operations gave in each repeat: one value a repeat in each.

    ``totals`` lead with the latency that the loop is about. A repeat that completed none of the class has a rate of 0,
    and neither totals nor a time. ``own_rates`` and ``own_times`` are what the repeats say of their throughput and mean
    latency by their intervals; None where they say nothing.
    """

    records: tuple[CellRecord, ...]
    totals: tuple[OperationTotals | None, ...]
    rates: tuple[float, ...]
    times: tuple[float | None, ...]
    own_rates: tuple[Own | None, ...]
    own_times: tuple[Own | None, ...]

    @property
    def lengths(self) -> list[float]:
        """How long each was measured."""
        return [float(record.measured_ns) for record in self.records]

    @property
    def completed(self) -> list[OperationTotals]:
        """The totals of those that completed some."""
        return [each for each in self.totals if each is not None]

    def rate(self, *, weights: Sequence[float] | None = None, looked: bool = False) -> Estimate | None:
        """The throughput over the repeats, operations a second."""
        return estimate(self.rates, self.lengths, self.own_rates, weights=weights, looked=looked)

    def time(self, weights: Sequence[float], *, looked: bool = False) -> Estimate | None:
        """The mean latency over the repeats that have one, nanoseconds, with the weights of the throughput."""
        return estimate_known(self.times, weights, self.lengths, self.own_times, looked=looked)


def repeat_values(operation: Operation, workload: Workload, used: Sequence[CellRecord]) -> RepeatValues:
    """The values of one class of operations; what intervals say of a repeat, they say of what its cell is about."""
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
    """What a cell is about, over the repeats that its figures come from: the means without their intervals."""

    iops: float
    latency_ns_mean: float
    repeats: int


def means_of(workload: Workload, records: Sequence[CellRecord]) -> Means | None:
    """The means of a cell; those that ``analysis.cells`` gives with all else. They need no histograms."""
    return means_over(workload, sort_repeats(records).used)


def means_over(workload: Workload, repeats: Sequence[CellRecord]) -> Means | None:
    """The means over these finished repeats, whatever became of them; None where they completed nothing."""
    found = repeat_values(workload.subject, workload, repeats)
    rate = found.rate()
    latency = None if rate is None else found.time(rate.weights)
    if rate is None or latency is None:
        return None
    return Means(rate.mean, latency.mean, len(found.records))
