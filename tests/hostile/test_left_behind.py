"""What stays where it should not: told with its path and by the exit code, found again, removed on demand."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.commands import command, iosonde
from tests.hostile.harness import (
    assert_refused,
    broken_off,
    children_of,
    environment,
    start_run,
    tree_of,
    victim,
    wait_for,
    wait_until_measuring,
)
from tests.stories.loop_devices import done, need_root

SMALL = ("--size", "16MiB", "--buffered", "--duration", "300ms")


def test_a_file_that_cannot_be_removed_is_told_with_its_path_and_in_the_exit_code(tmp_path: Path) -> None:
    need_root("chattr")
    place = tmp_path / "place"
    place.mkdir()
    process = start_run(tmp_path, place)
    wait_for(lambda: any(place.iterdir()), "the file is made")
    if subprocess.run(["chattr", "+a", place], check=False, capture_output=True).returncode:
        process.kill()
        process.communicate()
        pytest.skip("this file system knows no append-only folders")
    try:
        _, stderr = process.communicate(timeout=60)
        left = next(place.iterdir())
        assert process.returncode == 7, stderr
        assert str(left) in stderr
        assert (tmp_path / "run/report.html").is_file()
    finally:
        done("chattr", "-a", place)


def test_an_orphan_of_a_killed_run_is_named_by_the_next_command_in_its_place(tmp_path: Path) -> None:
    run = broken_off(tmp_path / "first")
    place = run.parent / "place"
    orphan = next(place.iterdir())
    result = iosonde("plan", place, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert str(orphan) in result.stdout + result.stderr
    assert "iosonde clean" in result.stdout + result.stderr


def test_clean_removes_orphans_and_nothing_else(tmp_path: Path) -> None:
    run = broken_off(tmp_path / "first")
    place = run.parent / "place"
    orphan = next(place.iterdir())
    unmarked = victim(place / "iosonde-20260101-000000-abcd.data")
    other = victim(place / "notes.data")
    linked = place / "iosonde-20260101-000000-abce.data"
    linked.symlink_to(other.path)
    result = iosonde("clean", place, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert str(orphan) in result.stdout
    assert not orphan.exists()
    unmarked.assert_untouched()
    other.assert_untouched()
    assert linked.is_symlink()


def test_clean_leaves_the_file_of_a_run_that_goes_on(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = subprocess.Popen(
        command("probe", place, "--size", "16MiB", "--buffered", "--duration", "3s"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    try:
        wait_for(lambda: any(each.stat().st_size for each in place.iterdir()), "the file is made")
        result = iosonde("clean", place, folder=tmp_path)
        assert result.returncode == 0, result.stderr
        assert len(list(place.iterdir())) == 1
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("account", ["too short", "of other words", "a folder"])
def test_a_refused_account_leaves_no_target(tmp_path: Path, account: str) -> None:
    run = broken_off(tmp_path / "first", verify=True)
    place = run.parent / "place"
    assert iosonde("clean", place).returncode == 0
    path = run / "account/target-1"
    match account:
        case "too short":
            os.truncate(path, 4096)
        case "of other words":
            path.write_bytes(b"x" * path.stat().st_size)
        case _:
            path.unlink()
            path.mkdir()
    result = iosonde("resume", run, folder=tmp_path)
    assert_refused(result, 6)
    assert tree_of(place) == set()
    # Without the account the run goes on: nothing is refused for ever.
    path.rmdir() if path.is_dir() else path.unlink()
    again = iosonde("resume", run, folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert tree_of(place) == set()


def test_an_engine_that_is_killed_while_a_run_goes_on_leaves_no_file(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = subprocess.Popen(
        command("probe", place, *SMALL[:3], "--duration", "20s"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    wait_for(lambda: any(place.iterdir()), "the file is made")
    wait_for(lambda: bool(children_of(process.pid)), "the engine runs")
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 4, stderr
    assert tree_of(place) == set()


def test_a_file_of_somebodys_that_comes_to_the_name_is_put_back(tmp_path: Path) -> None:
    """Whoever moves a file onto the name between the look and the removal has it back, whole."""
    from iosonde.safe_files import remove_created

    made = tmp_path / "made"
    made.write_bytes(b"ours")
    numbers = made.stat()
    theirs = victim(tmp_path / "theirs")
    theirs.path.rename(made)
    assert remove_created(str(made), numbers.st_dev, numbers.st_ino) is False
    assert made.read_bytes() == theirs.was[3]


def test_in_no_race_is_a_file_lost_that_was_moved_onto_the_name(tmp_path: Path) -> None:
    from iosonde.safe_files import removing

    made, theirs = tmp_path / "made", tmp_path / "theirs"
    made.write_bytes(b"ours")
    theirs.write_bytes(b"theirs")
    numbers = made.stat()
    real, looks = removing._numbers, 0

    def racing(name: str, directory: int) -> tuple[int, int]:
        nonlocal looks
        looks += 1
        found = real(name, directory)
        if looks == 1:
            theirs.rename(made)
        return found

    removing._numbers = racing
    try:
        assert removing.remove_created(str(made), numbers.st_dev, numbers.st_ino) is False
    finally:
        removing._numbers = real
    assert made.read_bytes() == b"theirs"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made"]


@pytest.mark.parametrize("loss", ["renamed", "journal removed", "journal cut", "journal replaced", "header removed"])
def test_a_run_whose_files_are_lost_ends_at_once(tmp_path: Path, loss: str) -> None:
    _assert_ends_at_once(tmp_path, loss, verify=False)


@pytest.mark.parametrize("loss", ["account cut", "account removed"])
def test_a_run_whose_account_is_lost_ends_at_once(tmp_path: Path, loss: str) -> None:
    _assert_ends_at_once(tmp_path, loss, verify=True)


def _assert_ends_at_once(tmp_path: Path, loss: str, *, verify: bool) -> None:
    place, run = tmp_path / "place", tmp_path / "run"
    place.mkdir()
    process = start_run(tmp_path, place, duration="20s", verify=verify)
    wait_until_measuring(run)
    match loss:
        case "renamed":
            run.rename(tmp_path / "elsewhere")
        case "journal removed":
            (run / "journal").unlink()
        case "journal cut":
            os.truncate(run / "journal", 100)
        case "journal replaced":
            (run / "other").write_bytes(b"")
            (run / "other").rename(run / "journal")
        case "header removed":
            (run / "run.json").unlink()
        case "account cut":
            os.truncate(run / "account/target-1", 0)
        case "account removed":
            (run / "account/target-1").unlink()
    _, stderr = process.communicate(timeout=15)
    assert process.returncode == 7, stderr
    assert "Traceback" not in stderr
    assert tree_of(place) == set()


@pytest.mark.parametrize("way", ["renamed", "another in its place"])
def test_a_file_that_was_moved_during_the_run_is_told_with_its_present_name(tmp_path: Path, way: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = start_run(tmp_path, place, duration="2s")
    wait_until_measuring(tmp_path / "run")
    own = next(place.iterdir())
    own.rename(place / "moved")
    if way == "another in its place":
        theirs = victim(own)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in {3, 7}, stderr
    assert f"{place}/moved could not be removed: it was moved there during the run" in stderr
    if way == "another in its place":
        theirs.assert_untouched()


def test_a_file_whose_folder_was_moved_during_the_run_is_removed_there(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    process = start_run(tmp_path, place, duration="2s")
    wait_until_measuring(tmp_path / "run")
    place.rename(tmp_path / "elsewhere")
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in {0, 3}, stderr
    assert tree_of(tmp_path / "elsewhere") == set()
