"""Statistics within one repeat: its errors, and whether it has settled."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from iosonde.analysis.within_repeat import within_repeat
from iosonde.records import CellRecord, IntervalRecord, Operation, OperationTotals, Outcome, Phase
from tests.builders import cell_plan, cell_record, interval_record, totals_of, workload

MS = 1_000_000


def repeat(counts: Sequence[float], warm: int = 0, latency_ns: int = MS, **others: Any) -> CellRecord:
    """A repeat with these numbers of reads in intervals of half a second. The first ``warm`` ones are warm-up."""
    intervals = [
        interval_record(
            index,
            {Operation.READ: alike(round(count), latency_ns)} if round(count) else {},
            phase=Phase.WARMUP if index < warm else Phase.MEASURE,
        )
        for index, count in enumerate(counts)
    ]
    return measured(intervals, **others)


def alike(count: int, latency_ns: int) -> OperationTotals:
    """The totals of ``count`` operations with the same latency."""
    one = totals_of([latency_ns])
    histogram = replace(one.latency, count=(count,))
    return replace(one, count=count, bytes=count * one.bytes, latency_ns_sum=count * latency_ns, latency=histogram)


def measured(intervals: Sequence[IntervalRecord], **others: Any) -> CellRecord:
    return cell_record(cell_plan(workload()), {}, intervals=tuple(intervals), **others)


def noisy(level: float, length: int, seed: int = 1) -> list[float]:
    return list(np.random.default_rng(seed).normal(level, level / 50, length))


def test_throughput_is_known_as_well_as_the_mean_of_its_intervals() -> None:
    found = within_repeat(repeat(noisy(1000, 60)))
    assert found is not None
    # Sixty independent values with a standard deviation of 2 %.
    assert found.throughput_error == pytest.approx(0.02 / np.sqrt(60), rel=0.4)
    assert found.effective > 30
    assert found.settled


def test_a_repeat_whose_operations_all_lie_in_values_that_whole_batches_leave_over_says_nothing() -> None:
    assert within_repeat(repeat([1000] * 12 + [0] * 33)) is None


def test_an_interval_that_the_engine_merged_does_not_take_the_others_with_it() -> None:
    record = repeat(noisy(1000, 58))
    last = record.intervals[-1]
    longer = replace(last, interval_last=last.interval_last + 2, end_ns=last.end_ns + 2 * (last.end_ns - last.start_ns))
    whole = record.model_copy(update={"intervals": (*record.intervals[:-1], longer)})
    found, plain = within_repeat(whole), within_repeat(record)
    assert found is not None
    assert plain is not None
    assert found.effective == pytest.approx(plain.effective, rel=0.3)


def test_latency_that_is_always_the_same_has_no_error() -> None:
    found = within_repeat(repeat(noisy(1000, 60)))
    assert found is not None
    assert found.latency_error == pytest.approx(0.0, abs=1e-12)


def test_the_error_of_the_share_beyond_is_that_of_a_share_of_independent_operations() -> None:
    random = np.random.default_rng(3)
    intervals = [
        interval_record(index, {Operation.READ: totals_of(random.exponential(MS, 1000).astype(int).tolist())})
        for index in range(60)
    ]
    found = within_repeat(measured(intervals))
    assert found is not None
    assert found.beyond_error == pytest.approx(np.sqrt(0.01 * 0.99 / 60_000), rel=0.4)


def test_too_few_operations_have_no_share_beyond() -> None:
    found = within_repeat(repeat(noisy(10, 60)))
    assert found is not None
    assert found.beyond_error is None


def test_a_repeat_that_reaches_its_level_while_it_is_measured_has_not_settled() -> None:
    found = within_repeat(repeat([*noisy(200, 30), *noisy(1000, 60, seed=2)], warm=15))
    assert found is not None
    assert not found.settled
    assert found.warm_up_ns == pytest.approx(15 * 10**9, rel=0.1)


def test_a_repeat_that_reaches_its_level_in_its_warm_up_has_settled() -> None:
    found = within_repeat(repeat([*noisy(200, 12), *noisy(1000, 75, seed=2)], warm=15))
    assert found is not None
    assert found.settled


def test_repeats_at_one_level_are_seldom_taken_for_unsettled() -> None:
    found = [within_repeat(repeat(noisy(1000, 80, seed), warm=20)) for seed in range(100)]
    assert sum(each is not None and not each.settled for each in found) <= 2


@pytest.mark.parametrize(
    "record",
    [repeat(noisy(1000, 20)), repeat([]), repeat(noisy(1000, 60), outcome=Outcome.CUT), repeat([0] * 60)],
    ids=["few", "none", "cut", "idle"],
)
def test_a_repeat_of_too_little_says_nothing(record: CellRecord) -> None:
    assert within_repeat(record) is None
