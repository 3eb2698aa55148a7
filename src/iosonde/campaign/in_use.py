"""Refuses to write to files that another program has open, even with --overwrite."""

import time
from pathlib import Path
from typing import Final

from iosonde.errors import TargetError
from iosonde.machine import Host

# The kernel closes the files of a killed process shortly after its end.
WAIT_S_MAX: Final = 1.0
LOOK_EVERY_S: Final = 0.05


def check_not_in_use(host: Host, path: Path) -> bool:
    """Raises TargetError if a file is in use. Returns whether it is certain that it is not."""
    until = time.monotonic() + WAIT_S_MAX
    try:
        while (found := host.holders(str(path))).known and time.monotonic() < until:
            time.sleep(LOOK_EVERY_S)
    except OSError as error:
        raise TargetError(
            f"{path} cannot be inspected: {error.strerror}", "make sure that you have read permission"
        ) from error
    if found.known:
        raise TargetError(
            f"{path} is in use by {'; '.join(found.known)}",
            "wait until the file is no longer in use, unmount and detach its loop device, or specify another file",
        )
    return found.is_sure
