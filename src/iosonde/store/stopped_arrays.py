"""Keeps how an array is created again while its members are purged: nothing else knows it after a power cut."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from iosonde.records import MdArray
from iosonde.safe_files import read_regular, state_folder, write_file
from iosonde.store.directories import flush_directory

BYTES_MAX = 1 << 20
"""The largest file that is read."""


def keep_stopped_array(array: MdArray, command: Sequence[str]) -> Path:
    """Writes an array and the command that creates it to disk. Raises OutputError."""
    path = _place(array.path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_file(path, json.dumps({"array": array.model_dump(mode="json"), "command": list(command)}, indent=2) + "\n")
    flush_directory(path.parent)
    return path


def forget_stopped_array(path: Path) -> None:
    """Removes the file: the array is there again."""
    path.unlink(missing_ok=True)


def stopped_array(path: str) -> str:
    """How an array is created again that an interrupted purge has left stopped, for a hint; empty if there is none.

    The purge may have ended before its members were erased.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        words = json.loads(read_regular(_place(path), bytes_max=BYTES_MAX))["command"]
        command = " ".join(map(str, words))
        return f"its members may still have data: purge each by `iosonde prepare`, then create it again: {command}"
    return ""


def _place(path: str) -> Path:
    return state_folder("arrays") / f"{Path(path).name}.json"
