"""Checks in separate processes whether paths respond, since any access to one that does not may hang for ever."""

import subprocess
import sys
import time
from contextlib import suppress
from typing import Final

# The same system calls that are made for a target before the engine opens it. An error is a response as well.
_CHECK: Final = """
import os, stat, sys
path = sys.argv[1]
try:
    if not os.path.lexists(path):
        path = os.path.dirname(path) or "."
    mode = os.stat(path).st_mode
    os.statvfs(path)
    if stat.S_ISDIR(mode):
        os.listdir(path)
    elif stat.S_ISREG(mode):
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
except OSError:
    pass
"""


def silent_paths(paths: tuple[str, ...], wait_s: float) -> tuple[str, ...]:
    """The paths that do not respond within ``wait_s``. Raises OSError, with the path, if a process cannot be started.

    A process that waits in the kernel cannot be killed, so processes that do not end are abandoned.
    """
    checks = {path: _start_check(path) for path in dict.fromkeys(paths)}
    until_s = time.monotonic() + wait_s
    silent = []
    for path, process in checks.items():
        try:
            process.communicate(timeout=max(until_s - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            _abandon(process)
            silent.append(path)
        except BaseException:
            for each in checks.values():
                _abandon(each)
            raise
    return tuple(silent)


def _start_check(path: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHECK, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _abandon(process: subprocess.Popen[bytes]) -> None:
    """Abandons a process. Without this, Python would wait for it or warn that it still runs."""
    if process.poll() is None:
        with suppress(OSError):
            process.kill()
        process.returncode = -1
    if process.stdout is not None:
        process.stdout.close()
