"""Removing the files that a run has made, also where their file system does not answer any more."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.machine import Host
from iosonde.records import Identity
from iosonde.safe_files import CreatedFile
from iosonde.sources import MadeTarget

# The longest wait for a removal, on a file system that has already failed to answer and where the user wants an end: a
# busy disk takes seconds to free a large file. After that the removal continues on its own.
LOST_S_MAX: Final = 2.0
BUSY_S_MAX: Final = 8.0
NO_ANSWER: Final = "its file system does not respond"

# Is told of a file that could not be removed, and why.
TellLeft = Callable[[Path, str], None]


@dataclass(frozen=True)
class _Made:
    path: Path
    file: CreatedFile
    mark: str


class CreatedFiles:
    """The files that a run has made, in this session or an earlier one: all are removed at its end, however it ends."""

    def __init__(self, host: Host, tell_left: TellLeft) -> None:
        self._host = host
        self._tell_left = tell_left
        self._made: list[_Made] = []

    def add_new(self, path: Path, made: MadeTarget, mark: str) -> None:
        """Takes up a file that was made just now. Where it has no mark, the user's registry says whose it is."""
        self.add(path, made.identity, mark)
        if not made.marked:
            self._host.register(path.name, file_of(made.identity), mark)

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
                self._host.abandon(str(made.path), made.file, made.mark)
        return tuple(made.path for made in self._made)

    def remove(self, wait_s: float, holder: int | None) -> bool:
        """Removes what its path still leads to, and tells what could not be removed. False where nothing answered.

        Nobody waits longer than ``wait_s`` for one. ``holder`` is a process that still has the files open, which tells
        where one is that was moved meanwhile.
        """
        has_answered = True
        for made in self._made:
            path, reason = made.path, self._host.remove(str(made.path), made.file, made.mark, wait_s)
            has_answered = has_answered and reason is not None
            moved = self._host.present_path(holder, made.file) if has_answered and holder is not None else ""
            if moved and Path(moved) != path:
                # Where only its folder has another name by now, it is still ours to remove.
                path, reason = Path(moved), "it was moved there during the run"
                if path.name == made.path.name:
                    reason = self._host.remove(moved, made.file, made.mark, wait_s)
            if reason == "":
                self._host.unregister(made.mark)
            else:
                self._tell_left(path, NO_ANSWER if reason is None else reason)
        self._made.clear()
        return has_answered


def file_of(identity: Identity) -> CreatedFile:
    """A target's file, by the numbers that the front compares."""
    return CreatedFile(os.makedev(identity.device_major, identity.device_minor), identity.inode, identity.born_ns)
