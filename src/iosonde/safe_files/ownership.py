"""How iosonde recognises the files that it created: by their name and by a mark on them.

A run directory is untrusted input, so what it says about a file proves nothing. The mark is an extended attribute with
a digest of the run; setting it requires write permission. On file systems without extended attributes, an entry in a
registry in the user's state directory takes its place.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.errors import OutputError
from iosonde.safe_files.atomic import write_file
from iosonde.safe_files.opening import open_own, path_handle
from iosonde.safe_files.removing import read_mark

ENTRY_BYTES_MAX: Final = 4096
OWN_FILE_NAME: Final = re.compile(r"iosonde-\d{8}-\d{6}-[0-9a-f]{4}(-\d+)?\.data")


@dataclass(frozen=True)
class CreatedFile:
    """A file's identity; ``born_ns`` is None if the file system records no birth time."""

    device: int
    inode: int
    born_ns: int | None


def own_file_name(run: str, number: int) -> str:
    """The name of the file that a run creates for a target; ``number`` counts targets from 0."""
    return f"iosonde-{run}.data" if number == 0 else f"iosonde-{run}-{number + 1}.data"


def mark_of(run: str, seed: int, number: int) -> str:
    """The mark for that file, which is unique to the run and target."""
    return hashlib.blake2b(f"{run}/{seed}/{number}".encode(), digest_size=16).hexdigest()


def has_mark(path: Path, made: CreatedFile, mark: str) -> bool:
    """Whether the file at a path is that file and has the mark. False if this cannot be determined."""
    try:
        with path_handle(path) as seen:
            found = os.fstat(seen)
            # A file with another name may belong to the user, even if it carries the mark.
            if (found.st_dev, found.st_ino) != (made.device, made.inode) or found.st_nlink != 1:
                return False
            on_it = mark_on(seen)
        if on_it:
            return on_it == mark
        return _entry(_place(mark)) == (path.name, made)
    except (OSError, RuntimeError):
        return False


def mark_on(handle: int) -> str:
    """The mark on an open file, not validated; empty if it has none."""
    return read_mark(f"/proc/self/fd/{handle}", follow=True)


def register_created(name: str, made: CreatedFile, mark: str) -> None:
    """Adds a file without a mark to the registry. If that fails, a later session will not recognise the file."""
    entry = {"name": name, "device": made.device, "inode": made.inode, "born_ns": made.born_ns}
    with suppress(OSError, RuntimeError, OutputError):
        place = _place(mark)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(place, json.dumps(entry) + "\n")


def unregister_created(mark: str) -> None:
    """Removes a file from the registry."""
    with suppress(OSError, RuntimeError):
        _place(mark).unlink()


def registered_mark(name: str, device: int, inode: int) -> str:
    """The mark of a file in the registry; empty if it is not there."""
    with suppress(OSError, RuntimeError):
        for place in sorted(_registry().glob("*.json")):
            entry = _entry(place)
            if entry is not None and (entry[0], entry[1].device, entry[1].inode) == (name, device, inode):
                return place.stem
    return ""


def _entry(place: Path) -> tuple[str, CreatedFile] | None:
    try:
        with open_own(place) as file:
            found = json.loads(file.read(ENTRY_BYTES_MAX))
            return str(found["name"]), CreatedFile(int(found["device"]), int(found["inode"]), found["born_ns"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def state_folder(name: str) -> Path:
    """A folder for what iosonde remembers between commands (XDG base directories). It may not exist yet."""
    state = os.environ.get("XDG_STATE_HOME", "")
    root = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return root / "iosonde" / name


def _registry() -> Path:
    return state_folder("made")


def _place(mark: str) -> Path:
    return _registry() / f"{mark}.json"
