"""Refuses targets that do not respond."""

import errno
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from iosonde.errors import HINT_HANGS, HINT_PROCESSES, EngineError, TargetError
from iosonde.machine import Host

ANSWER_S_MAX: Final = 120.0
"""As long as the engine waits for a call without progress. The kernel drops a lost drive sooner."""


def check_answers(host: Host, paths: Iterable[Path], wait_s: float = ANSWER_S_MAX) -> None:
    """Raises TargetError for paths that do not respond within ``wait_s`` seconds. All are checked at the same time."""
    try:
        silent = host.silent(tuple(str(path) for path in paths), wait_s)
    except OSError as error:
        # Python itself may be in a folder that this user may not enter, such as the home of root.
        is_limit = error.errno not in {errno.EACCES, errno.ENOENT}
        hint = HINT_PROCESSES if is_limit else f"make sure that this user may run {sys.executable}"
        raise EngineError(f"cannot start a process to check {error.filename}: {error.strerror}", hint) from error
    if silent:
        raise TargetError(f"{', '.join(silent)} did not respond within {wait_s:.0f} s", HINT_HANGS)
