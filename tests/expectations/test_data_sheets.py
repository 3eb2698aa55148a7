"""The shipped data sheets: each value has a source, and applies to cells of the shipped campaigns."""

import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.cli.options import AGAINST_HELP
from iosonde.errors import UsageError
from iosonde.expectations import CheckedResults, check_results
from iosonde.expectations.data_sheets import data_sheet_names
from iosonde.expectations.file import Basis, Confidence
from iosonde.expectations.names import expected_values
from iosonde.findings.run_results import results_of_run
from iosonde.plans import DATA_SHEET_PROFILE, PURPOSES, TargetInfo, campaign_plan, load_profile
from iosonde.plans.shipped_files import is_path
from tests.builders import run_record
from tests.house.checkout import ROOT
from tools.check_wheel import data_files

GIB = 1 << 30


def checked(name: str, profile: str) -> CheckedResults:
    """The checks of a data sheet for a run of a profile without results."""
    plan = campaign_plan(load_profile(profile), TargetInfo(span_bytes=8 * GIB, fill=True), quick=False, seed=1)
    expected = expected_values(name)
    run = run_record(list(plan.cells), [])
    return check_results(results_of_run("run", estimate_run(run), ()), expected.table, (name, expected.text))


@pytest.mark.parametrize("name", data_sheet_names())
def test_each_value_states_its_source_and_how_well_that_supports_it(name: str) -> None:
    table = expected_values(name).table
    assert table.about
    for each in table.expect:
        origin = table.origin(each)
        assert origin.source, each.name
        assert origin.confidence is not None, each.name
        assert origin.basis is not Basis.REQUIREMENT, each.name
        assert origin.conditions.model_fields_set, each.name


@pytest.mark.parametrize("name", data_sheet_names())
def test_a_value_that_is_only_from_memory_has_low_confidence(name: str) -> None:
    table = expected_values(name).table
    for each in table.expect:
        if each.source == "from memory" or table.source.endswith("from memory"):
            assert table.origin(each).confidence is Confidence.LOW, each.name


@pytest.mark.parametrize("name", data_sheet_names())
def test_the_campaign_for_data_sheets_has_a_cell_for_each_value(name: str) -> None:
    assert expected_values(name).campaign == DATA_SHEET_PROFILE
    assert [each.name for each in checked(name, DATA_SHEET_PROFILE).checks if each.cell is None] == []


@pytest.mark.parametrize("name", data_sheet_names())
def test_each_data_sheet_applies_to_cells_of_the_lab_profile(name: str) -> None:
    assert not checked(name, "lab").is_unmeasured


def test_the_help_names_all_data_sheets() -> None:
    listed = AGAINST_HELP.partition("(")[2].partition(")")[0]
    assert tuple(listed.split(", ")) == data_sheet_names()


def test_data_sheets_and_purposes_have_different_names() -> None:
    assert set(data_sheet_names()).isdisjoint(PURPOSES)


def test_a_purpose_can_be_named_as_well_and_has_a_verdict() -> None:
    assert expected_values("etcd").is_purpose
    assert not expected_values("intel-s4500").is_purpose


def test_an_unknown_name_lists_all_names_and_how_to_give_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        expected_values("d3-s4510")
    assert caught.value.message == "unknown data sheet 'd3-s4510'"
    assert caught.value.hint.startswith("did you mean intel-d3-s4510? available data sheets: intel-d3-s4510, ")
    assert "purposes: etcd, " in caught.value.hint
    assert caught.value.hint.endswith("for a file with expected values, give its path, such as ./d3-s4510.toml")


def test_a_file_with_a_bare_name_is_pointed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "limits").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        expected_values("limits")
    assert caught.value.hint.endswith("for the file limits in this directory, write ./limits")


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", ""])
def test_a_name_that_no_file_can_have_is_unknown(name: str) -> None:
    with pytest.raises(UsageError, match="unknown data sheet"):
        expected_values(name)


@pytest.mark.parametrize(
    ("value", "is_file"),
    [("etcd", False), ("etcd.toml", True), ("./etcd", True), ("own/etcd", True), ("3.84tb", False), ("toml", False)],
)
def test_a_value_with_a_slash_or_the_suffix_is_a_path(value: str, *, is_file: bool) -> None:
    assert is_path(value) is is_file


def test_a_wheel_has_all_data_sheets_and_purposes() -> None:
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    patterns = [f"{package.replace('.', '/')}/{each}" for package, some in packaged.items() for each in some]
    files = [each for each in data_files() if each.endswith(".toml")]
    assert [each for each in files if not any(fnmatch(each, pattern) for pattern in patterns)] == []
    for name in data_sheet_names():
        assert f"iosonde/expectations/data_sheets/{name}.toml" in files
