"""Which files iosonde made: a name that only it gives, and a mark that only the maker could leave.

A run directory may come from a stranger, and what it says of a file is not believed: the file itself has to say it. Its
maker leaves an extended attribute that names the run, which nobody else could have left who may not write the file
anyway. Where a file system keeps none, an entry in a registry of the user's own says the same.
"""

import errno
import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.errors import OutputError
from iosonde.handles.making import write_whole
from iosonde.handles.opening import looking, open_own
from iosonde.handles.removing import ATTRIBUTE

ENTRY_BYTES_MAX: Final = 4096
MADE_NAME: Final = re.compile(r"iosonde-\d{8}-\d{6}-[0-9a-f]{4}(-\d+)?\.data")


@dataclass(frozen=True)
class MadeFile:
    """A file by its numbers; ``born_ns`` is None where the file system does not keep when it was made."""

    device: int
    inode: int
    born_ns: int | None


def made_name(run: str, number: int) -> str:
    """What a run calls the file that it makes of its own for a target, which is counted from 0."""
    return f"iosonde-{run}.data" if number == 0 else f"iosonde-{run}-{number + 1}.data"


def mark_of(run: str, seed: int, number: int) -> str:
    """What the maker of that file leaves on it: the same for nothing else."""
    return hashlib.blake2b(f"{run}/{seed}/{number}".encode(), digest_size=16).hexdigest()


def has_mark(path: Path, made: MadeFile, mark: str) -> bool:
    """Whether what lies at a path is that file and has the mark. False where that can't be known."""
    try:
        with looking(path) as seen:
            found = os.fstat(seen)
            if (found.st_dev, found.st_ino) != (made.device, made.inode):
                return False
            try:
                return os.getxattr(f"/proc/self/fd/{seen}", ATTRIBUTE) == mark.encode()
            except OSError as error:
                if error.errno not in {errno.ENODATA, errno.EOPNOTSUPP}:
                    return False
        return _entry(_place(mark)) == (path.name, made)
    except (OSError, RuntimeError):
        return False


def mark_on(path: Path) -> str:
    """The mark on a file, whatever it says; empty where it has none."""
    with suppress(OSError), looking(path) as seen:
        return os.getxattr(f"/proc/self/fd/{seen}", ATTRIBUTE).decode("ascii", "replace")
    return ""


def note_made(name: str, made: MadeFile, mark: str) -> None:
    """Enters a file that could not be marked into the registry; where there is none, nobody will know whose it is."""
    entry = {"name": name, "device": made.device, "inode": made.inode, "born_ns": made.born_ns}
    with suppress(OSError, RuntimeError, OutputError):
        place = _place(mark)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(place, json.dumps(entry) + "\n")


def forget_made(mark: str) -> None:
    """Takes a file that is gone out of the registry."""
    with suppress(OSError, RuntimeError):
        _place(mark).unlink()


def entry_mark(name: str, device: int, inode: int) -> str:
    """The mark under which a file of that name and those numbers stands in the registry; empty where it does not."""
    with suppress(OSError, RuntimeError):
        for place in sorted(_registry().glob("*.json")):
            entry = _entry(place)
            if entry is not None and (entry[0], entry[1].device, entry[1].inode) == (name, device, inode):
                return place.stem
    return ""


def _entry(place: Path) -> tuple[str, MadeFile] | None:
    try:
        with open_own(place) as file:
            found = json.loads(file.read(ENTRY_BYTES_MAX))
            return str(found["name"]), MadeFile(int(found["device"]), int(found["inode"]), found["born_ns"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _registry() -> Path:
    state = os.environ.get("XDG_STATE_HOME", "")
    root = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return root / "iosonde" / "made"


def _place(mark: str) -> Path:
    return _registry() / f"{mark}.json"
