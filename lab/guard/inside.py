"""Inside the guest: puts an emulated drive to every use, asks engine and front for it, and leaves a line for each."""

import json
import os
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from iosonde.errors import IosondeError
from lab.forked import load_modules
from lab.guard.asking import Engine, refused
from lab.guard.drives import DRIVES, MIB, by_serial
from lab.guard.mistaken import MISTAKEN
from lab.guard.rightful import RIGHTFUL
from lab.guard.ways import LabWay, ways

SEEN: Final = Path("/lab/seen.jsonl")


def wipe(device: Path) -> None:
    """Zeros at both ends, where signatures are."""
    size = int(subprocess.run(["blockdev", "--getsize64", device], capture_output=True, text=True, check=True).stdout)
    with device.open("r+b", buffering=0) as file:
        for at in (0, size - 2 * MIB):
            file.seek(at)
            file.write(bytes(2 * MIB))
        os.fsync(file.fileno())
    subprocess.run(["partx", "--delete", device], capture_output=True, check=False)


def try_way(engine: Engine, way: LabWay, disk: Path) -> dict[str, Any]:
    """Puts a drive to a use, and asks for it."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = stack.enter_context(way.use(disk, Path(folder)))
        return refused(engine, path, way.check, disk)


def main() -> None:
    """Tries all ways, then the special ones."""
    load_modules()
    disk = by_serial(DRIVES[0])
    engine = Engine()
    with SEEN.open("w", encoding="utf-8") as seen:

        def note(name: str, attempt: Callable[[], dict[str, Any]]) -> None:
            began = time.monotonic()
            try:
                found = attempt()
            except (AssertionError, OSError, subprocess.SubprocessError, IosondeError, KeyError) as error:
                found = {"failed": f"{error!r} {getattr(error, 'stderr', '')} {traceback.format_exc()[-600:]}"}
            seen.write(json.dumps({"name": name, "s": round(time.monotonic() - began, 1), **found}) + "\n")
            seen.flush()

        for way in ways():
            note(way.name, partial(try_way, engine, way, disk))
            with suppress(OSError):
                wipe(disk)
        for name, special in (*MISTAKEN.items(), *RIGHTFUL.items()):
            note(name, partial(special, engine))
            for each in DRIVES:
                with suppress(OSError, StopIteration):
                    wipe(by_serial(each))


if __name__ == "__main__":
    main()
