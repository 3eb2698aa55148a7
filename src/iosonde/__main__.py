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
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from iosonde.cli.main import entry
    except KeyboardInterrupt:
        # Nothing has begun yet, and there is nothing to say.
        sys.exit(130)
    entry()


if __name__ == "__main__":
    start()
