"""``--against NAME`` compares a run with a shipped data sheet."""

from pathlib import Path

import pytest

from iosonde.expectations.data_sheets import data_sheet_names
from tests.commands import iosonde

CAMPAIGN = """
name = "short"
repeats = 3
warmup = "50ms"
duration = "200ms"
[[experiment]]
name = "random"
pattern = "random"
read = [100, 0]
block_size = "4KiB"
queue_depth = [1, 16]
[[experiment]]
name = "sequential"
pattern = "sequential"
read = [100, 0]
block_size = "128KiB"
queue_depth = 8
"""
OTHER = """
name = "other"
repeats = 1
warmup = "10ms"
duration = "50ms"
[[experiment]]
name = "random"
pattern = "random"
read = 50
block_size = "64KiB"
queue_depth = 1
"""
CODES = {0, 9, 10}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run on a simulated drive, and a run whose cell has no workload of a data sheet."""
    folder = tmp_path_factory.mktemp("sheets")
    for name, text in (("short", CAMPAIGN), ("other", OTHER)):
        (folder / f"{name}.toml").write_text(text)
        ended = iosonde(
            "run", "--no-report", "sim:sata-dc,seed=1", "--profile", f"{name}.toml", "--out", name, folder=folder
        )
        assert ended.returncode == 0, ended.stderr
    return folder


@pytest.mark.parametrize("name", data_sheet_names())
def test_a_run_can_be_compared_with_every_data_sheet(folder: Path, name: str) -> None:
    ended = iosonde("check", "short", "--against", name, folder=folder)
    assert ended.returncode in CODES, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "onditions of the source: " in said
    assert any(word in said for word in ("PASS", "FAIL"))


@pytest.mark.parametrize("name", data_sheet_names())
def test_a_report_has_the_values_of_every_data_sheet_with_their_sources(folder: Path, name: str) -> None:
    words = ("report", "short", "--against", name, "--html", f"{name}.html", "--markdown", f"{name}.md", "--force")
    ended = iosonde(*words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    for suffix in ("html", "md"):
        text = (folder / f"{name}.{suffix}").read_text(encoding="utf-8")
        assert "What each expected value is, and where it comes from." in text
        assert "medium" in text or "low" in text


@pytest.mark.parametrize("name", ["intel-d3-s4510", "seagate-exos-x18"])
def test_a_new_run_is_compared_with_a_data_sheet(folder: Path, name: str) -> None:
    words = ("run", "sim:sata-dc,seed=1", "--profile", "short.toml", "--out", f"run-{name}", "--against", name)
    ended = iosonde(*words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    assert 'id="expected"' in (folder / f"run-{name}/report.html").read_text(encoding="utf-8")


def test_differences_from_the_conditions_of_the_vendor_are_stated(folder: Path) -> None:
    said = " ".join(iosonde("check", "short", "--against", "intel-d3-s4510", folder=folder).stdout.split())
    assert "Not the conditions of the source: queue depth 32 x 1 job, here 16 x 1 job" in said
    assert "a drive in steady state, here every block was written at least once" in said


def test_a_run_without_any_of_the_workloads_is_told_what_measures_them(folder: Path) -> None:
    ended = iosonde("check", "other", "--against", "samsung-pm9a3", folder=folder)
    assert ended.returncode == 10
    assert "error: none of the workloads of Samsung PM9A3, 3.84 TB was measured in this run" in ended.stderr
    way = "hint: `iosonde run TARGET --profile data-sheet --against samsung-pm9a3` measures the workloads"
    assert way in ended.stderr
    ended = iosonde("report", "other", "--against", "samsung-pm9a3", folder=folder)
    assert ended.returncode == 0
    assert "warning: none of the workloads of Samsung PM9A3, 3.84 TB was measured in this run" in ended.stderr
    assert way in ended.stderr


def test_a_campaign_without_any_of_the_workloads_is_refused_before_the_run(folder: Path) -> None:
    words = ("run", "sim:sata-dc", "--profile", "other.toml", "--out", "new", "--against", "samsung-pm9a3")
    ended = iosonde(*words, folder=folder)
    assert ended.returncode == 2
    assert "samsung-pm9a3: the campaign has no cell with any of these workloads" in ended.stderr
    assert "--profile data-sheet --against samsung-pm9a3" in ended.stderr
    assert not (folder / "new").exists()


@pytest.mark.parametrize("command", [("check", "short"), ("report", "short"), ("run", "sim:fixed", "--out", "new")])
def test_an_unknown_name_is_refused_with_all_names(folder: Path, command: tuple[str, ...]) -> None:
    ended = iosonde(*command, "--against", "none", folder=folder)
    assert ended.returncode == 2
    assert "error: unknown data sheet 'none'" in ended.stderr
    assert "hint: available data sheets: intel-d3-s4510, " in ended.stderr
    assert not (folder / "new").exists()


def test_an_existing_run_can_be_checked_for_a_purpose(folder: Path) -> None:
    ended = iosonde("check", "short", "--against", "etcd", folder=folder)
    assert ended.returncode == 10, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "etcd: undecided." in said
    assert "`iosonde run TARGET --for etcd` measures the cells of this purpose" in ended.stderr
