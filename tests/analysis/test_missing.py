"""The reasons why a figure is missing."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.cells import OperationEstimate, estimate_cell
from iosonde.analysis.missing_reasons import (
    FEW_BEYOND,
    ONE_REPEAT,
    RATE_NOT_KEPT,
    TOO_WIDE,
    why_no_depth,
    why_no_mean_interval,
    why_no_percentile,
    why_no_percentile_interval,
    why_no_range,
)
from iosonde.records import Operation, WithinRepeat
from tests.analysis.test_states import SETTLED
from tests.builders import cell_plan, cell_record, totals_of, workload
from tests.pace_builder import paced_repeat, paced_run

RESTLESS = SETTLED.model_copy(update={"effective": 8.0, "correlation": 0.5})


def figures(latencies_ns: Sequence[Sequence[int]], within: WithinRepeat | None = None) -> OperationEstimate:
    """The estimates of the reads of a cell, with one list of latencies for each repeat."""
    plan = cell_plan(workload())
    records = [
        cell_record(plan, {Operation.READ: totals_of(each)}, repeat=number, within=within)
        for number, each in enumerate(latencies_ns, 1)
    ]
    found = estimate_cell(plan, records).subject
    assert found is not None
    return found


def spread(count: int, factor: float = 1.0) -> list[int]:
    """Latencies in ns, all different."""
    return [round(factor * (100_000 + 37 * number)) for number in range(count)]


def test_what_is_there_has_no_reason() -> None:
    found = figures([spread(20_000), spread(20_000, 1.001), spread(20_000, 0.999)])
    assert why_no_mean_interval(found.iops) == ""
    assert why_no_percentile(found, 50.0) == why_no_percentile_interval(found, 50.0) == why_no_range(found, 50.0) == ""


def test_one_repeat_is_the_reason_however_many_samples_it_has() -> None:
    found = figures([spread(20_409)])
    assert why_no_mean_interval(found.iops) == why_no_percentile_interval(found, 50.0) == ONE_REPEAT


def test_repeats_that_differ_many_times_over_are_the_reason_for_the_mean_and_for_every_percentile() -> None:
    found = figures([spread(10_000), spread(30_000)])
    assert why_no_mean_interval(found.iops) == why_no_percentile_interval(found, 50.0) == TOO_WIDE


def test_that_little_is_known_of_each_repeat_takes_nothing_away() -> None:
    found = figures([spread(10_000), spread(10_409)], RESTLESS)
    assert why_no_mean_interval(found.iops) == why_no_percentile_interval(found, 50.0) == ""


def test_two_repeats_that_differ_are_the_reason_where_the_samples_would_do() -> None:
    """Regression: the median of 20,409 samples was missing, and the reason given was "too few samples"."""
    found = figures([spread(10_000), spread(10_409, 5.0)])
    assert found.percentile(50.0).low_ns is None
    assert why_no_percentile_interval(found, 50.0) == "the 2 repeats vary too much for a useful confidence interval"


def test_too_few_samples_are_the_reason_where_they_are() -> None:
    found = figures([spread(500), spread(500), spread(500)])
    assert why_no_percentile(found, 99.9) == why_no_percentile_interval(found, 99.9) == FEW_BEYOND
    assert why_no_range(found, 99.0) == "some repeats have fewer than 10 samples above this percentile"


def test_a_rate_that_was_not_kept_is_the_reason_however_many_samples_there_are() -> None:
    repeats = [paced_repeat(number, count=4_000, waiting_ns=10**9) for number in (1, 2, 3)]
    run = paced_run(*repeats)
    cell = estimate_cell(run.header.plan.cells[0], run.cells)
    assert cell.subject is not None
    assert cell.subject.saturated
    for why in (why_no_percentile, why_no_percentile_interval, why_no_range):
        assert why(cell.subject, 50.0) == RATE_NOT_KEPT


@pytest.mark.parametrize(("known", "why"), [(True, "the engine does not report it"), (False, "not measured")])
def test_a_depth_that_nobody_knows_says_whether_anything_was_measured(*, known: bool, why: str) -> None:
    plan = cell_plan(workload())
    record = cell_record(plan, {Operation.READ: totals_of([1000] * 20)}).model_copy(update={"in_flight_ns": None})
    assert why_no_depth(estimate_cell(plan, [record] if known else [])) == why
