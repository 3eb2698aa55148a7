"""Finds fio, and checks its version."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.errors import EngineError
from iosonde.records import Engine, Workload

OVERRIDE: Final = "IOSONDE_FIO"
# Older versions lack options that the translation needs, and their JSON has another structure.
VERSION_MIN: Final = (3, 28)
ANSWER_S_MAX: Final = 10.0
_VERSION: Final = re.compile(r"fio-(\d+)\.(\d+)")
_INSTALL: Final = "install fio 3.28 or newer (Debian: apt install fio), or omit --engine fio"


@dataclass(frozen=True)
class Program:
    """An installed fio: the version that it reports, such as ``fio-3.33``, and the names of its ioengines."""

    path: Path
    version: str
    ioengines: frozenset[str]


def find_fio() -> Program:
    """Finds fio at the path in the environment variable, else on the PATH. Raises EngineError if missing or too old."""
    named = os.environ.get(OVERRIDE)
    found = named or shutil.which("fio")
    if found is None:
        raise EngineError("fio was not found on the PATH", _INSTALL)
    version = _ask(found, "--version").strip()
    match = _VERSION.match(version)
    if match is None:
        raise EngineError(f"{found} is not fio: it reports the version {version[:60]!r}", _INSTALL)
    if (int(match[1]), int(match[2])) < VERSION_MIN:
        raise EngineError(f"{found} is {version}, which is too old", _INSTALL)
    listed = {line.strip() for line in _ask(found, "--enghelp").splitlines()}
    return Program(Path(found), version, frozenset(listed))


def ioengine_for(workload: Workload, program: Program, offered: tuple[Engine, ...], *, direct: bool) -> str:
    """The ioengine that matches iosonde's own choice: io_uring, or psync for single writes with their flush.

    If the host refuses io_uring, libaio is next, which is asynchronous only with direct I/O. Raises EngineError if no
    ioengine can keep more than one operation in flight.
    """
    alone = workload.queue_depth == 1
    if workload.flushes_each and alone:
        return "psync"
    if Engine.IO_URING in offered and "io_uring" in program.ioengines:
        return "io_uring"
    if direct and "libaio" in program.ioengines:
        return "libaio"
    if alone:
        return "psync"
    libaio = "libaio is not available either" if direct else "libaio requires direct I/O"
    raise EngineError(
        f"no fio job can keep several operations in flight: io_uring is not available, and {libaio}",
        "enable io_uring, or omit --engine fio to use psync, which uses a thread for each operation in flight",
    )


def _ask(path: str, word: str) -> str:
    try:
        answer = subprocess.run(
            [path, word], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ANSWER_S_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"{path} did not report its version: {error}", _INSTALL) from error
    return answer.stdout
