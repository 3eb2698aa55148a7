"""A resumption recognises its file by inode, size and creation time, and does not depend on the wall clock."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iosonde.campaign.target import check_same
from iosonde.errors import TargetError
from iosonde.records import Identity
from iosonde.store import load_run
from tests.campaign_runs import Interrupting, measure, rest_of, resume
from tests.stories.short_runs import DONE, fork, run_short, short_request

FILE = Identity(device_major=259, device_minor=2, inode=12, size_bytes=1 << 20, born_ns=1_000)
PATH = Path("/srv/data/file")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"device_minor": 3}, "it was on device 259:2, and is now on device 259:3"),
        ({"inode": 13}, "its inode number was 12, and is now 13"),
        ({"size_bytes": 5}, "its size was 1048576 bytes, and is now 5"),
        ({"born_ns": 2_000}, "it was created later and reuses the inode number"),
    ],
)
def test_another_file_is_refused_with_what_makes_it_another(change: dict[str, int], said: str) -> None:
    with pytest.raises(TargetError) as caught:
        check_same(PATH, FILE, FILE.model_copy(update=change))
    assert caught.value.message == f"/srv/data/file is not the file that was measured: {said}"


def test_the_same_file_passes_also_where_nobody_knows_when_it_was_made() -> None:
    check_same(PATH, FILE, FILE)
    check_same(PATH, FILE, FILE.model_copy(update={"born_ns": None}))


def test_a_file_of_the_user_s_that_was_made_again_under_the_same_number_is_refused_and_left_alone(
    tmp_path: Path,
) -> None:
    target, directory = tmp_path / "target", tmp_path / "run"
    target.write_bytes(os.urandom(16 << 20))
    number = target.stat().st_ino
    with pytest.raises(KeyboardInterrupt):
        measure(short_request(target), directory, Interrupting())
    target.unlink()
    target.write_bytes(os.urandom(16 << 20))
    if target.stat().st_ino != number:
        pytest.skip("this file system gave the number to nobody")
    rest = rest_of(directory)
    with pytest.raises(TargetError, match="is not the file that was measured"):
        resume(directory, rest, overwrite=True)
    assert target.exists()


def test_a_clock_that_was_set_back_changes_nothing_but_what_the_session_says(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    child = fork(lambda: run_short(tmp_path, directory))
    child.kill_after(0.3)
    child.wait()
    if not (directory / "run.json").exists():
        pytest.skip("killed before it began")
    long_ago = datetime(2001, 1, 1, tzinfo=UTC)
    rest = rest_of(directory)
    assert fork(lambda: resume(directory, rest, now=long_ago)).wait() == DONE
    run = load_run(directory)
    assert run.finished
    assert [cell.order for cell in run.cells] == [turn.order for turn in run.header.plan.turns]
    if rest.turns:
        assert run.sessions[-1].resumed_at.startswith("2001-01-01")
