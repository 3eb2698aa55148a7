"""Removing files that iosonde has made, also where their file system does not answer any more."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.records import Identity

# A file system that answers at all takes less to remove a file; one that does not is not waited for.
REMOVAL_S_MAX: Final = 2.0

# Ends with 0 where the path does not lead to the file any more, or never did.
REMOVE_SAME: Final = """
import os, sys
path, *made = sys.argv[1:]
try:
    found = os.lstat(path)
    if not made or made == [str(n) for n in (os.major(found.st_dev), os.minor(found.st_dev), found.st_ino)]:
        os.unlink(path)
except FileNotFoundError:
    pass
"""


def remove_same(path: Path, identity: Identity) -> None:
    """Unlinks a file if the path still leads to the one that was made.

    A file system that has died, or turned read-only, keeps the file; that was told when it failed the workload, and
    must not take the place of what was measured before.
    """
    with suppress(OSError):
        found = path.lstat()
        if (os.major(found.st_dev), os.minor(found.st_dev), found.st_ino) == _numbers(identity):
            path.unlink()


def remove_apart(path: Path, identity: Identity | None = None) -> bool:
    """The same by another process, which is left to itself when it does not end; true if the file is gone.

    Nobody can end what waits for a file system that does not answer. Without an identity whatever is at the path is
    removed.
    """
    numbers = () if identity is None else _numbers(identity)
    remover = _start([sys.executable, "-I", "-S", "-c", REMOVE_SAME, str(path), *map(str, numbers)])
    with suppress(subprocess.TimeoutExpired):
        return remover.wait(timeout=REMOVAL_S_MAX) == 0
    remover.kill()
    # Python would wait for it, or complain that nobody has.
    remover.returncode = -1
    return False


def _start(words: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _numbers(identity: Identity) -> tuple[int, int, int]:
    return identity.device_major, identity.device_minor, identity.inode
