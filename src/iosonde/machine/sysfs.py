"""Reads small files of the kernel, without errors."""

from pathlib import Path


def read_text(path: Path) -> str:
    """The text of a kernel file, without surrounding white space; empty if it does not exist or cannot be read."""
    try:
        return path.read_text(errors="replace").replace("\0", "").strip()
    except OSError:
        return ""


def read_int(path: Path) -> int | None:
    """The number in a kernel file; None if there is none."""
    try:
        return int(read_text(path))
    except ValueError:
        return None


def chosen(text: str) -> str:
    """The choice among alternatives, which sysfs puts in brackets: ``mq-deadline`` of ``none [mq-deadline]``."""
    return text[text.find("[") + 1 : text.find("]")] if "[" in text else text
