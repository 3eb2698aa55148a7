"""Loop devices over files of a test: block devices without valuable data."""

import errno
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

SIZE_BYTES = 64 << 20
FREE_S_MAX = 20.0
SET_UP_ATTEMPTS = 20


def need_root(*tools: str) -> None:
    """Skips a test without root, or without one of these tools."""
    if os.geteuid() != 0:
        pytest.skip("only root may set up block devices")
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    if lacking:
        pytest.skip(f"{lacking[0]} is missing")


def done(*words: str | Path) -> str:
    """Runs a command until it exits, and returns its output. Raises CalledProcessError."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def image(path: Path, size_bytes: int = SIZE_BYTES) -> Path:
    """A file of random bytes."""
    path.write_bytes(os.urandom(size_bytes))
    return path


def digest(path: Path, without: Iterable[range] = ()) -> str:
    """The SHA-256 of a file, in which these bytes count as zeros."""
    content = bytearray(path.read_bytes())
    for each in without:
        content[each.start : each.stop] = bytes(len(each))
    return hashlib.sha256(content).hexdigest()


@contextmanager
def attached(path: Path, *options: str | Path) -> Iterator[Path]:
    """The loop device over a file. ``options`` are those of losetup. A path selects this device, not a free one."""
    need_root("losetup")
    if not any(isinstance(each, Path) for each in options):
        options = ("--find", *options)
    found = _set_up(*options, path)
    if found.returncode:
        pytest.skip(f"no loop device can be set up: {found.stderr.strip()}")
    device = Path(found.stdout.strip())
    try:
        yield device
    finally:
        done("losetup", "--detach", device)
        _wait_until_free(device)


def _set_up(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs losetup. A test beside this one may take the free device that losetup found, so a few attempts are made."""
    for _ in range(SET_UP_ATTEMPTS):
        found = subprocess.run(["losetup", "--show", *words], capture_output=True, text=True, check=False)
        if found.returncode == 0 or os.strerror(errno.EBUSY) not in found.stderr:
            break
        time.sleep(0.1)
    return found


def _wait_until_free(device: Path) -> None:
    """Waits for the kernel, which releases a ring and its device some time after the process has ended."""
    until = time.monotonic() + FREE_S_MAX
    while Path(f"/sys/block/{device.name}/loop/backing_file").exists() and time.monotonic() < until:
        time.sleep(0.02)


def wait_until_open(process: subprocess.Popen[str], device: Path) -> None:
    """Waits until the engine of a command has a device open."""
    while not _has_open(process.pid, str(device)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def _has_open(front: int, name: str) -> bool:
    for engine in Path(f"/proc/{front}/task/{front}/children").read_text(encoding="ascii").split():
        # A process that looked at the device, and its files, may be gone by now.
        handles: list[Path] = []
        with suppress(OSError):
            handles = list(Path(f"/proc/{engine}/fd").glob("*"))
        for handle in handles:
            with suppress(OSError):
                if str(handle.readlink()) == name:
                    return True
    return False
