"""The settings of devices that a run changes are on disk before the change, and stay there until they are restored."""

import multiprocessing
import stat
from pathlib import Path

import pytest

from iosonde.errors import OutputError, TargetError
from iosonde.records import DeviceIdentity, KeptSetting, WriteCache
from iosonde.store import keep_setting, kept_settings, left_settings

SPAWN = multiprocessing.get_context("spawn")


def setting(name: str = "S1", size_bytes: int = 1 << 20) -> KeptSetting:
    return KeptSetting(
        iosonde_version="0.1.0",
        run="20261120-173000-1f3a",
        kept_at="2026-11-20T17:30:00+00:00",
        boot="b",
        path="/dev/sdb",
        identity=DeviceIdentity(name=name, kind="serial", size_bytes=size_bytes),
        write_cache=WriteCache.ON,
        kernel="write back",
    )


@pytest.fixture(name="folder")
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "iosonde/settings"


def test_a_setting_is_kept_while_its_run_lives_and_left_when_it_is_over(folder: Path) -> None:
    held = keep_setting(setting())
    assert stat.S_IMODE(held.path.stat().st_mode) == 0o600
    assert KeptSetting.model_validate_json(held.path.read_text(encoding="utf-8")) == setting()
    assert kept_settings() == ((setting(), True),)
    assert list(left_settings()) == []
    held.release()
    assert kept_settings() == ((setting(), False),)
    (left,) = left_settings()
    assert left.setting == setting()
    left.forget()
    assert list(folder.iterdir()) == []


def test_a_killed_run_leaves_its_setting(folder: Path) -> None:
    process = SPAWN.Process(target=keep_setting, args=(setting(),))
    process.start()
    process.join(60)
    assert kept_settings() == ((setting(), False),)
    assert [each.suffix for each in folder.iterdir()] == [".json"]


def test_each_device_has_its_own_file(folder: Path) -> None:
    held = [keep_setting(each) for each in (setting(), setting("S2"), setting(size_bytes=2 << 20))]
    assert len(list(folder.iterdir())) == len(held)
    for each in held:
        each.forget()


def test_the_first_setting_is_never_replaced_by_one_that_a_run_has_changed(folder: Path) -> None:
    keep_setting(setting()).release()
    with pytest.raises(TargetError, match="not restored yet") as caught:
        keep_setting(setting().model_copy(update={"write_cache": WriteCache.OFF}))
    assert "doctor --restore" in caught.value.hint
    assert kept_settings() == ((setting(), False),)
    assert len(list(folder.iterdir())) == 1


def test_files_that_are_no_settings_are_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("a.json", ".0123"):
        (folder / name).write_text("{}", encoding="utf-8")
    (folder / "b.json").symlink_to("/etc/hostname")
    assert kept_settings() == ()
    assert list(left_settings()) == []
    assert len(list(folder.iterdir())) == 3


def test_nothing_is_changed_if_the_setting_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "iosonde").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(OutputError, match="cannot be kept") as caught:
        keep_setting(setting())
    assert "XDG_STATE_HOME" in caught.value.hint
