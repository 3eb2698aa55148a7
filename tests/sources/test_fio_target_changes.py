"""Targets that change while fio measures them."""

from pathlib import Path

from iosonde.records import Identity
from iosonde.sources.fio.target_changes import change_of
from iosonde.vocabulary import FailureKind


def device(minor: int) -> Identity:
    return Identity(device_major=259, device_minor=minor, inode=0, size_bytes=1 << 20, born_ns=None)


def known_devices(folder: Path, *minors: int) -> Path:
    for minor in minors:
        (folder / f"259:{minor}").touch()
    return folder


def test_all_removed_devices_are_named(tmp_path: Path) -> None:
    opened = [(Path(f"/dev/disk{minor}"), device(minor)) for minor in (1, 2, 3)]
    found = change_of(opened, known_devices(tmp_path, 2))
    assert found is not None
    assert found.kind is FailureKind.GONE
    assert found.message.startswith("/dev/disk1 and /dev/disk3 are gone: they were removed from the computer")


def test_one_removed_device_is_gone(tmp_path: Path) -> None:
    found = change_of([(Path("/dev/disk1"), device(1))], known_devices(tmp_path))
    assert found is not None
    assert found.message == "/dev/disk1 is gone: it was removed from the computer, or no longer responds"


def test_a_device_node_that_is_removed_is_not_a_removed_device(tmp_path: Path) -> None:
    found = change_of([(tmp_path / "node", device(1))], known_devices(tmp_path, 1))
    assert found is not None
    assert found.kind is FailureKind.CHANGED


def test_an_unchanged_file_is_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"data")
    facts = file.stat()
    identity = Identity(
        device_major=facts.st_dev >> 8, device_minor=facts.st_dev & 0xFF, inode=facts.st_ino, size_bytes=4, born_ns=None
    )
    assert change_of([(file, identity)], tmp_path) is None
