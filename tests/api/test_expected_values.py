"""Expected values from Python: a run for a purpose or against a data sheet, and its typed checks."""

from pathlib import Path

import pytest

import iosonde
from iosonde.errors import UsageError
from iosonde.expectations import Verdict
from tests.stories.test_purposes import folder_with


def test_a_run_for_a_purpose_has_its_verdict(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "10 us")
    found = iosonde.run("sim:mmc,seed=1", purpose=folder / "own/mine.toml", seed=1, out=folder / "run")
    checked = found.check()
    assert checked.verdict is Verdict.FAIL
    assert checked.purpose is not None
    assert checked.purpose.binding.name == "reads"
    (check,) = checked.checks
    assert check.value is not None
    assert check.value > check.bound == 10_000


def test_the_verdict_is_kept_with_the_run(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "1 ms")
    iosonde.run("sim:mmc,seed=1", purpose=folder / "own/mine.toml", seed=1, out=folder / "run")
    opened = iosonde.open_run(folder / "run")
    assert opened.check().verdict is Verdict.PASS
    assert "mine: met." in (folder / "run/report.html").read_text(encoding="utf-8")


def test_a_run_can_be_compared_with_a_data_sheet_a_purpose_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path, "1 ms")
    profile = folder / "own/short.toml"
    found = iosonde.run("sim:mmc,seed=1", profile=profile, against="intel-s4500", seed=1, out=folder / "run")
    assert found.check().name == "Intel DC S4500"
    assert found.check("samsung-980-pro").name == "Samsung 980 PRO, 1 TB"
    assert found.check("etcd").purpose is not None
    monkeypatch.chdir(folder / "own")
    (folder / "own/mine").write_text((folder / "own/mine.toml").read_text())
    assert found.check(Path("mine")).verdict is Verdict.PASS


def test_a_run_without_expected_values_refuses_a_check_without_any(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "1 ms")
    found = iosonde.run("sim:mmc,seed=1", profile=folder / "own/short.toml", seed=1, out=folder / "run")
    with pytest.raises(UsageError, match="was not started with expected values"):
        found.check()


def test_a_purpose_and_a_profile_cannot_be_combined(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--for and --profile cannot be combined"):
        iosonde.run("sim:mmc", purpose="etcd", profile="lab", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_name_that_is_unknown_is_refused_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown data sheet 'none'"):
        iosonde.run("sim:mmc", against="none", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
