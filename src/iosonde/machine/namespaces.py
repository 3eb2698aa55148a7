"""The two devices of an NVMe namespace: the block device, and the generic character device for commands."""

import os
import stat
from pathlib import Path
from typing import Final

from iosonde.machine.device import own_folder
from iosonde.machine.sysfs import read_text

_CLASS: Final = "nvme-generic"
_GENERIC, _BLOCK = "ng", "nvme"


def generic_of(block: Path, root: Path = Path("/")) -> Path | None:
    """The generic device of a block device's namespace; None for a partition, or a device that is not NVMe.

    sysfs has both in the same directory, and their names differ only in the prefix. Raises OSError.
    """
    folder = own_folder(block.stat().st_rdev, root)
    if folder is None or not folder.name.startswith(_BLOCK):
        return None
    sibling = folder.parent / f"{_GENERIC}{folder.name.removeprefix(_BLOCK)}"
    return root / "dev" / sibling.name if _is_generic(sibling) else None


def block_of(generic: Path, root: Path = Path("/")) -> Path | None:
    """The block device of a generic device's namespace; None if it is not such a device. Raises OSError."""
    facts = generic.stat()
    if not stat.S_ISCHR(facts.st_mode):
        return None
    folder = (root / f"sys/dev/char/{os.major(facts.st_rdev)}:{os.minor(facts.st_rdev)}").resolve()
    sibling = folder.parent / f"{_BLOCK}{folder.name.removeprefix(_GENERIC)}"
    return root / "dev" / sibling.name if _is_generic(folder) and read_text(sibling / "dev") else None


def _is_generic(folder: Path) -> bool:
    return (folder / "subsystem").resolve().name == _CLASS
