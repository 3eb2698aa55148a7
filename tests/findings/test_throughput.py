"""Findings about throughput over time."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from iosonde.analysis.within_repeat import within_repeat
from iosonde.records import CellRecord, IntervalRecord, Operation, RunRecord
from tests.builders import cell_plan, interval_record, no_operations, silent_repeat, totals_of, workload
from tests.findings.runs import MS, SECOND_NS, only, repeat, run_of, three

RESTING = workload(burst_operations=16, think_ns=100 * MS)


def time_series(counts: Sequence[int]) -> tuple[IntervalRecord, ...]:
    """Intervals of half a second with these numbers of reads, and noise with a standard deviation of 1 %."""
    noise = np.random.default_rng(1).normal(1.0, 0.01, len(counts))
    return tuple(
        interval_record(index, {Operation.READ: totals_of([MS] * round(count * factor)) if count else no_operations()})
        for index, (count, factor) in enumerate(zip(counts, noise, strict=True))
    )


def fine(counts: Sequence[int]) -> tuple[IntervalRecord, ...]:
    """The same with intervals of 17 ms, as in an adaptive repeat of one second."""
    every_ns = 17 * MS
    return tuple(
        replace(each, start_ns=index * every_ns, end_ns=(index + 1) * every_ns)
        for index, each in enumerate(time_series(counts))
    )


def judged(counts: Sequence[int], number: int = 1) -> CellRecord:
    """A repeat with the within-repeat statistics of these intervals."""
    record = repeat(number, intervals=time_series(counts))
    return record.model_copy(update={"within": within_repeat(record)})


def warmed_longer(record: CellRecord) -> CellRecord:
    """The same repeat with a warm-up ten times as long."""
    timing = record.timing.model_copy(update={"warmup_ns": 10 * (record.timing.warmup_ns or SECOND_NS)})
    return record.model_copy(update={"timing": timing})


FIRES: dict[str, Callable[[], RunRecord]] = {
    "not-settled": lambda: run_of(judged([20_000] * 2 + [8_000] * 58)),
    "level-changed": lambda: run_of(repeat(intervals=time_series([8_000] * 12 + [2_000] * 28))),
    "stalled": lambda: run_of(repeat(intervals=fine([160] * 20 + [0] * 7 + [160] * 33))),
    "nothing-completed": lambda: run_of(*three(), silent_repeat(cell_plan(workload()), 4)),
    "state-left": lambda: run_of(
        repeat(1, count=90_000), *(repeat(each, count=40_000 + each) for each in (2, 3, 4, 5))
    ),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("level-changed", lambda: run_of(repeat(intervals=time_series([8_000] * 40)))),
    ("level-changed", lambda: run_of(repeat(intervals=time_series([8_000] * 20 + [7_700] * 20)))),
    ("level-changed", lambda: run_of(repeat(intervals=time_series([8_000] * 38 + [2_000] * 2)))),
    ("level-changed", lambda: run_of(repeat(intervals=()))),
    ("level-changed", FIRES["stalled"]),
    ("level-changed", lambda: run_of(repeat(intervals=fine([160] * 30 + [80] * 30)))),
    ("level-changed", lambda: run_of(repeat(intervals=time_series([8_000] * 400 + [7_000] * 6)))),
    ("stalled", FIRES["level-changed"]),
    ("nothing-completed", lambda: run_of(*(silent_repeat(cell_plan(workload()), each) for each in (1, 2)))),
    ("cell-failed", FIRES["nothing-completed"]),
    ("stalled", lambda: run_of(repeat(intervals=fine([160] * 20 + [40] * 7 + [160] * 33)))),
    ("stalled", lambda: run_of(repeat(intervals=fine([2] * 20 + [0] * 7 + [2] * 33)))),
    ("stalled", lambda: run_of(repeat(1, RESTING, intervals=fine([160] * 20 + [0] * 7 + [160] * 33)))),
    ("not-settled", lambda: run_of(judged([8_000] * 60))),
    # A start that is 1 % faster is not relevant.
    ("not-settled", lambda: run_of(judged([8_080] * 6 + [8_000] * 54))),
    # Three repeats with a longer warm-up are enough: those that did not settle are discarded.
    (
        "not-settled",
        lambda: run_of(
            *(judged([20_000] * 2 + [8_000] * 58, number) for number in (1, 2, 3)),
            *(warmed_longer(judged([8_000] * 60, number)) for number in (4, 5, 6)),
        ),
    ),
    # ``level-changed`` reports this instead.
    ("not-settled", lambda: run_of(judged([8_000] * 20 + [2_000] * 40))),
    ("state-left", lambda: run_of(repeat(1, count=90_000), *(repeat(each, count=40_000 + each) for each in (2, 3, 4)))),
    ("state-left", lambda: run_of(*(repeat(each, count=40_000 + 300 * each) for each in (1, 2, 3, 4)))),
]


def test_levels_are_named_with_their_times() -> None:
    falls = [8_000] * 12 + [2_000] * 28
    found = only(run_of(*(repeat(each, intervals=time_series(falls)) for each in (1, 2, 3))), "level-changed")
    assert (
        "changed during repeat 1: 16,038 IOPS initially, 3,996 IOPS after 6.0 s. "
        "The change was smaller in 2 other repeats." in found.statement
    )
