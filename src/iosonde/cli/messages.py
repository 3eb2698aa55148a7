"""Messages to the user on stderr; all commands print them here."""

from contextlib import suppress
from pathlib import Path
from typing import Final

import typer

from iosonde.errors import OutputError, TargetError
from iosonde.printing import printable, quoted

_LEFT: Final[list[Path]] = []
_UNRESTORED: Final[list[str]] = []


def say(line: str) -> None:
    """Prints one line, without control characters and line breaks from paths, names or engines."""
    # A run continues when the reader of its progress has closed the pipe.
    with suppress(OSError):
        typer.echo(printable(line), err=True)


def say_left(path: Path, reason: str) -> None:
    """Warns that a file iosonde created could not be removed; the command fails at its end."""
    _LEFT.append(path)
    say(f"warning: {path} could not be removed: {reason}")


def say_unrestored(device: str, reason: str) -> None:
    """Warns that a setting of a device was not restored; the command fails at its end."""
    _UNRESTORED.append(device)
    say(f"warning: the write cache of {device} was not restored: {reason}")
    say("hint: `iosonde doctor --restore` restores it, and so does the next run")


def check_removed() -> None:
    """Raises OutputError if a file could not be removed, and TargetError if a setting was not restored."""
    if _UNRESTORED:
        raise TargetError(
            f"the write cache of {_UNRESTORED[0]} is not as it was before the run", "`iosonde doctor --restore`"
        )
    if _LEFT:
        folder = _LEFT[0].parent
        raise OutputError(
            f"{_LEFT[0]}, which iosonde created, could not be removed",
            f"restore write access to {folder}, then remove the file with `iosonde clean {quoted(folder)}`",
        )
