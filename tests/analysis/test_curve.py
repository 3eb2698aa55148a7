"""The percentile curve ends where ten samples are left beyond it."""

import pytest

from iosonde.analysis.cells import OperationEstimate, estimate_cell
from iosonde.analysis.curve import percentile_curve
from iosonde.records import Experiment, Operation
from tests.builders import cell_plan, cell_record, totals_of, workload

PLAN = cell_plan(workload(), Experiment.TAIL)


def reads(latencies_ns: list[int]) -> OperationEstimate:
    found = estimate_cell(PLAN, [cell_record(PLAN, {Operation.READ: totals_of(latencies_ns)})]).of(Operation.READ)
    assert found is not None
    return found


def test_the_curve_climbs_and_ends_with_ten_samples_beyond_it() -> None:
    curve = percentile_curve(reads(list(range(1000, 101_000, 10))))
    assert curve[-1].inverse_beyond == 10_000 / 10
    assert curve[-1].percent == pytest.approx(99.9)
    assert [point.latency_ns for point in curve] == sorted(point.latency_ns for point in curve)
    assert [point.percent for point in curve] == sorted(point.percent for point in curve)


def test_the_curve_passes_through_the_percentiles_of_the_tables() -> None:
    figures = reads(list(range(1000, 101_000, 10)))
    drawn = {round(point.percent, 6): point.latency_ns for point in percentile_curve(figures)}
    assert all(drawn[each.percent] == each.value_ns for each in figures.percentiles if each.value_ns is not None)


def test_a_curve_of_ten_samples_has_no_point() -> None:
    assert percentile_curve(reads([1000] * 10)) == ()
