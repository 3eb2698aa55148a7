"""Loop devices over files of the test's own: block devices on which nothing of value can be lost."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SIZE_BYTES = 64 << 20


def need_root(*tools: str) -> None:
    """Skips a test that only root can do, or that lacks a tool."""
    if os.geteuid() != 0:
        pytest.skip("only root may set up block devices")
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    if lacking:
        pytest.skip(f"{lacking[0]} is missing")


def done(*words: str | Path) -> str:
    """Runs a command to its end, and gives what it printed."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def image(path: Path, size_bytes: int = SIZE_BYTES) -> Path:
    """A file of random bytes."""
    path.write_bytes(os.urandom(size_bytes))
    return path


def digest(path: Path) -> str:
    """What is in a file, as one number."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def attached(path: Path, *options: str) -> Iterator[Path]:
    """The loop device over a file. Options are losetup's."""
    need_root("losetup")
    found = subprocess.run(["losetup", "--find", "--show", *options, path], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"no loop device can be set up: {found.stderr.strip()}")
    device = Path(found.stdout.strip())
    try:
        yield device
    finally:
        done("losetup", "--detach", device)
