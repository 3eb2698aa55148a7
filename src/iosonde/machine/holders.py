"""Finds the users of a file: loop devices, swap, and processes that have it open."""

import errno
import fcntl
import os
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.machine.cached_stat import cached_numbers
from iosonde.machine.mounts import is_shared, layers_below
from iosonde.machine.open_files import open_links
from iosonde.machine.uses import uses_of

SYSFS_BLOCK: Final = Path("/sys/block")
SWAPS: Final = Path("/proc/swaps")
PROC: Final = Path("/proc")
# LOOP_GET_STATUS64 returns a struct loop_info64, which begins with the backing file's device and inode.
_LOOP_STATUS: Final = 0x4C05
_LOOP_INFO_BYTES: Final = 232
_LOOP_BEGINNING: Final = struct.Struct("=QQ")
# Since Linux 5.14.
_INODE: Final = re.compile(r"^ino:\s*(\d+)$", re.MULTILINE)
_OCTAL: Final = re.compile(r"\\([0-7]{3})")
_UNDECIDED: Final = frozenset({errno.EACCES, errno.EPERM, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS})

Numbers = tuple[int, int]


@dataclass(frozen=True)
class Holders:
    """The users of a file, as texts. ``is_sure`` says that there can be no other."""

    known: tuple[str, ...]
    is_sure: bool


def holders_of(path: Path) -> Holders:
    """Finds the users of a file, as far as this user's rights allow. Raises OSError.

    A file on an overlay is also searched for in the layers. On file systems that are accessible by another path, such
    as network file systems, the result is never sure. The kernel grants a write lease only on a file that no other
    process has open, and only to its owner or root. Only root sees the open files of other users' processes.
    """
    known = tuple(user for each in (path, *layers_below(path)) for user in _users(each))
    alone = _is_alone(path)
    if not known and alone is False:
        known = ("a process owned by another user or running in another container",)
    return Holders(known, is_sure=bool(known) or (alone is True and not is_shared(path)))


def _users(path: Path) -> tuple[str, ...]:
    """The visible users; none for a file that does not exist."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return ()
    numbers = (found.st_dev, found.st_ino)
    return (*_loops(numbers), *_swaps(numbers), *_processes(numbers))


def _loops(numbers: Numbers) -> Iterator[str]:
    for backing in sorted(SYSFS_BLOCK.glob("loop*/loop/backing_file")):
        name = backing.parent.parent.name
        if numbers == (_backing_by_driver(Path("/dev") / name) or _backing_by_sysfs(backing)):
            uses = _uses(Path("/dev") / name)
            yield "; ".join([f"loop device {name}", *uses])


def _uses(device: Path) -> list[str]:
    try:
        return [str(each) for each in uses_of(device.stat().st_rdev)]
    except OSError:
        return []


def _backing_by_driver(device: Path) -> Numbers | None:
    """The backing file reported by the loop driver; None without permission."""
    try:
        handle = os.open(device, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        info = fcntl.ioctl(handle, _LOOP_STATUS, bytes(_LOOP_INFO_BYTES))
    except OSError:
        return None
    finally:
        os.close(handle)
    place, inode = _LOOP_BEGINNING.unpack_from(info)
    return place, inode


def _backing_by_sysfs(backing: Path) -> Numbers | None:
    """The backing file from its path in sysfs, which all users may read."""
    try:
        return cached_numbers(Path(backing.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n")))
    except (OSError, ValueError):
        return None


def _swaps(numbers: Numbers) -> Iterator[str]:
    try:
        lines = SWAPS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    except OSError:
        return
    for line in lines:
        name = _OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split()[0]) if line.split() else ""
        with suppress(OSError, ValueError):
            if cached_numbers(Path(name)) == numbers:
                yield "the kernel, as swap space"


def _processes(numbers: Numbers) -> Iterator[str]:
    own = str(os.getpid())
    for process in PROC.iterdir():
        if not process.name.isdigit() or process.name == own:
            continue
        with suppress(OSError):
            if any(_is_open(link, numbers) for link in open_links(process)):
                yield _described(process)


def _is_open(link: Path, numbers: Numbers) -> bool:
    """Whether an open file of a process is that file. Other open files may be on file systems that never respond."""
    with suppress(OSError):
        if not str(link.readlink()).startswith("/"):
            # A socket, a pipe, or another file without a file system.
            return False
        inode = _INODE.search((link.parent.with_name("fdinfo") / link.name).read_text("ascii", "replace"))
        if inode is not None and int(inode[1]) != numbers[1]:
            return False
        return cached_numbers(link) == numbers
    return False


def _described(process: Path) -> str:
    """Such as ``process 12 (iosonde-engine), started by process 11 (iosonde run /data)``."""
    own = f"process {process.name} ({_name_of(process)})"
    with suppress(OSError, ValueError, IndexError):
        # The name in brackets may contain any character. State and parent follow the last bracket.
        parent = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
        words = (PROC / parent / "cmdline").read_text("utf-8", "replace").replace("\0", " ").strip()
        if int(parent) > 1 and words:
            return f"{own}, started by process {parent} ({words})"
    return own


def _name_of(process: Path) -> str:
    with suppress(OSError):
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    return "has exited"


def _is_alone(path: Path) -> bool | None:
    """Whether no other process has the file open, tested with a lease; None if the kernel does not decide."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return None if error.errno in _UNDECIDED else False
    finally:
        os.close(handle)
    return True
