"""The time series of throughput over a run: one value per interval, or per group of adjacent intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from iosonde.analysis.states import measured_repeats
from iosonde.analysis.totals import count_all
from iosonde.records import CellRecord, IntervalRecord, Phase
from iosonde.units import SECOND_NS

STRETCH_NS: Final = SECOND_NS // 10
"""Shorter intervals are grouped: few operations complete in each, and their throughput varies by chance."""


@dataclass(frozen=True)
class Moment:
    """One point of the time series: a measured interval of a repeat, or several adjacent ones.

    ``wall_ns`` is its middle in wall-clock time (since 1970), ``length_ns`` its length. ``share`` is its throughput
    (operations per second) divided by the mean throughput of the cell over all finished repeats.
    """

    record: CellRecord
    intervals: tuple[IntervalRecord, ...]
    wall_ns: int
    length_ns: int
    iops: float
    share: float


def moments_of(records: Sequence[CellRecord], *, length_ns_min: int = 0) -> Iterator[Moment]:
    """The intervals of the finished repeats, in run order.

    Intervals shorter than ``length_ns_min`` are grouped with their neighbours: each repeat is divided into equal parts
    of at least that length, and into at least one part.
    """
    finished = [record for record in measured_repeats(records) if record.clock_start is not None]
    means = _means(finished)
    for record in sorted(finished, key=lambda each: each.order):
        if means[record.cell]:
            for intervals in _parts(record, length_ns_min):
                yield _moment(record, intervals, means[record.cell])


def _parts(record: CellRecord, length_ns_min: int) -> Iterator[tuple[IntervalRecord, ...]]:
    """The measured intervals of a repeat, grouped by point of the time series."""
    timed = [each for each in record.intervals if each.phase is Phase.MEASURE and each.end_ns > each.start_ns]
    if not timed:
        return
    if not length_ns_min:
        yield from ((each,) for each in timed)
        return
    first_ns, length_ns = timed[0].start_ns, timed[-1].end_ns - timed[0].start_ns
    parts = max(length_ns // length_ns_min, 1)

    def part_of(interval: IntervalRecord) -> int:
        middle_ns = (interval.start_ns + interval.end_ns) // 2 - first_ns
        return middle_ns * parts // length_ns

    for _, found in groupby(timed, key=part_of):
        yield tuple(found)


def _moment(record: CellRecord, intervals: tuple[IntervalRecord, ...], mean_iops: float) -> Moment:
    assert record.clock_start is not None, "the caller must select repeats with clock readings"
    length_ns = sum(each.end_ns - each.start_ns for each in intervals)
    iops = sum(count_all(each.operations) for each in intervals) * SECOND_NS / length_ns
    middle_ns = (intervals[0].start_ns + intervals[-1].end_ns) // 2
    return Moment(
        record=record,
        intervals=intervals,
        wall_ns=middle_ns + record.clock_start.wall_ns - record.clock_start.engine_ns,
        length_ns=length_ns,
        iops=iops,
        share=iops / mean_iops,
    )


def _means(records: Sequence[CellRecord]) -> dict[str, float]:
    """Operations per second of each cell, over all of its measurement time."""
    count: dict[str, int] = {}
    time_ns: dict[str, int] = {}
    for record in records:
        count[record.cell] = count.get(record.cell, 0) + count_all(record.operations)
        time_ns[record.cell] = time_ns.get(record.cell, 0) + record.measured_ns
    return {cell: count[cell] * SECOND_NS / time_ns[cell] if time_ns[cell] else 0.0 for cell in count}
