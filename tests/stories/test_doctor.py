"""``iosonde doctor`` says what would spoil a measurement, and changes nothing."""

import json
from pathlib import Path

import pytest

from tests.commands import iosonde


def test_without_a_target_the_host_is_examined() -> None:
    ended = iosonde("doctor")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("Host\n")
    for subject in ("CPU", "memory", "kernel", "clock source", "io_uring", "load"):
        assert f"  {subject}  " in ended.stdout
    assert "File system" not in ended.stdout


def test_a_directory_has_its_file_system_and_is_left_as_it_is(tmp_path: Path) -> None:
    ended = iosonde("doctor", tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "File system" in ended.stdout
    assert "mounted at" in ended.stdout
    assert "Writing to the device" not in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_json_has_every_line_with_its_state(tmp_path: Path) -> None:
    lines = json.loads(iosonde("doctor", tmp_path, "--json").stdout)["lines"]
    assert {line["group"] for line in lines} >= {"Host", "File system"}
    assert {line["state"] for line in lines} <= {"ok", "note", "warning", "unknown", "refused"}
    assert all(line["reason"] for line in lines if line["state"] == "warning")


@pytest.mark.parametrize(
    ("target", "said"),
    [("missing", "No such file"), ("/dev/zero", "is not a file, directory"), ("sim:sata-dc", "is a simulated drive")],
)
def test_what_cannot_be_examined_is_told(tmp_path: Path, target: str, said: str) -> None:
    ended = iosonde("doctor", target, folder=tmp_path)
    assert ended.returncode == 3, ended.stderr
    assert said in ended.stderr
    assert "hint: specify a file, a directory or a block device" in ended.stderr
