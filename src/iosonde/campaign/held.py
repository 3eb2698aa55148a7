"""Files that somebody else has: they are not written, whatever the user has given up."""

import time
from pathlib import Path
from typing import Final

from iosonde.errors import TargetError
from iosonde.machine import holders_of

# The kernel gives up the files of a process that was ended a moment after its end.
HELD_S_MAX: Final = 1.0
LOOK_EVERY_S: Final = 0.05


def check_unheld(path: Path) -> bool:
    """Raises TargetError for a file that somebody else has, and must not be written; whether that surely is nobody."""
    until = time.monotonic() + HELD_S_MAX
    try:
        while (found := holders_of(path)).known and time.monotonic() < until:
            time.sleep(LOOK_EVERY_S)
    except OSError as error:
        raise TargetError(f"{path} can't be looked at: {error.strerror}", "ask for the rights to read it") from error
    if found.known:
        raise TargetError(
            f"{path} is held by {'; '.join(found.known)}",
            "wait until that has ended, or detach or unmount it, or name another file",
        )
    return found.is_sure
