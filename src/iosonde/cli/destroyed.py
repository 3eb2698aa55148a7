"""The identities of block devices whose contents a command may destroy."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iosonde.errors import UsageError
from iosonde.safe_files import read_regular

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


def _lines(file: Path) -> list[str]:
    try:
        text = read_regular(file, bytes_max=LENGTH_MAX, follow=True).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"--destroy-from {file}: {reason}", "specify a text file with one identity per line"
        ) from error
    # Only a line feed ends a line, and a number sign within an identity is part of it.
    found = [line for each in text.split("\n") if (line := _COMMENT.sub("", each).strip(" \t\r"))]
    if not found:
        raise UsageError(f"--destroy-from {file} has no identities", "write one identity per line")
    return found
