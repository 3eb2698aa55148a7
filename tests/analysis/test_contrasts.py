"""Pairs of cells that differ in one property only."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from iosonde.analysis.contrasts import Contrast, Property, contrasts_of, series_of
from iosonde.records import Access, Arrivals, Sync, Workload
from tests.builders import QUICK_TIMING, TIMING, workload
from tests.sweep_builder import cells_of

EVEN = (99_000.0, 100_000.0, 101_000.0)
SEQUENTIAL = Access.SEQUENTIAL


def contrasts(cells: dict[Workload, Sequence[float]]) -> tuple[Contrast, ...]:
    return contrasts_of(cells_of(cells))


def test_random_is_compared_with_sequential_reads_with_writes_and_durable_with_plain() -> None:
    found = contrasts(
        {
            workload(): EVEN,
            workload(pattern=SEQUENTIAL): EVEN,
            workload(read_percent=0): EVEN,
            workload(read_percent=0, sync=Sync.DSYNC): EVEN,
        }
    )
    assert [(each.differs_in, each.one.cell, each.other.cell) for each in found] == [
        (Property.PATTERN, "random-read-4KiB-qd8", "sequential-read-4KiB-qd8"),
        (Property.DIRECTION, "random-read-4KiB-qd8", "random-write-4KiB-qd8"),
        (Property.DURABILITY, "random-write-4KiB-qd8-dsync", "random-write-4KiB-qd8"),
    ]


def test_cells_that_differ_in_two_properties_are_no_pair() -> None:
    assert contrasts({workload(): EVEN, workload(pattern=SEQUENTIAL, read_percent=0): EVEN}) == ()
    assert contrasts({workload(): EVEN, workload(pattern=SEQUENTIAL, queue_depth=4): EVEN}) == ()


def test_open_loops_and_mixes_are_no_pair() -> None:
    paced = {"rate_per_s": 1000, "arrivals": Arrivals.POISSON}
    asked = [workload().model_copy(update={**paced, "pattern": pattern}) for pattern in (Access.RANDOM, SEQUENTIAL)]
    assert contrasts(dict.fromkeys(asked, EVEN)) == ()
    assert contrasts({workload(read_percent=70): EVEN, workload(read_percent=0): EVEN}) == ()


def test_a_ratio_has_an_interval_that_decides_whether_two_cells_differ() -> None:
    (one,) = contrasts({workload(): EVEN, workload(pattern=SEQUENTIAL): [each / 2 for each in EVEN]})
    assert one.iops.value == pytest.approx(0.5, rel=0.01)
    assert one.latency_mean.value == pytest.approx(2, rel=0.01)
    assert one.latency_p99 is not None
    assert one.latency_p99.value == pytest.approx(2, rel=0.02)
    assert one.iops.ratio is not None
    assert one.iops.ratio.differs
    assert not one.iops.is_near


def test_one_repeat_gives_a_ratio_without_an_interval() -> None:
    (one,) = contrasts({workload(): EVEN[:1], workload(pattern=SEQUENTIAL): EVEN})
    assert one.iops.ratio is None


def test_more_comparisons_of_one_property_widen_every_interval() -> None:
    (alone,) = contrasts({workload(): EVEN, workload(pattern=SEQUENTIAL): EVEN})
    many = contrasts(
        {
            workload(pattern=pattern, block_size_bytes=4096 << step): EVEN
            for pattern in (Access.RANDOM, SEQUENTIAL)
            for step in range(6)
        }
    )
    assert alone.iops.ratio is not None
    assert many[0].iops.ratio is not None
    assert many[0].iops.ratio.high > alone.iops.ratio.high


def test_two_workloads_come_together_at_the_size_from_which_on_none_differs() -> None:
    factors = {4: 2.0, 8: 1.5, 16: 1.02, 32: 0.99, 64: 1.0}
    (series,) = series_of(
        contrasts(
            {
                workload(pattern=pattern, block_size_bytes=kib * 1024): [
                    each * (factor if pattern is Access.RANDOM else 1) for each in EVEN
                ]
                for pattern in (Access.RANDOM, SEQUENTIAL)
                for kib, factor in factors.items()
            }
        )
    )
    assert series.together_from is not None
    assert series.together_from.one.workload.block_size_bytes == 16 * 1024
    assert series.first.one.workload.block_size_bytes == 4 * 1024


def test_workloads_that_differ_at_the_largest_size_do_not_come_together() -> None:
    (series,) = series_of(
        contrasts(
            {
                workload(pattern=pattern, block_size_bytes=4096 << step): [
                    each * (1 + step if pattern is Access.RANDOM else 1) for each in EVEN
                ]
                for pattern in (Access.RANDOM, SEQUENTIAL)
                for step in range(4)
            }
        )
    )
    assert series.together_from is None


def test_cells_that_differ_in_duration_are_compared_with_those_that_last_as_long() -> None:
    cells = []
    for timing, factor in ((TIMING, 1.0), (QUICK_TIMING, 2.0)):
        asked = {
            workload(): [each * factor for each in EVEN],
            workload(pattern=SEQUENTIAL): [each / 2 for each in EVEN],
        }
        cells += [replace(cell, timing=timing) for cell in cells_of(asked)]
    found = contrasts_of(cells)
    assert [round(each.latency_mean.value, 1) for each in found] == [2.0, 4.0]


def test_reads_are_compared_with_durable_writes_if_there_are_no_plain_ones() -> None:
    (found,) = contrasts({workload(): EVEN, workload(read_percent=0, sync=Sync.DSYNC): EVEN})
    assert (found.differs_in, found.other.cell) == (Property.DIRECTION, "random-write-4KiB-qd8-dsync")
