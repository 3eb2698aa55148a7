"""Whether paths answer, found out by processes of their own: whoever touches one that does not may wait for ever."""

import subprocess
import sys
import time
from contextlib import suppress
from typing import Final

# What is asked for is what is asked of a target before the engine opens it. What fails has answered.
_LOOK: Final = """
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
    """The paths that do not answer within ``wait_s``. OSError, with the path, where no process looks at it.

    A process that waits in the kernel can't be ended, so none is waited for that does not end.
    """
    asked = {path: _look_at(path) for path in dict.fromkeys(paths)}
    until_s = time.monotonic() + wait_s
    silent = []
    for path, process in asked.items():
        try:
            process.communicate(timeout=max(until_s - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            _leave(process)
            silent.append(path)
        except BaseException:
            for each in asked.values():
                _leave(each)
            raise
    return tuple(silent)


def _look_at(path: str) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LOOK, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _leave(process: subprocess.Popen[bytes]) -> None:
    """Leaves a process to itself; Python would wait for it, or complain that nobody has."""
    if process.poll() is None:
        with suppress(OSError):
            process.kill()
        process.returncode = -1
    if process.stdout is not None:
        process.stdout.close()
