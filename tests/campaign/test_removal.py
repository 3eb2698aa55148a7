"""Removal of the files that a run has created."""

import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from iosonde.campaign.removal import CreatedFiles
from iosonde.machine.local_host import LocalHost


def made_in(folder: Path) -> tuple[CreatedFiles, Path, list[str]]:
    """A file that a run has created, its path, and the list that receives the reasons why it was not removed."""
    told: list[str] = []
    path = folder / "made.data"
    path.write_bytes(bytes(4096))
    files = CreatedFiles(LocalHost(), lambda _, reason: told.append(reason))
    files.add(path, LocalHost().identity(str(path)), "")
    return files, path, told


def refuse(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Makes the next ``times`` attempts to start a process fail with EAGAIN."""
    real, left = subprocess.Popen, [times]

    def start(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        left[0] -= 1
        if left[0] >= 0:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        started: subprocess.Popen[bytes] = real(*words, **options)
        return started

    monkeypatch.setattr("iosonde.machine.removal.subprocess.Popen", start)


def test_a_file_is_removed_once_the_system_starts_processes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, path, told = made_in(tmp_path)
    refuse(monkeypatch, 3)
    assert files.remove(5.0, None)
    assert (path.exists(), told) == (False, [])


def test_where_it_never_does_the_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, path, told = made_in(tmp_path)
    refuse(monkeypatch, 10**6)
    files.remove(0.2, None)
    assert path.exists()
    assert told == ["cannot start a process to remove it: Resource temporarily unavailable"]
