"""The table of power has the sources that were sampled, and says what each of them measures."""

from iosonde.analysis.run import RunAnalysis
from iosonde.records import PowerSource
from iosonde.report.power_table import POWER_NOTES, power_table
from tests.power_builder import powered_repeat, powered_run

DRIVE, CPU, COMMAND = PowerSource


def test_each_source_has_watts_and_iops_per_watt() -> None:
    table = power_table(RunAnalysis(powered_run()).estimates.cells)
    assert table is not None
    assert [head.name for head in table.heads[1::3]] == ["Drive power", "CPU power", "Command power"]
    assert [head.unit for head in table.heads[1:4]] == ["W", "IOPS per W", "samples"]
    (line,) = table.lines
    assert line.texts[1].startswith("10")
    assert line.texts[3] == "10"
    assert table.notes == tuple(POWER_NOTES.values())


def test_a_source_without_samples_has_no_columns() -> None:
    table = power_table(RunAnalysis(powered_run([CPU])).estimates.cells)
    assert table is not None
    assert {head.name for head in table.heads} == {"Cell", "CPU power"}
    assert table.notes == (POWER_NOTES[CPU],)


def test_without_samples_there_is_no_table() -> None:
    assert power_table(RunAnalysis(powered_run([])).estimates.cells) is None
    assert powered_repeat(1).power == ()
