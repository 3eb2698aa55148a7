"""A run directory is new or empty, and the user can write to it: this is known before anything is purged."""

import os
from pathlib import Path

import pytest

from iosonde.errors import OutputError
from iosonde.store import check_run_directory


def test_an_empty_directory_and_one_that_can_be_created_are_accepted(tmp_path: Path) -> None:
    check_run_directory(tmp_path)
    check_run_directory(tmp_path / "new/run")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any directory")
@pytest.mark.parametrize("name", [".", "new", "new/run"])
def test_a_directory_without_permission_to_write_is_refused(tmp_path: Path, name: str) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(OutputError, match="no permission to write"):
        check_run_directory(tmp_path / name)


@pytest.mark.parametrize("name", ["file", "file/run"])
def test_a_file_is_no_run_directory(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is not a directory"):
        check_run_directory(tmp_path / name)


def test_a_directory_that_permissions_allow_and_the_file_system_does_not_is_refused() -> None:
    with pytest.raises(OutputError, match="cannot create the run directory /proc/run: "):
        check_run_directory(Path("/proc/run"))


def test_nothing_is_left_of_the_attempt_to_write(tmp_path: Path) -> None:
    check_run_directory(tmp_path / "run")

    assert list(tmp_path.iterdir()) == []
