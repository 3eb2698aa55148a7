"""A path that does not respond is reported in time: another process checks it, and may be left hanging."""

import time
from pathlib import Path

import pytest

from iosonde.campaign.responsiveness import check_answers
from iosonde.errors import HINT_HANGS, EngineError, TargetError
from iosonde.machine.local_host import LocalHost
from tests.stories.faulty_places import faulty_file


def test_whatever_answers_answers_at_once_be_it_there_or_not(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    since_s = time.monotonic()
    check_answers(
        LocalHost(), [file, tmp_path, tmp_path / "new", tmp_path / "no" / "folder", locked / "file", Path("/dev/null")]
    )
    check_answers(LocalHost(), [Path("relative"), Path()])
    assert time.monotonic() - since_s < 10


def test_a_python_that_the_user_may_not_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "python"
    closed.write_text("")
    monkeypatch.setattr("sys.executable", str(closed))
    with pytest.raises(EngineError) as refused:
        check_answers(LocalHost(), [tmp_path])
    assert refused.value.message == f"cannot start a process to check {tmp_path}: Permission denied"
    assert refused.value.hint == f"make sure that this user may run {closed}"


def test_of_several_those_are_named_that_do_not(tmp_path: Path) -> None:
    with faulty_file(tmp_path / "faulty") as file:
        file.tell("freeze")
        since_s = time.monotonic()
        with pytest.raises(TargetError) as refused:
            check_answers(LocalHost(), [tmp_path, file.path], wait_s=1)
        assert time.monotonic() - since_s < 10
    assert refused.value.message == f"{file.path} did not respond within 1 s"
    assert refused.value.hint == HINT_HANGS
