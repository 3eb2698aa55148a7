"""Removes files that a run created, in separate processes, since their file system may have stopped responding."""

import os
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.machine.open_files import open_links
from iosonde.safe_files import CreatedFile, removing

RETRY_S: Final = 0.05


def remove_created_file(path: str, file: CreatedFile, mark: str, wait_s: float) -> str | None:
    """Removes a file. Returns "" if it is gone, else the reason, and None if there was no response.

    A process that does not end within ``wait_s`` is abandoned: a process that waits for an unresponsive file system
    cannot be killed.
    """
    try:
        remover = _remover_in_time(path, file, mark, wait_s)
    except OSError as error:
        return f"cannot start a process to remove it: {error.strerror}"
    with suppress(subprocess.TimeoutExpired):
        output, _ = remover.communicate(timeout=wait_s)
        return "" if remover.returncode == 0 else output.decode("utf-8", "replace") or "it could not be removed"
    # Otherwise Python would wait for it, or warn that it still runs.
    remover.returncode = -1
    return None


def start_remover(path: str, file: CreatedFile, mark: str) -> subprocess.Popen[bytes]:
    """Starts a process that removes a file. It has its own process group, so Ctrl-C does not end it. Raises OSError."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", removing.__file__, path, str(file.device), str(file.inode), mark],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def present_path(process: int, file: CreatedFile) -> str:
    """The present path of a file that a process has open; empty if it was unlinked, or is not open in that process."""
    for link in open_links(Path(f"/proc/{process}")):
        with suppress(OSError):
            found = link.stat()
            if (found.st_dev, found.st_ino) == (file.device, file.inode) and not stat.S_ISBLK(found.st_mode):
                return os.fspath(link.readlink()) if found.st_nlink > 0 else ""
    return ""


def _remover_in_time(path: str, file: CreatedFile, mark: str, wait_s: float) -> subprocess.Popen[bytes]:
    """Calls ``start_remover``. At the process limit it retries for ``wait_s``, since processes of the run will end."""
    until_s = time.monotonic() + wait_s
    while True:
        try:
            return start_remover(path, file, mark)
        except BlockingIOError:
            if time.monotonic() > until_s:
                raise
            time.sleep(RETRY_S)
