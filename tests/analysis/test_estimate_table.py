"""The estimates of a run as a flat table."""

import numpy as np
import pytest

from iosonde.analysis.columns import Table
from iosonde.analysis.estimate_table import estimate_table
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.run import RunAnalysis
from iosonde.records import RunRecord
from iosonde.vocabulary import Operation, Quantity
from tests.lab_builder import lab_run


@pytest.fixture(scope="module")
def run() -> RunRecord:
    return lab_run()


@pytest.fixture(scope="module")
def table(run: RunRecord) -> Table:
    return estimate_table(RunAnalysis(run))


def test_there_is_a_row_for_each_cell_and_class_of_operations(run: RunRecord, table: Table) -> None:
    expected = [(cell.cell, str(operation)) for cell in estimate_run(run).cells for operation in cell.operations]
    assert list(zip(table["cell"], table["operation"], strict=True)) == expected
    assert set(table["run"]) == {run.header.run}


def test_every_quantity_has_its_value_interval_and_error(run: RunRecord, table: Table) -> None:
    for quantity in Quantity:
        assert {f"{quantity}{part}" for part in ("", "_low", "_high", "_standard_error", "_degrees_of_freedom")} <= set(
            table
        )
    cells = {cell.cell: cell for cell in estimate_run(run).cells}
    for row, (cell, operation) in enumerate(zip(table["cell"], table["operation"], strict=True)):
        estimates = cells[cell].operations[Operation(operation)]
        assert table["iops"][row] == estimates.iops.mean
        assert table["iops_standard_error"][row] == pytest.approx(estimates.iops.standard_error, nan_ok=True)
        assert table["latency_ns_p99"][row] == pytest.approx(estimates.percentile(99).value_ns or np.nan, nan_ok=True)


def test_the_interval_follows_from_the_stored_error_alone(table: Table) -> None:
    """Comparisons of runs use this standard error, so the interval in reports must be based on it."""
    from scipy.stats import t

    known = np.isfinite(table["iops_low"]) & (table["iops_standard_error"] > 0)
    mean, error = table["iops"][known], table["iops_standard_error"][known]
    reach = np.log(table["iops_high"][known] / mean) / (error / mean)
    levels = 2 * t.cdf(reach, table["iops_degrees_of_freedom"][known].round(1)) - 1
    assert known.sum() > 10
    # The level is CONFIDENCE (0.95), CONFIDENCE_WITHIN (0.935) or CONFIDENCE_LOOKED (0.965).
    assert np.all((levels > 0.93) & (levels < 0.97))


def test_one_repeat_has_values_and_no_errors() -> None:
    table = estimate_table(RunAnalysis(lab_run(repeats=1)))
    assert np.isfinite(table["iops"]).all()
    assert np.isnan(table["iops_standard_error"]).all()
    assert np.isnan(table["cpu_ns_per_io_low"]).all()
    assert set(table["repeats"]) == {1}


def test_standard_deviations_are_those_over_repeats_and_over_operations(run: RunRecord, table: Table) -> None:
    cells = {cell.cell: cell for cell in estimate_run(run).cells}
    for row, (cell, operation) in enumerate(zip(table["cell"], table["operation"], strict=True)):
        estimates = cells[cell].operations[Operation(operation)]
        for name, found in (("iops", estimates.iops), ("latency_ns_mean", estimates.latency_ns_mean)):
            assert table[f"{name}_standard_deviation"][row] == pytest.approx(found.standard_deviation, nan_ok=True)
        # Operations vary at least as much as the means of repeats.
        assert table["latency_ns_standard_deviation"][row] > 0


def test_the_cells_of_a_sweep_have_its_knee(run: RunRecord, table: Table) -> None:
    sweep = next(each for each in estimate_run(run).sweeps if each.knee.point is not None)
    assert sweep.knee.point is not None
    swept = np.isin(table["cell"], [cell.cell for cell in sweep.cells])
    assert set(table["knee_queue_depth"][swept]) == {sweep.knee.point.queue_depth}
    assert np.isnan(table["knee_queue_depth"][table["cell"] == "sequential-read-128KiB-qd1"]).all()
