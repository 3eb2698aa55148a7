"""The identities of block devices whose contents a command may destroy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iosonde.errors import UsageError

LENGTH_MAX: Final = 1 << 20
"""The largest file of identities, in bytes."""


def identities(named: Sequence[str] | None, file: Path | None) -> tuple[str, ...]:
    """Those that options name, and those in a file: one a line, without blank lines and comments (#).

    Raises UsageError.
    """
    found = [" ".join(each.split()) for each in named or ()]
    if not all(found):
        raise UsageError("--destroy is empty", "`iosonde doctor DEVICE` prints the identity of a device")
    if file is not None:
        found += _lines(file)
    return tuple(dict.fromkeys(found))


def _lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as opened:
            text = opened.read(LENGTH_MAX + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"--destroy-from {file}: {reason}", "specify a text file with one identity per line"
        ) from error
    if len(text) > LENGTH_MAX:
        raise UsageError(f"--destroy-from {file} is larger than 1 MiB", "specify a file with one identity per line")
    lines = (" ".join(line.partition("#")[0].split()) for line in text.splitlines())
    found = [line for line in lines if line]
    if not found:
        raise UsageError(f"--destroy-from {file} has no identities", "write one identity per line")
    return found
