"""Fixtures for several stories."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 20 MiB."""
    path = tmp_path / "small"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", path], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small file system")
    yield path
    # The kernel may release the registered files of a ring only some time after its process has ended.
    for _ in range(50):
        if not subprocess.run(["umount", path], capture_output=True, check=False).returncode:
            return
        time.sleep(0.1)
    subprocess.run(["umount", path], check=True)
