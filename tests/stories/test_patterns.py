"""Access patterns, mixes, block sizes and bursts, from the API call to the record."""

from pathlib import Path

import pytest

import iosonde
from iosonde.records import CellRecord, Operation
from iosonde.records.pattern import FORMS
from tests.judging import findings_of


def measured(target: str | Path, **asked: str | int) -> CellRecord:
    run = iosonde.probe(target, duration="100ms", warmup="0s", seed=7, **asked)  # type: ignore[arg-type]
    return run.record.cells[0]


@pytest.mark.parametrize("pattern", FORMS)
def test_every_pattern_is_measured_and_keeps_its_name(pattern: str) -> None:
    cell = measured("sim:fixed", pattern=pattern, queue_depth=4, jobs=2)
    assert cell.operations[Operation.READ].count > 0
    assert str(cell.workload.pattern).startswith(pattern)


def test_shares_of_a_short_cell_are_exact() -> None:
    cell = measured("sim:fixed", read=65, trim=5)
    counts = {operation: totals.count for operation, totals in cell.operations.items()}
    whole = sum(counts.values())
    assert whole >= 500
    # Every 100 operations have the exact shares. The last 100 may be incomplete.
    for operation, percent in ((Operation.READ, 65), (Operation.WRITE, 30), (Operation.TRIM, 5)):
        assert abs(counts[operation] - whole * percent / 100) < percent * (100 - percent) / 100


def test_bytes_of_the_composite_are_those_of_its_sizes() -> None:
    cell = measured("sim:fixed", pattern="hot:50/5,30/15,20/80", block_size="snia-composite")
    totals = cell.operations[Operation.READ]
    mix = cell.workload.block_sizes
    assert mix is not None
    assert totals.bytes / totals.count == pytest.approx(mix.mean_bytes(), rel=0.05)


def test_a_worker_that_rests_leaves_its_queue_empty() -> None:
    always, rests = measured("sim:fixed"), measured("sim:fixed", burst=10, think_time="1ms")
    assert rests.operations[Operation.READ].count < always.operations[Operation.READ].count
    assert rests.in_flight_ns is not None
    assert always.in_flight_ns is not None
    assert rests.in_flight_ns < always.in_flight_ns


def test_with_a_duty_cycle_each_interval_is_wholly_on_or_off() -> None:
    run = iosonde.probe("sim:fixed", on_time="1s", off_time="3s", duration="12s", warmup="0s")
    cell = run.record.cells[0]
    counts = [sum(each.count for each in interval.operations.values()) for interval in cell.intervals]
    # The operation in flight at the very end of an on-time completes in the interval after it.
    assert [count > 1 for count in counts] == [True, False, False, False] * 3
    assert cell.outcome == "finished"


def test_trims_of_a_file_are_counted_and_reads_beside_them_are_doubted(tmp_path: Path) -> None:
    run = iosonde.probe(
        tmp_path, read=50, trim=20, size="32MiB", engine="psync", duration="200ms", warmup="0s", buffered=True
    )
    assert run.record.cells[0].operations[Operation.TRIM].count > 0
    assert "reads-of-holes" in {finding.id for finding in findings_of(run.record)}
