"""The values of a cell's repeats, and their means: what the figures of a cell and a listing of runs both rest on."""

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.estimate import Own, spread_of
from iosonde.analysis.latency import leading
from iosonde.analysis.states import sort_repeats
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, Operation, OperationTotals, Workload
from iosonde.units import SECOND_NS


@dataclass(frozen=True)
class RepeatValues:
    """What one class of operations gave in each repeat that completed some: one value a repeat in each.

    ``totals`` lead with the latency that the loop is about. ``own_rates`` and ``own_times`` are what the repeats say of
    their throughput and mean latency by their intervals; None where they say nothing.
    """

    records: tuple[CellRecord, ...]
    totals: tuple[OperationTotals, ...]
    rates: tuple[float, ...]
    times: tuple[float, ...]
    own_rates: tuple[Own | None, ...]
    own_times: tuple[Own | None, ...]

    @property
    def lengths(self) -> list[float]:
        """How long each was measured."""
        return [float(record.measured_ns) for record in self.records]


def repeat_values(operation: Operation, workload: Workload, used: Sequence[CellRecord]) -> RepeatValues:
    """The values of one class of operations; what intervals say of a repeat, they say of what its cell is about."""
    found = [(record, leading(totals)) for record in used if (totals := total_of(record.operations, operation))]
    rates = tuple(totals.count * SECOND_NS / record.measured_ns for record, totals in found)
    times = tuple(totals.latency_ns_sum / totals.count for _, totals in found)
    within = [record.within if operation is workload.subject else None for record, _ in found]
    return RepeatValues(
        records=tuple(record for record, _ in found),
        totals=tuple(totals for _, totals in found),
        rates=rates,
        times=times,
        own_rates=tuple(
            None if each is None else Own(each.throughput_error * rate, each.effective)
            for each, rate in zip(within, rates, strict=True)
        ),
        own_times=tuple(
            None if each is None else Own(each.latency_error * time, each.effective)
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
    if not found.records:
        return None
    rate = spread_of(found.rates, found.lengths, found.own_rates)
    latency = spread_of(found.times, weights=rate.weights)
    return Means(rate.mean, latency.mean, len(found.records))
