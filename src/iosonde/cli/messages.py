"""Messages to the user on stderr; all commands print them here."""

from contextlib import suppress
from pathlib import Path
from typing import Final

import typer

from iosonde.errors import OutputError
from iosonde.printing import printable, quoted

_LEFT: Final[list[Path]] = []


def say(line: str) -> None:
    """Prints one line, without control characters and line breaks from paths, names or engines."""
    # A run continues when the reader of its progress has closed the pipe.
    with suppress(OSError):
        typer.echo(printable(line), err=True)


def say_left(path: Path, reason: str) -> None:
    """Warns that a file iosonde created could not be removed; the command fails at its end."""
    _LEFT.append(path)
    say(f"warning: {path} could not be removed: {reason}")


def check_removed() -> None:
    """Raises OutputError if a file could not be removed."""
    if _LEFT:
        folder = _LEFT[0].parent
        raise OutputError(
            f"{_LEFT[0]}, which iosonde created, could not be removed",
            f"restore write access to {folder}, then remove the file with `iosonde clean {quoted(folder)}`",
        )
