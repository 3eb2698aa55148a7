"""The one way in which commands say anything to people on stderr."""

from pathlib import Path
from typing import Final

import typer

from iosonde.errors import OutputError
from iosonde.printing import printable

_LEFT: Final[list[Path]] = []


def say(line: str) -> None:
    """Says one line. Whatever is in it that came from elsewhere neither steers the terminal nor begins another line."""
    typer.echo(printable(line), err=True)


def say_left(path: Path, reason: str) -> None:
    """Says at once that a file of ours could not be removed; the command fails by it at its end."""
    _LEFT.append(path)
    say(f"warning: {path} could not be removed: {reason}")


def check_removed() -> None:
    """Raises OutputError where a file of ours is left."""
    if _LEFT:
        folder = _LEFT[0].parent
        raise OutputError(
            f"{_LEFT[0]} is left, which iosonde has made",
            f"see to it that it can be removed; then `iosonde clean {folder}` removes it",
        )
