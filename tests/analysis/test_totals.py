"""Merging of totals, and ``all`` as the sum of the operations."""

from dataclasses import replace

import pytest

from iosonde.analysis.totals import merge_totals, total_of
from iosonde.records import Operation, Times
from tests.builders import histogram_of, no_operations, totals_of


def test_totals_merge_as_if_recorded_together() -> None:
    assert merge_totals([totals_of([900, 100]), totals_of([5000])]) == totals_of([900, 100, 5000])


def test_a_direction_without_operations_does_not_pull_the_minimum_to_0() -> None:
    merged = merge_totals([no_operations(), totals_of([700])])
    assert merged is not None
    assert merged.latency_ns_min == 700


def test_times_from_when_operations_were_wanted_add_up_where_they_are_known() -> None:
    def wanted(*times_ns: int) -> Times:
        return Times(ns_sum=sum(times_ns), ns_min=min(times_ns), ns_max=max(times_ns), histogram=histogram_of(times_ns))

    first = replace(totals_of([100, 200]), response=wanted(150, 300), lag=wanted(50, 100))
    second = replace(totals_of([400]), response=wanted(400), lag=wanted(0))
    merged = merge_totals([first, second])
    assert merged is not None
    assert (merged.response, merged.lag) == (wanted(150, 300, 400), wanted(50, 100, 0))
    closed = merge_totals([totals_of([100]), totals_of([200])])
    assert closed is not None
    assert (closed.response, closed.lag) == (None, None)


def test_nothing_completed_is_none_and_not_zero() -> None:
    assert merge_totals([no_operations()]) is None
    assert total_of({Operation.READ: no_operations()}, Operation.READ) is None
    assert total_of({}, Operation.ALL) is None


def test_all_is_reads_writes_trims_and_flushes() -> None:
    operations = {
        Operation.READ: totals_of([100]),
        Operation.WRITE: totals_of([200, 300]),
        Operation.TRIM: totals_of([400]),
        Operation.FLUSH: totals_of([500], block_size_bytes=0),
    }
    found = total_of(operations, Operation.ALL)
    assert found is not None
    assert (found.count, found.latency_ns_sum, found.latency_ns_min, found.latency_ns_max) == (5, 1500, 100, 500)


def test_a_commit_is_not_added_to_all_again() -> None:
    operations = {
        Operation.WRITE: totals_of([200]),
        Operation.FLUSH: totals_of([900], block_size_bytes=0),
        Operation.COMMIT: totals_of([1100]),
    }
    found = total_of(operations, Operation.ALL)
    assert found is not None
    assert found.count == 2


@pytest.mark.parametrize("operation", [Operation.TRIM, Operation.COMMIT])
def test_a_class_that_was_not_recorded_is_none(operation: Operation) -> None:
    assert total_of({Operation.READ: totals_of([100])}, operation) is None
