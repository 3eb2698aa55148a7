"""The finding about mixes whose operations did not complete in the requested shares."""

from collections.abc import Callable

from iosonde.findings import Severity
from iosonde.records import CellRecord, Operation, RunRecord
from tests.builders import cell_plan, cell_record, totals_of, workload
from tests.findings.runs import ids, only, run_of

MS = 1_000_000


def completed(reads: int, writes: int, read_percent: int = 50) -> RunRecord:
    """Three repeats of 5 s with so many operations of each class, and latencies that agree with a depth of 8."""
    asked = workload(read_percent=read_percent, queue_depth=8)
    latency_ns = 8 * 5_000 * MS // (reads + writes)
    done = {Operation.READ: totals_of([latency_ns] * reads), Operation.WRITE: totals_of([latency_ns] * writes)}
    records: list[CellRecord] = [cell_record(cell_plan(asked), done, repeat=number) for number in (1, 2, 3)]
    return run_of(*records)


FIRES: dict[str, Callable[[], RunRecord]] = {"mix-not-kept": lambda: completed(12_900, 5_550)}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    # The throughput is 4 % too high.
    ("mix-not-kept", lambda: completed(10_400, 9_600)),
    # 15 % fewer writes than requested, but that is less than four standard deviations of 8.5.
    ("mix-not-kept", lambda: completed(55, 41)),
]


def test_the_slower_class_tells_the_throughput_that_the_mix_would_have() -> None:
    found = only(FIRES["mix-not-kept"](), "mix-not-kept")

    assert "30 % writes instead of 50 % completed" in found.statement
    # 18,450 operations and twice 5,550 in 5 s.
    assert "by the writes, it is 2,220 IOPS, and not 3,690" in found.statement
    assert (found.severity, found.cells) == (Severity.INVALID, ("random-mix50-4KiB-qd8",))


def test_a_throughput_that_is_a_little_too_high_is_doubtful() -> None:
    assert only(completed(10_700, 9_300), "mix-not-kept").severity is Severity.DOUBTFUL


def test_the_rarer_class_of_a_mix_may_be_the_slower_one() -> None:
    found = only(completed(9_700, 300, read_percent=95), "mix-not-kept")

    assert "3 % writes instead of 5 % completed" in found.statement
    assert found.severity is Severity.INVALID


def test_more_reads_than_requested_in_a_small_number_are_chance() -> None:
    assert "mix-not-kept" not in ids(completed(55, 41))
