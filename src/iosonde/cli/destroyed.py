"""The identities of block devices whose contents a command may destroy."""

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from iosonde.errors import UsageError

_COMMENT: Final = re.compile(r"(^|[ \t]+)#.*")
LENGTH_MAX: Final = 1 << 20
"""The largest file of identities, in bytes."""


def identities(named: Sequence[str] | None, file: Path | None) -> tuple[str, ...]:
    """Those that options name, and those in a file: one a line, without blank lines and comments (#).

    Raises UsageError.
    """
    found = list(named or ())
    if not all(each.strip() for each in found):
        raise UsageError("--destroy is empty", "`iosonde doctor DEVICE` prints the identity of a device")
    if file is not None:
        found += _lines(file)
    return tuple(dict.fromkeys(found))


def open_regular(file: Path) -> BinaryIO:
    """Opens a regular file, and never waits for the other end of a pipe. Raises OSError."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "it is not a regular file")
    return os.fdopen(handle, "rb")


def _lines(file: Path) -> list[str]:
    try:
        with open_regular(file) as opened:
            text = opened.read(LENGTH_MAX + 1).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"--destroy-from {file}: {reason}", "specify a text file with one identity per line"
        ) from error
    if len(text) > LENGTH_MAX:
        raise UsageError(f"--destroy-from {file} is larger than 1 MiB", "specify a file with one identity per line")
    # Only a line feed ends a line, and a number sign within an identity is part of it.
    found = [line for each in text.split("\n") if (line := _COMMENT.sub("", each).strip(" \t\r"))]
    if not found:
        raise UsageError(f"--destroy-from {file} has no identities", "write one identity per line")
    return found
