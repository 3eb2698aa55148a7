"""File systems of the test's own, on loop devices over files of its own."""

import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.stories.loop_devices import attached, done, need_root

IMAGE_BYTES = 640 << 20
# XFS_IOC_GOINGDOWN, which ext4 knows as well: the file system is given up at once, as after the loss of its disk.
_GOING_DOWN = 0x8004587D
_WITHOUT_LOG = 2


@contextmanager
def file_system(kind: str, folder: Path, *options: str) -> Iterator[Path]:
    """A mounted file system of a kind, empty."""
    need_root(f"mkfs.{kind}")
    known = Path("/proc/filesystems").read_text(encoding="ascii").split()
    if kind not in known:
        pytest.skip(f"this kernel has no {kind}")
    image, place = folder / f"{kind}.img", folder / kind
    with image.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    place.mkdir()
    with attached(image) as device:
        done(f"mkfs.{kind}", "-q", device)
        mounted = subprocess.run(
            ["mount", *(["-o", ",".join(options)] if options else []), device, place], capture_output=True, check=False
        )
        if mounted.returncode:
            pytest.skip(f"{kind} can't be mounted with {options}: {mounted.stderr.decode()}")
        try:
            yield place
        finally:
            done("umount", place)


@contextmanager
def without_attributes(folder: Path) -> Iterator[Path]:
    """An empty directory on a FUSE file system without extended attributes and without O_TMPFILE."""
    need_root("bindfs", "fusermount")
    below, place = folder / "below", folder / "bound"
    below.mkdir()
    place.mkdir()
    done("bindfs", "--xattr-none", below, place)
    try:
        yield place
    finally:
        done("fusermount", "-u", place)


def close_targets(place: Path) -> None:
    """The file system behaves from now on as one whose disk is gone."""
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.ioctl(handle, _GOING_DOWN, struct.pack("I", _WITHOUT_LOG))
    finally:
        os.close(handle)


def limit_project(place: Path, folder: Path, size: str) -> None:
    """Gives a folder of an XFS a project of its own, with so much room."""
    if shutil.which("xfs_quota") is None:
        pytest.skip("xfs_quota is missing")
    done("xfs_quota", "-x", "-c", f"project -s -p {folder} 42", place)
    done("xfs_quota", "-x", "-c", f"limit -p bhard={size} 42", place)


def names_in(place: Path) -> set[str]:
    """What lies in a place, but for what file systems make themselves."""
    with suppress(OSError):
        return {path.name for path in place.iterdir()} - {"lost+found"}
    return set()
