"""The arrays whose members are purged, and the ways in which that must be refused."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ARRAY: Final = "/dev/md0"
DRIVES: Final = tuple(f"LAB-RAID-{number}" for number in range(4))


@dataclass(frozen=True)
class Form:
    """An array: mdadm's words, and the number of members."""

    name: str
    words: tuple[str, ...]
    members: int


@dataclass(frozen=True)
class Refusal:
    """A purge that must be refused: how the array is in use, how many members are named, and what the error says."""

    name: str
    form: Form
    use: Callable[[str, Sequence[Path]], AbstractContextManager[None]]
    named: int
    says: str


ARRAYS: Final = (
    Form("raid0 of 2, 64 KiB", ("--level=0", "--chunk=64K"), 2),
    Form("raid1 of 2, with a bitmap", ("--level=1", "--bitmap=internal"), 2),
    Form("raid5 of 3, 64 KiB, right-symmetric", ("--level=5", "--chunk=64K", "--layout=right-symmetric"), 3),
    Form("raid6 of 4, named", ("--level=6", "--homehost=other", "--name=scratch"), 4),
    Form("raid10 of 4, far copies", ("--level=10", "--layout=f2"), 4),
    Form("raid1 of 2, old metadata at the end", ("--level=1", "--metadata=1.0", "--bitmap=none"), 2),
    Form("raid1 of 2, 0.90 metadata", ("--level=1", "--metadata=0.90", "--bitmap=none"), 2),
)
PLAIN: Final = ARRAYS[1]


@contextmanager
def _free(_: str, __: Sequence[Path]) -> Iterator[None]:
    yield


@contextmanager
def _mounted(array: str, _: Sequence[Path]) -> Iterator[None]:
    # After the data: the marks begin beyond the superblock of the file system.
    subprocess.run(["mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=1", "-F", array, "2m"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", array, folder], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", folder], check=True)


@contextmanager
def _degraded(array: str, members: Sequence[Path]) -> Iterator[None]:
    for word in ("--fail", "--remove"):
        subprocess.run(["mdadm", array, word, members[1]], check=True, capture_output=True)
    yield


@contextmanager
def _open(array: str, _: Sequence[Path]) -> Iterator[None]:
    with Path(array).open("rb"):
        yield


@contextmanager
def _member_open(_: str, members: Sequence[Path]) -> Iterator[None]:
    with members[1].open("rb"):
        yield


REFUSALS: Final = (
    Refusal("a member is not named", PLAIN, _free, 1, "--destroy does not name /dev/nvme"),
    Refusal("only the array is named", PLAIN, _free, 0, "--destroy does not name /dev/nvme"),
    Refusal("the array is mounted", PLAIN, _mounted, 2, "(check mounted)"),
    Refusal("the array is degraded", PLAIN, _degraded, 2, "it is degraded"),
    Refusal("another process has the array open", PLAIN, _open, 2, "(check open)"),
    # Only known once the array is stopped, which also has its members open.
    Refusal("another process has a member open: assembled again", PLAIN, _member_open, 2, "(check open)"),
)
