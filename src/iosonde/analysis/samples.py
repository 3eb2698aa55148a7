"""Samples of one long trial: the value of a quantity in one of them per block of measurement time."""

from collections.abc import Sequence

from iosonde.analysis.histogram import percentiles
from iosonde.analysis.latency import leading
from iosonde.analysis.totals import merge_totals, parts_of
from iosonde.records import IntervalRecord, OperationTotals, Phase, SteadySamples
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Operation, Quantity, SampleOf


class BlockSamples:
    """Takes the intervals of a trial in order, and keeps the value of the judged sample of each block.

    An interval counts for each judged sample that it overlaps. Only intervals that were merged overlap more than one.
    """

    def __init__(self, rule: SteadySamples, subject: Operation) -> None:
        self._rule = rule
        self._subject = subject
        self._measured_ns = 0
        self._values: list[float | None] = []
        self._begin()

    def take(self, interval: IntervalRecord) -> None:
        """Takes an interval. Those of the warm-up are no part of a sample."""
        if interval.phase is not Phase.MEASURE:
            return
        length_ns = interval.end_ns - interval.start_ns
        start_ns, self._measured_ns = self._measured_ns, self._measured_ns + length_ns
        while True:
            first_ns = self._sample_ns
            if start_ns < first_ns + self._rule.sample_ns and first_ns < self._measured_ns:
                self._add(interval, length_ns)
            if self._measured_ns < (len(self._values) + 1) * self._rule.block_ns:
                return
            self._values.append(value_of(self._parts, self._time_ns, self._rule.quantity))
            self._begin()

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of each whole block so far. It is None for a sample without completions."""
        return tuple(self._values)

    @property
    def _sample_ns(self) -> int:
        """The measurement time at which the judged sample of the current block begins."""
        block_ns = self._rule.block_ns
        offset_ns = 0 if self._rule.sample_of is SampleOf.FIRST else block_ns - self._rule.sample_ns
        return len(self._values) * block_ns + offset_ns

    def _begin(self) -> None:
        self._parts: list[OperationTotals] = []
        self._time_ns = 0

    def _add(self, interval: IntervalRecord, length_ns: int) -> None:
        self._time_ns += length_ns
        self._parts += parts_of(interval.operations, self._subject)


def value_of(parts: Sequence[OperationTotals], time_ns: int, quantity: Quantity) -> float | None:
    """The value of a quantity over a time, from the totals that add up to it.

    It is None without completions, and for a percentile with too few of them. The latency is that of the loop: response
    in an open loop, service in a closed loop.
    """
    count = sum(each.count for each in parts)
    if not count or not time_ns:
        return None
    if quantity is Quantity.IOPS:
        return count * SECOND_NS / time_ns
    if quantity is Quantity.BYTES_PER_S:
        return sum(each.bytes for each in parts) * SECOND_NS / time_ns
    if quantity.percent is None:
        return sum(leading(each).latency_ns_sum for each in parts) / count
    whole = merge_totals(parts)
    assert whole is not None, "operations completed"
    found = leading(whole)
    (value,) = percentiles(
        found.latency, [quantity.percent], smallest_ns=found.latency_ns_min, largest_ns=found.latency_ns_max
    )
    return value
