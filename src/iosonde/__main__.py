"""Where both ``iosonde`` and ``python -m iosonde`` begin: what must be set before anything else is loaded."""

import gc
import os
import sys
from typing import NoReturn

# Loading makes a hundred thousand objects that stay; looking for garbage among them while they are made, and for
# Pydantic plug-ins that we don't use, is a tenth of the CPU time of a short command.
_GARBAGE_THRESHOLDS = (100_000, 50, 50)


def start() -> NoReturn:
    """Runs the command line."""
    _open_standard_streams()
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from iosonde.cli.main import entry
    except KeyboardInterrupt:
        # Nothing has begun yet, and there is nothing to say.
        sys.exit(130)
    entry()


def _open_standard_streams() -> None:
    """Opens those that whoever started us had closed: else the next file opened takes their place and what they get."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")


if __name__ == "__main__":
    start()
