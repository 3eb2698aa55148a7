"""Whether paths answer, found out by processes of their own: whoever touches one that does not may wait for ever."""

import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.errors import HINT_HANGS, HINT_PROCESSES, EngineError, TargetError

ANSWER_S_MAX: Final = 120.0
"""As long as the engine waits for a call that shows no sign of being at work: a drive that is lost is given up by the
kernel in less."""

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


def check_answers(paths: Iterable[Path], wait_s: float = ANSWER_S_MAX) -> None:
    """Raises TargetError for a path that does not answer within ``wait_s``; all are asked at the same time.

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
    if silent:
        names = ", ".join(str(path) for path in silent)
        raise TargetError(f"looking at {names} did not come back within {wait_s:.0f} s", HINT_HANGS)


def _look_at(path: Path) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LOOK, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
    except OSError as error:
        raise EngineError(f"can't start a process that looks at {path}: {error.strerror}", HINT_PROCESSES) from error


def _leave(process: subprocess.Popen[bytes]) -> None:
    """Leaves a process to itself; Python would wait for it, or complain that nobody has."""
    if process.poll() is None:
        with suppress(OSError):
            process.kill()
        process.returncode = -1
    if process.stdout is not None:
        process.stdout.close()
