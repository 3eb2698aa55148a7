"""The open files of a process, as the kernel lists them in ``/proc``."""

from contextlib import suppress
from pathlib import Path


def open_links(process: Path) -> list[Path]:
    """The links to the open files of a process (``/proc/1234``), none if it has ended or belongs to another user."""
    with suppress(OSError):
        return list((process / "fd").iterdir())
    return []
