"""An array that a purge has stopped is known by its path until it is there again."""

from pathlib import Path

import pytest

from iosonde.store import forget_stopped_array, keep_stopped_array, stopped_array
from tests.md_arrays import RAID5


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_its_way_back_is_known_until_it_is_forgotten() -> None:
    assert stopped_array("/dev/md0") == ""
    path = keep_stopped_array(RAID5, ("mdadm", "--create", "/dev/md0"))
    assert stopped_array("/dev/md0") == (
        "its members may still have data: purge each by `iosonde prepare`, then create it again: "
        "mdadm --create /dev/md0"
    )
    assert stopped_array("/dev/md1") == ""
    forget_stopped_array(path)
    forget_stopped_array(path)
    assert stopped_array("/dev/md0") == ""


def test_a_damaged_file_is_none() -> None:
    path = keep_stopped_array(RAID5, ("mdadm",))
    for text in ("", "[]", '{"command": 5}', "{"):
        path.write_text(text)
        assert stopped_array("/dev/md0") == ""
