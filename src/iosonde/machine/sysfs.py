"""Small files of the kernel, read without fuss."""

from pathlib import Path


def read_text(path: Path) -> str:
    """What a file of the kernel says, without white space around it; empty when it isn't there or won't be read."""
    try:
        return path.read_text(errors="replace").replace("\0", "").strip()
    except OSError:
        return ""


def read_int(path: Path) -> int | None:
    """The number in a file of the kernel; None when there is none."""
    try:
        return int(read_text(path))
    except ValueError:
        return None
