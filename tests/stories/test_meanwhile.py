"""Targets that are cut, removed, replaced, locked or shared by another run during a measurement."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iosonde.records import Outcome
from iosonde.store import load_run
from tests.commands import command, iosonde

CAMPAIGN = """
name = "meanwhile"
repeats = 1
order = "listed"
warmup = "0s"
duration = "700ms"
[[experiment]]
name = "all"
pattern = "sequential"
read = 0
block_size = "64KiB"
queue_depth = [1, 2, 3, 4]
rate = 20
"""


def start(folder: Path, target: Path, *words: object, duration: str = "700ms") -> subprocess.Popen[str]:
    """A run of four cells that only write, because reads would fail at once in a shortened file.

    Rate and seed are such that no write soon reaches the end of the file. Otherwise the run itself would extend a
    shortened file again, and the periodic check of its size would miss the change.
    """
    campaign = folder / "meanwhile.toml"
    campaign.write_text(CAMPAIGN.replace("700ms", duration), encoding="utf-8")
    all_words = ("run", target, "--profile", campaign, "--buffered", "--engine", "psync", "--seed", 1, *words)
    return subprocess.Popen(command(*all_words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_first_cell(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("[1 of "):
            return
    pytest.fail("the run ended too early")


def own_file(folder: Path) -> Path:
    path = folder / "target"
    path.write_bytes(os.urandom(16 << 20))
    return path


def shorten(path: Path) -> None:
    os.truncate(path, 1 << 20)


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(bytes(16 << 20))
    other.replace(path)


@pytest.mark.parametrize(
    ("change", "said", "refused"),
    [
        (shorten, "changed from 16777216 to ", "is not the file that was measured: its size was 16777216 bytes"),
        (remove, "was removed or moved", "target cannot be found: No such file or directory"),
        (replace, "was replaced by another file", "is not the file that was measured: its inode number was"),
    ],
)
def test_a_target_that_changes_ends_the_run_and_can_only_be_resumed_when_it_is_back(
    tmp_path: Path, change: Callable[[Path], None], said: str, refused: str
) -> None:
    target, directory = own_file(tmp_path), tmp_path / "run"
    process = start(tmp_path, target, "--overwrite", "--out", directory)
    wait_for_first_cell(process)
    time.sleep(0.2)
    change(target)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 3, stderr
    assert said in stderr
    hint = "hint: stop other programs that use the target, and check the device's health; then run `iosonde resume "
    assert hint in stderr
    assert f"{directory} --overwrite` to continue" in stderr
    run = load_run(directory)
    assert run.cells[0].outcome is Outcome.FINISHED
    assert run.cells[-1].outcome is Outcome.FAILED
    again = iosonde("resume", "--overwrite", directory)
    assert again.returncode == 3, again.stderr
    assert refused in again.stderr
    assert "hint: restore the measured file, or start a new run" in again.stderr
    assert "MiB, missing)" in again.stderr
    assert "will be created" not in again.stderr


def test_a_second_run_on_one_target_is_refused_and_says_who_holds_it(tmp_path: Path) -> None:
    target = own_file(tmp_path)
    process = start(tmp_path, target, "--overwrite", "--out", tmp_path / "first", duration="3s")
    wait_for_first_cell(process)
    second = iosonde("probe", target, "--read", "0", "--overwrite", "--buffered", "--duration", "50ms")
    process.kill()
    process.communicate()
    assert second.returncode == 3, second.stderr
    assert f"error: {target} is in use by process " in second.stderr
    assert f"(iosonde-engine), started by process {process.pid} (" in second.stderr
    assert "hint: wait until the file is no longer in use" in second.stderr


def test_two_runs_on_one_disk_both_say_so(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    started = []
    for directory in (first, second):
        target = tmp_path / f"{directory.name}.data"
        started.append(start(tmp_path, target, "--size", "16MiB", "--out", directory, duration="1500ms"))
    for process in started:
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 0, stderr
    for directory in (first, second):
        exported = tmp_path / f"{directory.name}.json"
        assert iosonde("report", directory, "--json", exported).returncode == 0
        record: dict[str, Any] = json.loads(exported.read_text(encoding="utf-8"))
        assert "neighbours" in {finding["id"] for finding in record["findings"]}, directory.name


def test_a_front_that_is_killed_leaves_its_file_to_the_resumption_which_removes_it(tmp_path: Path) -> None:
    folder, directory = tmp_path / "data", tmp_path / "run"
    folder.mkdir()
    process = start(tmp_path, folder, "--size", "16MiB", "--out", directory)
    wait_for_first_cell(process)
    process.kill()
    process.communicate()
    unfinished = iosonde("report", directory)
    assert unfinished.returncode == 0, unfinished.stderr
    assert "The run was interrupted: 1 of 4 trials finished" in " ".join(unfinished.stdout.split())
    assert (directory / "report.html").exists()
    resumed = iosonde("resume", "--overwrite", directory)
    assert resumed.returncode == 0, resumed.stderr
    assert "3 of 4 trials remain" in resumed.stderr
    assert list(folder.iterdir()) == []
    run = load_run(directory)
    assert run.finished
    assert [cell.order for cell in run.cells] == [1, 2, 3, 4]
    assert len(run.sessions) == 1


def test_a_finished_run_is_resumed_into_nothing_but_a_fresh_report(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    process = start(tmp_path, tmp_path / "x.data", "--size", "16MiB", "--out", directory)
    process.communicate(timeout=60)
    (directory / "report.html").unlink()
    journal = (directory / "journal").read_bytes()
    again = iosonde("resume", "--overwrite", directory)
    assert again.returncode == 0, again.stderr
    assert "all 4 trials are complete" in again.stderr
    assert (directory / "report.html").exists()
    assert (directory / "journal").read_bytes() == journal


def test_a_target_that_was_cut_and_made_long_again_is_not_measured_on_its_holes(tmp_path: Path) -> None:
    path = own_file(tmp_path)
    process = start(tmp_path, path, "--overwrite", "--out", tmp_path / "run")
    wait_for_first_cell(process)
    process.kill()
    process.communicate()
    os.truncate(path, 1 << 20)
    os.truncate(path, 16 << 20)
    ended = iosonde("resume", "--overwrite", tmp_path / "run")
    assert ended.returncode == 3
    assert "that this run wrote are now holes" in ended.stderr
    assert "hint: start a new run" in ended.stderr
    assert "to continue" not in ended.stderr


def test_a_report_of_a_run_that_is_still_going_on_says_so(tmp_path: Path) -> None:
    process = start(tmp_path, tmp_path, "--size", "16MiB", "--out", tmp_path / "run")
    wait_for_first_cell(process)
    # Stopped, so that even a slow machine reads the run before it ends.
    process.send_signal(signal.SIGSTOP)
    told = iosonde("report", tmp_path / "run", "--html", tmp_path / "now.html")
    process.kill()
    process.communicate()
    after = iosonde("report", tmp_path / "run", "--html", tmp_path / "then.html")
    assert "RUNNING" in told.stdout
    assert "UNFINISHED" in after.stdout
    assert "Continue it with `iosonde resume`" in after.stdout
