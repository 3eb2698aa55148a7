"""Refuses targets that do not answer."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from iosonde.errors import HINT_HANGS, HINT_PROCESSES, EngineError, TargetError
from iosonde.machine import Host

ANSWER_S_MAX: Final = 120.0
"""As long as the engine waits for a call that shows no sign of being at work: a drive that is lost is given up by the
kernel in less."""


def check_answers(host: Host, paths: Iterable[Path], wait_s: float = ANSWER_S_MAX) -> None:
    """Raises TargetError for a path that does not answer within ``wait_s``; all are asked at the same time."""
    try:
        silent = host.silent(tuple(str(path) for path in paths), wait_s)
    except OSError as error:
        raise EngineError(
            f"can't start a process that looks at {error.filename}: {error.strerror}", HINT_PROCESSES
        ) from error
    if silent:
        raise TargetError(f"looking at {', '.join(silent)} did not come back within {wait_s:.0f} s", HINT_HANGS)
