"""The ``lab`` profile: the five experiments that people otherwise put together by hand."""

from collections.abc import Iterator
from typing import Final

from iosonde.records import Access, Experiment, Sync, Timing, Workload
from iosonde.units import SECOND_NS

KIB: Final = 1024
MIB: Final = 1024 * KIB

LAB_TIMING: Final = Timing(warmup_ns=SECOND_NS, measure_ns=5 * SECOND_NS, interval_ns=SECOND_NS // 2)
QUICK_TIMING: Final = Timing(warmup_ns=SECOND_NS // 5, measure_ns=SECOND_NS // 2, interval_ns=SECOND_NS // 10)
REPEATS: Final = 3

BLOCK_SIZES_BYTES: Final = tuple(4 * KIB << step for step in range(9))
QUEUE_DEPTHS: Final = tuple(1 << step for step in range(9))
READ_PERCENTS: Final = (100, 70, 50, 30, 0)
TAIL_DEPTHS: Final = (8, 64)


def lab_cells() -> dict[Workload, tuple[Experiment, ...]]:
    """Each workload of the profile once, with all the experiments that read their figures from it.

    Experiments overlap: the queue-depth sweep at depth 1 is the baseline's random read. Such a workload is measured
    once, so that two tables of one report can't disagree about it.
    """
    cells: dict[Workload, tuple[Experiment, ...]] = {}
    for experiment, workload in _asked():
        cells[workload] = (*cells.get(workload, ()), experiment)
    return cells


def _asked() -> Iterator[tuple[Experiment, Workload]]:
    yield from ((Experiment.BASELINE, workload) for workload in _baseline())
    for pattern in Access:
        for read_percent in (100, 0):
            for size in BLOCK_SIZES_BYTES:
                yield Experiment.BLOCK_SIZE, _workload(pattern, read_percent, size, 8)
    for read_percent in READ_PERCENTS:
        yield Experiment.MIX, _workload(Access.RANDOM, read_percent, 4 * KIB, 16)
    for read_percent in (100, 0):
        for depth in QUEUE_DEPTHS:
            yield Experiment.QUEUE_DEPTH, _workload(Access.RANDOM, read_percent, 4 * KIB, depth)
    for depth in TAIL_DEPTHS:
        yield Experiment.TAIL, _workload(Access.RANDOM, 100, 4 * KIB, depth)


def _baseline() -> Iterator[Workload]:
    for read_percent in (100, 0):
        yield _workload(Access.RANDOM, read_percent, 4 * KIB, 1)
    for read_percent in (100, 0):
        yield _workload(Access.SEQUENTIAL, read_percent, 128 * KIB, 1)
    for sync in (Sync.FDATASYNC, Sync.DSYNC):
        yield _workload(Access.RANDOM, 0, 4 * KIB, 1, sync)


def _workload(pattern: Access, read_percent: int, size_bytes: int, depth: int, sync: Sync = Sync.NONE) -> Workload:
    return Workload(
        pattern=pattern, read_percent=read_percent, block_size_bytes=size_bytes, queue_depth=depth, sync=sync
    )
