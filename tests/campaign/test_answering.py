"""A path that does not respond is reported in time: another process checks it, and may be left hanging."""

import time
from pathlib import Path

import pytest

from iosonde.campaign.responsiveness import check_answers
from iosonde.errors import HINT_HANGS, TargetError
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


def test_of_several_those_are_named_that_do_not(tmp_path: Path) -> None:
    with faulty_file(tmp_path / "faulty") as file:
        file.tell("freeze")
        since_s = time.monotonic()
        with pytest.raises(TargetError) as refused:
            check_answers(LocalHost(), [tmp_path, file.path], wait_s=1)
        assert time.monotonic() - since_s < 10
    assert refused.value.message == f"{file.path} did not respond within 1 s"
    assert refused.value.hint == HINT_HANGS
