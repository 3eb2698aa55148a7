"""Removes the files that a run has created, even if their file system no longer responds."""

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

# The longest wait for a removal: on a file system that has already failed to respond, and after an interruption. A busy
# disk takes seconds to free a large file. After this time the removal continues in its own process.
LOST_S_MAX: Final = 2.0
BUSY_S_MAX: Final = 8.0
NO_ANSWER: Final = "its file system does not respond"

# Called with a file that could not be removed, and the reason.
TellLeft = Callable[[Path, str], None]


@dataclass(frozen=True)
class _Made:
    path: Path
    file: CreatedFile
    mark: str


class CreatedFiles:
    """The files that a run has created, in this session or an earlier one. All are removed when the run ends."""

    def __init__(self, host: Host, tell_left: TellLeft) -> None:
        self._host = host
        self._tell_left = tell_left
        self._made: list[_Made] = []

    def add_new(self, path: Path, made: MadeTarget, mark: str) -> None:
        """Adds a file that was just created. If it has no mark, the user's registry records that the run owns it."""
        self.add(path, made.identity, mark)
        if not made.marked:
            self._host.register(path.name, file_of(made.identity), mark)

    def add(self, path: Path, identity: Identity, mark: str) -> None:
        """Adds a file that the run is known to own."""
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
        """Removes the files that are still at their paths, and reports those that could not be removed.

        Returns False if a file system did not respond. Waits at most ``wait_s`` seconds for each file. ``holder`` is a
        process that has the files open; it shows the present path of a file that was moved.
        """
        has_answered = True
        for made in self._made:
            path, reason = made.path, self._host.remove(str(made.path), made.file, made.mark, wait_s)
            has_answered = has_answered and reason is not None
            moved = self._host.present_path(holder, made.file) if has_answered and holder is not None else ""
            if moved and Path(moved) != path:
                # A file whose directory was renamed still has its name, and is removed.
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
    """A target's file, identified by device, inode and birth time."""
    return CreatedFile(os.makedev(identity.device_major, identity.device_minor), identity.inode, identity.born_ns)
