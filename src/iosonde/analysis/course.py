"""How figures moved over the time of a run: one value an interval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde.analysis.histogram import PERCENTS
from iosonde.analysis.latency import leading, percentiles_of
from iosonde.analysis.totals import count_all, iops_of, total_of
from iosonde.records import CellRecord, IntervalRecord, Operation, Outcome, Phase
from iosonde.units import SECOND_NS


@dataclass(frozen=True)
class Moment:
    """One measured interval of one repeat.

    ``wall_ns`` is its middle on the wall's clock (since 1970). ``share`` is its throughput (operations a second)
    divided by the mean throughput of the cell over all finished repeats. ``percentiles_ns`` are those of
    ``analysis.histogram.PERCENTS``, None where fewer than 10 samples lie beyond.
    """

    record: CellRecord
    interval: IntervalRecord
    wall_ns: int
    iops: float
    share: float
    percentiles_ns: tuple[int | None, ...]

    def percentile(self, percent: float) -> int | None:
        """The latency at one of ``PERCENTS``."""
        return self.percentiles_ns[PERCENTS.index(percent)]


def moments_of(records: Sequence[CellRecord], *, with_percentiles: bool = False) -> Iterator[Moment]:
    """Every measured interval of the finished repeats, in the order in which they were measured."""
    finished = [record for record in records if record.outcome is Outcome.FINISHED and record.clock_start is not None]
    means = _means(finished)
    for record in sorted(finished, key=lambda each: each.order):
        assert record.clock_start is not None
        offset_ns = record.clock_start.wall_ns - record.clock_start.engine_ns
        for interval in record.intervals:
            timed = interval.phase is Phase.MEASURE and interval.end_ns > interval.start_ns
            if not timed or not means[record.cell]:
                continue
            iops = iops_of(interval)
            totals = total_of(interval.operations, Operation.ALL) if with_percentiles else None
            known = (None,) * len(PERCENTS) if totals is None else percentiles_of(leading(totals))
            yield Moment(
                record=record,
                interval=interval,
                wall_ns=(interval.start_ns + interval.end_ns) // 2 + offset_ns,
                iops=iops,
                share=iops / means[record.cell],
                percentiles_ns=known,
            )


def _means(records: Sequence[CellRecord]) -> dict[str, float]:
    """Operations a second of each cell, over all of its time."""
    count: dict[str, int] = {}
    time_ns: dict[str, int] = {}
    for record in records:
        count[record.cell] = count.get(record.cell, 0) + count_all(record.operations)
        time_ns[record.cell] = time_ns.get(record.cell, 0) + record.measured_ns
    return {cell: count[cell] * SECOND_NS / time_ns[cell] if time_ns[cell] else 0.0 for cell in count}
