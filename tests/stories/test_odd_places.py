"""Unsuitable targets: a read-only file system, one without direct I/O, and a file of another user."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import command, iosonde

NOBODY = 65534
PROBE = ["--size", "16MiB", "--duration", "50ms", "--warmup", "0s"]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A new tmpfs."""
    path = tmp_path / "mounted"
    path.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(path)]
    if os.geteuid() or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a file system")
    yield path
    subprocess.run(["umount", path], check=True)


def test_a_read_only_file_system_is_told_from_missing_rights(mounted: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
    ended = iosonde("run", mounted, "--quick")
    assert ended.returncode == 3
    assert ended.stderr.splitlines()[-2:] == [
        f"error: {mounted} is on a read-only file system",
        "hint: specify a directory on a file system that is mounted read-write",
    ]


def test_a_file_system_without_direct_io_is_refused_with_the_way_out_and_nothing_is_left(mounted: Path) -> None:
    ended = iosonde("probe", mounted, *PROBE)
    if ended.returncode == 0:
        pytest.skip("this kernel does direct I/O in memory")
    assert ended.returncode == 3
    hint = "hint: use --buffered to measure through the page cache; the report notes this"
    assert ended.stderr.splitlines()[-1] == hint
    assert list(mounted.iterdir()) == []
    assert iosonde("probe", mounted, "--buffered", *PROBE).returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_files_of_another_user_are_refused(tmp_path: Path) -> None:
    # The other user must be able to execute the interpreter.
    if not _reachable():
        pytest.skip("another user can't reach this interpreter")
    own = tmp_path / "own"
    own.write_bytes(bytes(16 << 20))
    own.chmod(0o600)
    ended = subprocess.run(
        command("probe", own, *PROBE), user=NOBODY, cwd="/", capture_output=True, text=True, check=False
    )
    assert ended.returncode == 3, ended.stderr
    assert "hint: " in ended.stderr
    assert "Traceback" not in ended.stderr


def _reachable() -> bool:
    try:
        words = command("--version")
        return subprocess.run(words, user=NOBODY, cwd="/", capture_output=True, check=False).returncode == 0
    except PermissionError:
        return False
