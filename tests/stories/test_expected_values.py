"""A report compares a run with expected values, in every form."""

import re
from pathlib import Path

import pytest

from tests.commands import few_cells, iosonde

BOUNDS = """
name = "data sheet"
[[expect]]
name = "reads"
cell = "random-read-4KiB-qd2"
metric = "iops"
at_least = "1k"
[[expect]]
name = "slow reads"
cell = "random-read-4KiB-qd2"
metric = "latency_ns_p50"
at_most = "1 us"
[[expect]]
name = "large reads"
pattern = "random"
read = 100
block_size = "1MiB"
queue_depth = 1
metric = "bytes_per_s"
at_least = "1 MB/s"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bounds.toml").write_text(BOUNDS)
    few_cells(tmp_path)
    return tmp_path


def run(folder: Path, *more: str) -> None:
    ended = iosonde("run", "sim:fixed", "--profile", "few.toml", "--out", "run", *more, folder=folder)
    assert ended.returncode == 0, ended.stderr


def test_a_run_against_a_file_has_its_verdicts_in_the_report(folder: Path) -> None:
    run(folder, "--against", "bounds.toml")
    page = (folder / "run/report.html").read_text(encoding="utf-8")
    assert 'id="expected"' in page
    assert "3 checks against the expected values of data sheet: 1 met, 1 missed, 1 undecided." in page
    assert "The largest miss is slow reads in random-read-4KiB-qd2" in page


def test_every_form_of_a_report_has_the_verdicts(folder: Path) -> None:
    run(folder)
    assert 'id="expected"' not in (folder / "run/report.html").read_text(encoding="utf-8")
    words = ("report", "run", "--against", "bounds.toml", "--markdown", "run.md", "--html", "run.html")
    ended = iosonde(*words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    for name in ("run.md", "run.html"):
        text = (folder / name).read_text(encoding="utf-8")
        assert "1 met, 1 missed, 1 undecided" in text
        assert re.search(r"no cell in the run has this workload", text)
    assert [text for text in ("PASS", "FAIL", "UNDECIDED") if text not in (folder / "run.md").read_text()] == []


def test_the_report_and_check_agree(folder: Path) -> None:
    run(folder, "--no-report")
    checked = iosonde("check", "run", "--against", "bounds.toml", folder=folder)
    assert checked.returncode == 9
    assert "1 pass, 1 fail, 1 undecided" in checked.stdout


@pytest.mark.parametrize("command", [("run", "sim:fixed", "--profile", "few.toml", "--out", "new"), ("report", "run")])
def test_a_file_that_names_a_cell_that_is_not_there_is_refused(folder: Path, command: tuple[str, ...]) -> None:
    run(folder, "--no-report")
    (folder / "bounds.toml").write_text(BOUNDS.replace("random-read-4KiB-qd2", "random-reads"))
    ended = iosonde(*command, "--against", "bounds.toml", folder=folder)
    assert ended.returncode == 2
    assert 'this run has no cell "random-reads"' in ended.stderr
    assert not (folder / "new").exists()


def test_a_missing_file_is_refused_before_the_run(folder: Path) -> None:
    ended = iosonde("run", "sim:fixed", "--profile", "few.toml", "--out", "new", "--against", "no.toml", folder=folder)
    assert ended.returncode == 2
    assert not (folder / "new").exists()
