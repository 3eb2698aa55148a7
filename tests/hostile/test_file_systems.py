"""On file systems of several kinds, and on those that turn against a run: what was said, and what was left."""

import signal
import subprocess
from pathlib import Path

import pytest

from iosonde.store import load_run
from tests.commands import few_cells, iosonde
from tests.hostile.file_systems import close_targets, file_system, limit_project, names_in, without_attributes
from tests.hostile.harness import assert_refused, broken_off, marked, start_run, wait_until_measuring
from tests.stories.loop_devices import done

KINDS = ("ext4", "xfs", "btrfs")


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_makes_marks_and_removes_its_file(tmp_path: Path, kind: str) -> None:
    with file_system(kind, tmp_path) as place:
        words = ("--profile", few_cells(tmp_path), "--size", "16MiB", "--out", place / "run")
        result = iosonde("run", place, *words, folder=tmp_path)
        assert result.returncode == 0, result.stderr
        assert names_in(place) == {"run"}
        assert names_in(place / "run") == {
            "run.json", "journal", "report.html", "cells.parquet", "estimates.parquet", "intervals.parquet",
            "histograms.parquet"
        }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_goes_on_with_the_file_that_it_marked(tmp_path: Path, kind: str) -> None:
    with file_system(kind, tmp_path) as place:
        run = broken_off(place / "first")
        orphan = next((run.parent / "place").iterdir())
        assert marked(orphan)
        result = iosonde("resume", run, folder=tmp_path)
        assert result.returncode == 0, result.stderr
        assert load_run(run).finished
        assert names_in(run.parent / "place") == set()


def _running(folder: Path, place: Path, duration: str = "20s") -> subprocess.Popen[str]:
    process = start_run(folder, place, duration=duration)
    wait_until_measuring(folder / "run")
    return process


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_file_system_that_dies_during_a_run_is_told_with_what_it_keeps(tmp_path: Path, kind: str) -> None:
    with file_system(kind, tmp_path) as place:
        process = _running(tmp_path, place)
        close_targets(place)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode in {3, 5, 7}, stderr
        assert "Traceback" not in stderr
        assert "could not be removed" in stderr
        assert str(place) in stderr


def test_a_file_system_that_turns_read_only_during_a_run_is_told_with_what_it_keeps(tmp_path: Path) -> None:
    with file_system("ext4", tmp_path, "errors=remount-ro") as place:
        process = _running(tmp_path, place, "2s")
        # What ext4 does to itself when its journal can't be written.
        done("mount", "-o", "remount,abort", place)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode in {3, 5, 7}, stderr
        assert "Traceback" not in stderr
        assert "could not be removed: Read-only file system" in stderr


def test_a_project_that_has_no_room_is_told_and_left_empty(tmp_path: Path) -> None:
    with file_system("xfs", tmp_path, "prjquota") as place:
        folder = place / "project"
        folder.mkdir()
        limit_project(place, folder, "8m")
        result = iosonde("probe", folder, "--size", "16MiB", "--duration", "100ms", folder=tmp_path)
        assert_refused(result, 3)
        assert names_in(folder) == set()


def test_on_a_file_system_without_marks_the_registry_knows_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    with without_attributes(tmp_path) as place:
        run = broken_off(tmp_path / "first", target=place)
        orphan = place / next(name for name in names_in(place) if name.endswith(".data"))
        assert not marked(orphan)
        assert len(list((state / "iosonde/made").iterdir())) == 1
        assert str(orphan) in iosonde("plan", place, folder=tmp_path).stdout
        result = iosonde("resume", run, folder=tmp_path)
        assert result.returncode == 0, result.stderr
        assert names_in(place) == set()
        assert list((state / "iosonde/made").iterdir()) == []


def test_without_marks_and_without_the_registry_a_file_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with without_attributes(tmp_path) as place:
        run = broken_off(tmp_path / "first", target=place)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
        orphan = place / next(name for name in names_in(place) if name.endswith(".data"))
        before = orphan.read_bytes()
        assert_refused(iosonde("resume", run, folder=tmp_path), 3)
        assert iosonde("clean", place, folder=tmp_path).returncode == 0
        assert orphan.read_bytes() == before


def test_outputs_on_a_file_system_without_nameless_files_leave_nothing_beside_them(
    tmp_path: Path, finished: Path
) -> None:
    with without_attributes(tmp_path) as place:
        for words in (("--html", place / "page.html"), ("--json", place / "run.json"), ("--csv", place / "tables")):
            result = iosonde("report", finished, *words, folder=tmp_path)
            assert result.returncode == 0, result.stderr
        assert names_in(place) >= {"page.html", "run.json"}
        assert not [name for name in names_in(place) if name.endswith(".part")]


def test_an_interrupted_run_on_a_dead_file_system_ends(tmp_path: Path) -> None:
    with file_system("xfs", tmp_path) as place:
        process = _running(tmp_path, place)
        close_targets(place)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        assert process.returncode in {130, 3, 5, 7}, stderr
        assert "Traceback" not in stderr
