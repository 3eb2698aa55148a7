"""The power of a cell and its IOPS per watt, over its repeats."""

import numpy as np
import pytest

from iosonde.analysis.cells import estimate_cell
from iosonde.analysis.estimate_table import estimate_table
from iosonde.analysis.power import iops_per_w, power_w
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.tables import cell_table
from iosonde.records import Operation, PowerSource
from tests.power_builder import PLAN, power, powered_repeat, powered_run

DRIVE, CPU, COMMAND = PowerSource


def test_power_and_its_ratio_are_means_over_repeats() -> None:
    records = [powered_repeat(1, power(DRIVE, 8)), powered_repeat(2, power(DRIVE, 12))]
    (found,) = estimate_cell(PLAN, records).power
    assert (found.source, found.sensors, found.samples) == (DRIVE, ("nvme0n1",), 10)
    assert found.power_w.mean == pytest.approx(10)
    # 500 reads in five seconds are 100 a second.
    assert found.iops_per_w is not None
    assert found.iops_per_w.mean == pytest.approx((100 / 8 + 100 / 12) / 2)


def test_repeats_without_samples_are_left_out_and_sources_are_apart() -> None:
    records = [powered_repeat(1, power(CPU, 50)), powered_repeat(2, power(CPU, 70), power(COMMAND, 5))]
    cpu, command = estimate_cell(PLAN, records).power
    assert (cpu.power_w.mean, cpu.power_w.repeats) == (60, 2)
    assert (command.source, command.power_w.mean, command.power_w.repeats) == (COMMAND, 5, 1)


def test_without_samples_there_is_no_power() -> None:
    assert estimate_cell(PLAN, [powered_repeat(1)]).power == ()
    assert power_w(powered_repeat(1), DRIVE) is None
    assert iops_per_w(powered_repeat(1), DRIVE, Operation.ALL) is None


def test_a_power_of_0_has_no_ratio() -> None:
    (found,) = estimate_cell(PLAN, [powered_repeat(1, power(DRIVE, 0))]).power
    assert (found.power_w.mean, found.iops_per_w) == (0, None)


def test_tables_have_a_column_for_each_source_that_is_empty_without_samples() -> None:
    analysis = RunAnalysis(powered_run([DRIVE]))
    cells, estimates = cell_table(analysis), estimate_table(analysis)
    assert sorted(set(cells["drive_power_w"])) == [8, 12]
    assert set(estimates["drive_power_w"]) == {10}
    assert np.allclose(cells["drive_iops_per_w"] * cells["drive_power_w"], cells["iops"])
    assert all(np.isnan(each).all() for each in (cells["cpu_power_w"], estimates["command_iops_per_w"]))
