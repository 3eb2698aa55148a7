"""Removing files that a run created, by processes of their own: their file system may not answer any more."""

import os
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.safe_files import CreatedFile, removing

ASK_AGAIN_S: Final = 0.05


def remove_created_file(path: str, file: CreatedFile, mark: str, wait_s: float) -> str | None:
    """Why a file could not be removed; empty where nothing of ours lies there any more, None where nothing answered.

    A process that does not end within ``wait_s`` is left to itself: nobody can end what waits for a file system that
    does not answer.
    """
    try:
        remover = _remover_in_time(path, file, mark, wait_s)
    except OSError as error:
        return f"can't start a process to remove it: {error.strerror}"
    with suppress(subprocess.TimeoutExpired):
        said, _ = remover.communicate(timeout=wait_s)
        return "" if remover.returncode == 0 else said.decode("utf-8", "replace") or "it can't be removed"
    # Python would wait for it, or complain that nobody has.
    remover.returncode = -1
    return None


def start_remover(path: str, file: CreatedFile, mark: str) -> subprocess.Popen[bytes]:
    """A process that removes a file, in a group of its own: signals to this one's group don't reach it. OSError."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", removing.__file__, path, str(file.device), str(file.inode), mark],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def present_path(process: int, file: CreatedFile) -> str:
    """Where a file is now that a process has open; empty if it has been unlinked, or is not open there."""
    for link in Path(f"/proc/{process}/fd").glob("*"):
        with suppress(OSError):
            found = link.stat()
            if (found.st_dev, found.st_ino) == (file.device, file.inode) and not stat.S_ISBLK(found.st_mode):
                return os.fspath(link.readlink()) if found.st_nlink > 0 else ""
    return ""


def _remover_in_time(path: str, file: CreatedFile, mark: str, wait_s: float) -> subprocess.Popen[bytes]:
    """The same where the system starts no more processes for a moment: those of the run are about to end."""
    until_s = time.monotonic() + wait_s
    while True:
        try:
            return start_remover(path, file, mark)
        except BlockingIOError:
            if time.monotonic() > until_s:
                raise
            time.sleep(ASK_AGAIN_S)
