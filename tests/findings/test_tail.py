"""Findings about the slowest operations."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from iosonde.findings import Severity
from iosonde.records import HostPart, Operation, Outcome, RunRecord, SlowIo
from tests.builders import cell_plan, cell_record, totals_of, workload
from tests.findings.runs import BESIDE, MS, SECOND_NS, ids, on_devices, only, repeat, run_of, shares, three, under_way

MIX = workload(read_percent=50)
MIXED = {each: totals_of([MS] * 20_000) for each in (Operation.READ, Operation.WRITE)}


def slow_ones(
    ended: Sequence[int] | None = None, places: Sequence[int] | None = None, **others: Any
) -> tuple[SlowIo, ...]:
    """64 slow operations, by default at random times and in random blocks. ``others`` sets other fields."""
    random = np.random.default_rng(2)
    times = random.integers(5 * SECOND_NS, size=64).tolist() if ended is None else ended
    blocks = random.integers(2**20, size=64).tolist() if places is None else places
    fields: dict[str, Any] = {"operation": Operation.READ, "latency_ns": 50 * MS, "length_bytes": 4096} | others
    return tuple(
        SlowIo(reap_ns=time, offset_bytes=4096 * block, **fields) for time, block in zip(times, blocks, strict=True)
    )


def waited(run_delay_ns: int) -> HostPart:
    """The worker waited for a CPU for so long, in a window that is 1 ms longer than the operation."""
    return HostPart(
        window_ns=51 * MS,
        run_delay_ns=run_delay_ns,
        switches_involuntary=0,
        unpolled_ns=0,
        contended_ns=run_delay_ns,
        cpu=0,
    )


FIRES: dict[str, Callable[[], RunRecord]] = {
    "slowest-not-counted": lambda: run_of(repeat(1), repeat(2), repeat(3, censored=under_way(4 * SECOND_NS, 8))),
    "slowest-by-time": lambda: run_of(repeat(slowest=slow_ones(ended=[SECOND_NS + each for each in range(64)]))),
    "slowest-by-group": lambda: run_of(
        repeat(slowest=slow_ones(ended=[each // 8 * SECOND_NS // 2 + each for each in range(64)], latency_ns=5 * MS))
    ),
    "slowest-by-host": lambda: run_of(repeat(slowest=slow_ones(host=waited(40 * MS)))),
    "slowest-by-offset": lambda: run_of(repeat(slowest=slow_ones(places=range(64)))),
    "slowest-by-operation": lambda: run_of(
        cell_record(cell_plan(MIX), MIXED, repeat=1, slowest=slow_ones(operation=Operation.WRITE))
    ),
    "slowest-by-target": lambda: on_devices(
        "sda", "sdb", records=three(**shares(20_000, 20_000), slowest=slow_ones(target=1))
    ),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("slowest-not-counted", lambda: run_of(*three(censored=under_way(9 * MS)))),
    ("slowest-not-counted", lambda: run_of(*three(censored=under_way(400 * MS), outcome=Outcome.FAILED))),
    ("slowest-by-time", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-group", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-time", lambda: run_of(repeat(slowest=slow_ones(ended=range(64), latency_ns=2 * MS - 1)))),
    ("slowest-by-offset", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-host", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-host", lambda: run_of(repeat(slowest=slow_ones(host=waited(20 * MS))))),
    ("slowest-by-host", lambda: run_of(repeat(slowest=slow_ones(host=waited(40 * MS))[:15]))),
    ("slowest-by-operation", lambda: run_of(repeat(slowest=slow_ones()))),
    ("slowest-by-target", lambda: run_of(repeat(slowest=slow_ones()))),
]


def test_what_was_not_counted_is_a_note_where_the_mean_hardly_misses_it() -> None:
    few = only(run_of(repeat(1), repeat(2), repeat(3, censored=under_way(400 * MS))), "slowest-not-counted")
    assert few.severity is Severity.NOTE
    deep = workload(queue_depth=16)
    many = [repeat(1, deep), repeat(2, deep), repeat(3, deep, censored=under_way(4 * SECOND_NS, 16))]
    both = only(run_of(repeat(1, censored=under_way(400 * MS)), *many), "slowest-not-counted")
    assert (both.severity, both.cells) == (Severity.INVALID, ("random-read-4KiB-qd16",))


def test_what_was_not_counted_of_a_discarded_repeat_is_missed_by_no_figure() -> None:
    gone = repeat(4, neighbours=BESIDE, censored=under_way(4 * SECOND_NS, 8))
    assert "slowest-not-counted" not in ids(run_of(*three(), gone))
