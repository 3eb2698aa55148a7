"""The two devices of a namespace of NVMe: the block device, and the generic one that takes commands."""

import os
import stat
from pathlib import Path
from typing import Final

from iosonde.machine.device import own_folder
from iosonde.machine.sysfs import read_text

_CLASS: Final = "nvme-generic"
_GENERIC, _BLOCK = "ng", "nvme"


def generic_of(block: Path, root: Path = Path("/")) -> Path | None:
    """The generic device of the namespace that a block device is; None where it is none, or a part of one.

    sysfs has both side by side, and their names differ in their first letters only. Raises OSError.
    """
    folder = own_folder(block.stat().st_rdev, root)
    if folder is None or not folder.name.startswith(_BLOCK):
        return None
    beside = folder.parent / f"{_GENERIC}{folder.name.removeprefix(_BLOCK)}"
    return root / "dev" / beside.name if _is_generic(beside) else None


def block_of(generic: Path, root: Path = Path("/")) -> Path | None:
    """The block device of the namespace that a generic device takes commands for; None where it is none. OSError."""
    facts = generic.stat()
    if not stat.S_ISCHR(facts.st_mode):
        return None
    folder = (root / f"sys/dev/char/{os.major(facts.st_rdev)}:{os.minor(facts.st_rdev)}").resolve()
    beside = folder.parent / f"{_BLOCK}{folder.name.removeprefix(_GENERIC)}"
    return root / "dev" / beside.name if _is_generic(folder) and read_text(beside / "dev") else None


def _is_generic(folder: Path) -> bool:
    return (folder / "subsystem").resolve().name == _CLASS
