"""Signals, closed terminals and readers that leave: the run ends as it should, and leaves nothing."""

import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from iosonde.store import load_run
from tests.commands import command, few_cells, iosonde
from tests.hostile.harness import environment, start_run, tree_of, wait_for, wait_until_measuring
from tests.stories.faulty_places import loop_disk


def measuring(folder: Path) -> tuple[subprocess.Popen[str], Path]:
    """A run that measures a file of its own, and where that lies."""
    place = folder / "place"
    place.mkdir()
    process = start_run(folder, place, duration="20s")
    wait_until_measuring(folder / "run")
    return process, place


def started(folder: Path) -> subprocess.Popen[str]:
    """A run of four short cells that needs no disk."""
    few_cells(folder)
    return subprocess.Popen(
        command("run", "null:", "--profile", "few.toml", "--out", "run"),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ((signal.SIGTERM, signal.SIGTERM), 143),
        ((signal.SIGINT, signal.SIGTERM), 130),
        ((signal.SIGINT, signal.SIGINT, signal.SIGINT), 130),
        ((signal.SIGHUP,), 129),
        ((signal.SIGHUP, signal.SIGTERM), 129),
    ],
    ids=lambda value: " ".join(each.name for each in value) if isinstance(value, tuple) else "",
)
@pytest.mark.parametrize("apart_s", [0.0, 0.02, 0.2])
def test_signals_that_come_together_are_one_end_that_leaves_nothing(
    tmp_path: Path, signals: Sequence[signal.Signals], code: int, apart_s: float
) -> None:
    process, place = measuring(tmp_path)
    for each in signals:
        process.send_signal(each)
        time.sleep(apart_s)
    _, stderr = process.communicate(timeout=30)
    # Of those that come at once, any may be seen first.
    assert process.returncode == code or (not apart_s and process.returncode in {128 + each for each in signals}), (
        stderr
    )
    assert "Traceback" not in stderr
    assert tree_of(place) == set()


def test_timeout_which_signals_a_process_and_its_group_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    words = command("probe", place, "--size", "16MiB", "--buffered", "--duration", "60s")
    ended = subprocess.run(
        ["timeout", "3", *words], capture_output=True, text=True, check=False, env=environment(), timeout=60
    )
    assert ended.returncode == 124, ended.stderr
    assert tree_of(place) == set()


def test_a_second_signal_ends_a_run_at_once_whose_file_is_removed_as_soon_as_it_can_be(tmp_path: Path) -> None:
    with loop_disk(tmp_path) as (_, place):
        process = start_run(tmp_path, place, duration="20s")
        wait_until_measuring(tmp_path / "run")
        subprocess.run(["fsfreeze", "-f", place], check=True)
        try:
            process.send_signal(signal.SIGINT)
            time.sleep(1.5)
            since_s = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=30)
            assert time.monotonic() - since_s < 5
        finally:
            subprocess.run(["fsfreeze", "-u", place], check=True)
        assert process.returncode == 130, stderr
        assert f"stopped immediately; {place}/iosonde-" in stderr
        wait_for(lambda: not list(place.glob("*.data")), "the file is removed")


def test_a_run_that_nohup_keeps_from_hanging_up_goes_on(tmp_path: Path) -> None:
    few_cells(tmp_path)
    words = command("run", "null:", "--profile", "few.toml", "--out", "run")
    process = subprocess.Popen(["nohup", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment())
    wait_for((tmp_path / "run/journal").exists, "the run has begun")
    process.send_signal(signal.SIGHUP)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr


def test_a_run_goes_on_when_nobody_reads_its_progress_any_more(tmp_path: Path) -> None:
    process = started(tmp_path)
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert load_run(tmp_path / "run").finished


def test_a_run_that_is_interrupted_before_it_measures_leaves_no_directory(tmp_path: Path) -> None:
    process = started(tmp_path)
    wait_for((tmp_path / "run").is_dir, "the directory is made")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert not (tmp_path / "run").exists() or (tmp_path / "run/run.json").exists()


def test_a_run_that_goes_on_is_not_resumed_and_nothing_is_written_into_it(tmp_path: Path) -> None:
    process, place = measuring(tmp_path)
    try:
        before = tree_of(tmp_path / "run")
        refused = iosonde("resume", tmp_path / "run", folder=tmp_path)
        assert refused.returncode == 6, refused.stderr
        assert refused.stderr.startswith("error: "), refused.stderr
        assert tree_of(tmp_path / "run") == before
        assert len(tree_of(place)) == 1
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@pytest.mark.parametrize(
    "words",
    [("clean", ""), ("list", " "), ("show", ""), ("report", "run", "--pdf", ""), ("run", "sim:mm1", "--out", "")],
)
def test_an_empty_argument_is_no_name_of_the_working_directory(tmp_path: Path, words: tuple[str, ...]) -> None:
    refused = iosonde(*words, folder=tmp_path)
    assert refused.returncode == 2, refused.stderr
    assert "error: an argument is empty" in refused.stderr
    assert tree_of(tmp_path) == set()


def test_a_file_that_the_user_named_is_told_by_clean_and_left(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = start_run(tmp_path, place / "mine.data", duration="20s")
    wait_until_measuring(tmp_path / "run")
    process.kill()
    process.communicate()
    wait_for(lambda: iosonde("clean", place).returncode == 0, "the engine is gone")
    told = iosonde("clean", place)
    assert f"iosonde created {place}/mine.data under a name that you specified" in told.stderr
    assert (place / "mine.data").exists()


def test_tables_that_do_not_fit_leave_no_empty_directory(finished: Path) -> None:
    ended = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 1 && exec "$@"', "sh", *command("report", "run", "--csv", "tables")],
        cwd=finished.parent,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert ended.returncode == 7, ended.stderr
    assert not (finished.parent / "tables").exists()
