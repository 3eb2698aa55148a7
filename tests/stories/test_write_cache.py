"""The write cache of a drive: refused where there is none, and settings that a killed run has left."""

import json
from pathlib import Path

import pytest

from iosonde.store import keep_setting
from tests.commands import iosonde
from tests.store.test_settings import setting

SHORT = ("--duration", "200ms", "--warmup", "0s")


@pytest.mark.parametrize("kind", ["directory", "simulation", "null"])
def test_only_block_devices_have_one(tmp_path: Path, kind: str) -> None:
    target = {"directory": tmp_path, "simulation": "sim:sata-dc", "null": "null:"}[kind]
    ended = iosonde("probe", target, "--size", "16MiB", "--write-cache", "off", *SHORT)
    assert ended.returncode == 2
    assert "write_cache is a setting of a drive" in ended.stderr
    assert "omit --write-cache" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_fio_does_not_set_it(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--size", "16MiB", "--write-cache", "off", "--engine", "fio", *SHORT)
    assert ended.returncode == 2


def test_a_left_setting_is_told_and_kept_until_its_device_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    left = setting("NO-DEVICE-HAS-THIS-SERIAL")
    keep_setting(left).release()
    doctor = iosonde("doctor", "--json", XDG_STATE_HOME=str(tmp_path))
    (line,) = (each for each in json.loads(doctor.stdout)["lines"] if each["group"] == "Changed settings")
    assert (line["state"], line["command"]) == ("warning", "iosonde doctor --restore")
    assert left.run in line["value"]
    told = "is not restored to on: no device has this identity"
    restored = iosonde("doctor", "--restore", XDG_STATE_HOME=str(tmp_path))
    assert restored.returncode == 3
    assert told in restored.stderr
    # Another command says so as well, and goes on.
    ended = iosonde("probe", "null:", *SHORT, XDG_STATE_HOME=str(tmp_path))
    assert ended.returncode == 0
    assert told in ended.stderr
    assert len(list((tmp_path / "iosonde/settings").iterdir())) == 1


def test_without_left_settings_nothing_is_said(tmp_path: Path) -> None:
    ended = iosonde("doctor", "--restore", XDG_STATE_HOME=str(tmp_path))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    refused = iosonde("doctor", "null:", "--restore", XDG_STATE_HOME=str(tmp_path))
    assert refused.returncode == 2
