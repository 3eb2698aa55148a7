"""Checks that the files of a running measurement still exist: data written to a removed file would be lost."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from iosonde.errors import OutputError


@dataclass(frozen=True)
class _Seen:
    """The state of a file: device and inode, and its size if it must not shrink."""

    device: int
    inode: int
    size_bytes: int | None


class Watch:
    """The files of a run, by the paths at which they must remain."""

    def __init__(self) -> None:
        self._seen: dict[Path, _Seen] = {}

    def add(self, path: Path, *, sized: bool) -> None:
        """Adds an existing file. With ``sized`` it must not shrink either. Raises OutputError."""
        try:
            found = path.lstat()
        except OSError as error:
            raise _lost(path, error.strerror or "it cannot be accessed") from error
        self._seen[path] = _Seen(found.st_dev, found.st_ino, found.st_size if sized else None)

    def check(self) -> None:
        """Raises OutputError if a file was removed, replaced, moved with its directory, or truncated."""
        for path, was in self._seen.items():
            try:
                now = path.lstat()
            except FileNotFoundError:
                raise _lost(path, "it was removed or moved") from None
            except OSError as error:
                raise _lost(path, error.strerror or "it cannot be accessed") from error
            if (now.st_dev, now.st_ino) != (was.device, was.inode) or not stat.S_ISREG(now.st_mode):
                raise _lost(path, "it was replaced by another file")
            if was.size_bytes is not None and now.st_size < was.size_bytes:
                raise _lost(path, f"it was truncated from {was.size_bytes} to {now.st_size} bytes")


def check_size(path: Path, handle: int, size_bytes: int) -> None:
    """Raises OutputError if a growing file is shorter than what was written to it."""
    now = os.fstat(handle).st_size
    if now < size_bytes:
        raise _lost(path, f"it was truncated from {size_bytes} to {now} bytes")


def _lost(path: Path, what: str) -> OutputError:
    return OutputError(
        f"{path} changed during the run: {what}",
        "run again, and do not change the run directory during the run",
        final=True,
    )
