"""``iosonde list``: every run below a folder, in any state."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import iosonde
from tests.house.checkout import ROOT

FIXTURE = ROOT / "tests/fixtures/runs/v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURE, tmp_path / "good")
    shutil.copytree(FIXTURE, tmp_path / "deep/down/cut")
    data = (FIXTURE / "journal").read_bytes()
    (tmp_path / "deep/down/cut/journal").write_bytes(data[: len(data) // 2])
    shutil.copytree(FIXTURE, tmp_path / "garbled")
    (tmp_path / "garbled/journal").write_bytes(b"x" * 100)
    return tmp_path


def listed(folder: Path, *words: str) -> dict[str, dict[str, Any]]:
    ended = iosonde("list", *words, "--json", folder=folder, may_override_modes=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return {run["path"]: run for run in json.loads(ended.stdout)}


def test_runs_in_every_state_are_listed_and_none_ends_the_list(folder: Path) -> None:
    runs = listed(folder)
    assert {path: run["state"] for path, run in runs.items()} == {
        "good": "finished",
        "deep/down/cut": "unfinished",
        "garbled": "damaged",
    }
    assert runs["garbled"]["reason"] == "journal is not a journal"
    assert runs["deep/down/cut"]["measured"] < runs["deep/down/cut"]["planned"]


def test_a_run_without_4_kib_random_reads_shows_its_best_cell(folder: Path) -> None:
    run = listed(folder, "good")["good"]
    assert (run["best_is_small_read"], run["best_cell"]) == (False, "random-mix70-4KiB-qd2")
    assert run["iops"] > 0
    assert run["latency_ns_mean"] > 0


def test_the_list_for_people_names_each_run_once(folder: Path) -> None:
    ended = iosonde("list", ".", folder=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    rows = [line for line in ended.stdout.splitlines() if line.endswith(("good", "deep/down/cut", "garbled"))]
    assert len(rows) == 3
    assert "damaged garbled: journal is not a journal" in ended.stdout


def test_a_folder_that_may_not_be_read_is_listed_with_the_reason(folder: Path) -> None:
    (folder / "locked").mkdir(mode=0o000)
    run = listed(folder)["locked"]
    assert (run["state"], run["reason"]) == ("unreadable", "cannot be read: Permission denied")


def test_a_folder_without_runs_is_no_error(tmp_path: Path) -> None:
    ended = iosonde("list", ".", folder=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "no runs in or below .\n")
    assert listed(tmp_path) == {}


def test_a_removed_working_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    script = 'cd "$1" && rmdir "$1" && exec "$2" -m iosonde list'
    words = ["sh", "-c", script, "sh", str(tmp_path / "gone"), sys.executable]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the working directory no longer exists" in ended.stderr
