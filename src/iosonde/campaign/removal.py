"""Removing the files that a run has made, also where their file system does not answer any more."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from iosonde.records import Identity
from iosonde.safe_files import CreatedFile, path_handle, register_created, removing, unregister_created
from iosonde.sources import MadeTarget

# The longest wait for a removal, on a file system that has already failed to answer and where the user wants an end: a
# busy disk takes seconds to free a large file. After that the removal continues on its own.
LOST_S_MAX: Final = 2.0
BUSY_S_MAX: Final = 8.0
ASK_AGAIN_S: Final = 0.05
NO_ANSWER: Final = "its file system does not answer"

# Is told of a file that could not be removed, and why.
TellLeft = Callable[[Path, str], None]


@dataclass(frozen=True)
class _Made:
    path: Path
    file: CreatedFile
    mark: str


class CreatedFiles:
    """The files that a run has made, in this session or an earlier one: all are removed at its end, however it ends."""

    def __init__(self, tell_left: TellLeft) -> None:
        self._tell_left = tell_left
        self._made: list[_Made] = []

    def add_new(self, path: Path, made: MadeTarget, mark: str) -> None:
        """Takes up a file that was made just now. Where it has no mark, the user's registry says whose it is."""
        self.add(path, made.identity, mark)
        if not made.marked:
            register_created(path.name, file_of(made.identity), mark)

    def add(self, path: Path, identity: Identity, mark: str) -> None:
        """Takes up a file that is known to be ours."""
        self._made.append(_Made(path, file_of(identity), mark))

    def has(self, path: Path) -> bool:
        """Whether a file at that path is among them."""
        return any(made.path == path for made in self._made)

    def abandon(self) -> tuple[Path, ...]:
        """Starts a process for each file that removes it, without waiting. Returns the paths."""
        for made in self._made:
            with suppress(OSError):
                _remover(made)
        return tuple(made.path for made in self._made)

    def remove(self, handles: Callable[[], Mapping[tuple[int, int], Path]], wait_s: float) -> bool:
        """Removes what its path still leads to, and tells what could not be removed. False where nothing answered.

        Another process does it, which is left to itself when it does not end within ``wait_s``: nobody can end what
        waits for a file system that does not answer. ``handles`` are files that are still open, by device and inode:
        they say where one is that was moved meanwhile.
        """
        has_answered = True
        for made in self._made:
            path, reason = made.path, _remove(made, wait_s)
            has_answered = has_answered and reason != NO_ANSWER
            opened = handles() if has_answered else {}
            moved = _present_path(opened.get((made.file.device, made.file.inode)))
            if moved is not None and moved != path:
                # Where only its folder has another name by now, it is still ours to remove.
                path, reason = moved, "it was moved there during the run"
                if moved.name == made.path.name:
                    reason = _remove(replace(made, path=moved), wait_s)
            if reason:
                self._tell_left(path, reason)
            else:
                unregister_created(made.mark)
        self._made.clear()
        return has_answered


def file_of(identity: Identity) -> CreatedFile:
    """A target's file, by the numbers that the front compares."""
    return CreatedFile(os.makedev(identity.device_major, identity.device_minor), identity.inode, identity.born_ns)


def numbers_of(path: Path) -> Identity:
    """The numbers of whatever lies at a path. Raises OSError."""
    with path_handle(path) as seen:
        found = os.fstat(seen)
    return Identity(
        device_major=os.major(found.st_dev),
        device_minor=os.minor(found.st_dev),
        inode=found.st_ino,
        size_bytes=found.st_size,
    )


def _present_path(handle: Path | None) -> Path | None:
    """The present path of an open file; None if it has been unlinked."""
    with suppress(OSError):
        if handle is not None and handle.stat().st_nlink > 0:
            return handle.readlink()
    return None


def _remover(made: _Made) -> subprocess.Popen[bytes]:
    """A process that removes a file, in a group of its own: signals to this one's group don't reach it."""
    numbers = (str(made.file.device), str(made.file.inode))
    return subprocess.Popen(
        [sys.executable, "-I", "-S", removing.__file__, str(made.path), *numbers, made.mark],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _remover_in_time(made: _Made, wait_s: float) -> subprocess.Popen[bytes]:
    """The same where the system starts no more processes for a moment: those of the run are about to end."""
    until_s = time.monotonic() + wait_s
    while True:
        try:
            return _remover(made)
        except BlockingIOError:
            if time.monotonic() > until_s:
                raise
            time.sleep(ASK_AGAIN_S)


def _remove(made: _Made, wait_s: float) -> str:
    """Why it could not be removed; empty where nothing of ours lies there any more."""
    try:
        remover = _remover_in_time(made, wait_s)
    except OSError as error:
        return f"no process can be started to remove it: {error.strerror}"
    with suppress(subprocess.TimeoutExpired):
        said, _ = remover.communicate(timeout=wait_s)
        return "" if remover.returncode == 0 else said.decode("utf-8", "replace") or "it can't be removed"
    # Python would wait for it, or complain that nobody has.
    remover.returncode = -1
    return NO_ANSWER
