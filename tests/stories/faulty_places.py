"""Targets that fail on command during a measurement: a FUSE file system with one file, and a loop device."""

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FAULTFS = Path(__file__).parents[1] / "faultfs" / "target" / "debug" / "faultfs"
SIZE_BYTES = 16 << 20
LOOP_SET_CAPACITY = 0x4C07
CUTS_MAX = 10_000


class FaultyFile:
    """The file, and the process that serves its file system."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.path = folder / "file"
        assert self._heard() == "ok"

    def tell(self, *words: object) -> str:
        """Sends a command and returns its reply. ``tests/faultfs`` has the commands."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        return self._heard()

    def wait_until_read(self, probe: subprocess.Popen[Any], reads: int = 100) -> None:
        """Waits until the file system has received this number of reads."""
        while int(self.tell("reads")) < reads:
            assert probe.poll() is None, probe.communicate()[1]
            time.sleep(0.02)

    def die(self) -> None:
        """Kills the process. The mount remains, but without a file system behind it."""
        self.process.kill()
        self.process.wait()

    def _heard(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


def _need_root(*tools: str) -> None:
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    if lacking:
        pytest.skip(f"{lacking[0]} is missing")


@contextmanager
def faulty_file(folder: Path, size_bytes: int = SIZE_BYTES) -> Iterator[FaultyFile]:
    """A FUSE file system with one file. It is always unmounted at the end."""
    _need_root("umount")
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("there is no FUSE here")
    if not FAULTFS.exists():
        pytest.skip("tests/faultfs is not built: `make faultfs` builds it")
    folder.mkdir()
    process = subprocess.Popen(
        [FAULTFS, folder, str(size_bytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield FaultyFile(process, folder)
    finally:
        process.kill()
        process.communicate()
        subprocess.run(["umount", "--lazy", folder], check=False, capture_output=True)


@contextmanager
def loop_disk(folder: Path, *options: str) -> Iterator[tuple[Path, Path]]:
    """An ext4 file system on a loop device. Gives the backing file and the mount point."""
    _need_root("mkfs.ext4", "mount", "umount", "losetup")
    image, place = folder / "image", folder / "mounted"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(128 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, capture_output=True)
    words: list[str | Path] = ["mount", "-o", ",".join(("loop", *options)), image, place]
    mounted = subprocess.run(words, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no loop device can be mounted: {mounted.stderr.strip()}")
    try:
        yield image, place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def cut_disk(image: Path, size_bytes: int) -> None:
    """Truncates the backing file of a loop device, and makes the device adopt the new size.

    A write in flight can extend the file again before the device reads its size. The file is then truncated again.
    """
    told = subprocess.run(["losetup", "-j", image], check=True, capture_output=True, text=True).stdout
    device = Path(told.split(":")[0])
    handle = os.open(device, os.O_RDONLY)
    try:
        for _ in range(CUTS_MAX):
            os.truncate(image, size_bytes)
            fcntl.ioctl(handle, LOOP_SET_CAPACITY)
            if int(Path(f"/sys/block/{device.name}/size").read_text(encoding="ascii")) * 512 == size_bytes:
                return
    finally:
        os.close(handle)
    pytest.fail(f"{device} never ended at {size_bytes} bytes")
