"""What every hostile case is held to: one line, one hint, the exit code, and bytes that are what they were."""

import fcntl
import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iosonde.safe_files import mark_on, path_handle
from tests.commands import command, few_cells

Result = subprocess.CompletedProcess[str]
VICTIM_BYTES = b"precious\n" * 7


@dataclass(frozen=True)
class Victim:
    """A file that nobody gave up."""

    path: Path
    was: tuple[int, int, int, bytes]

    def assert_untouched(self) -> None:
        """The same file, with the same bytes, under its name."""
        assert _state(self.path) == self.was, f"{self.path} is not what it was"


def victim(path: Path, content: bytes = VICTIM_BYTES) -> Victim:
    """Makes a file of somebody's own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return Victim(path, _state(path))


def _state(path: Path) -> tuple[int, int, int, bytes]:
    found = path.lstat()
    assert stat.S_ISREG(found.st_mode), f"{path} is no regular file any more"
    return found.st_ino, found.st_size, found.st_mtime_ns, path.read_bytes()


def assert_refused(result: Result, *codes: int) -> None:
    """One line on what happened, one on the way out, the exit code of its class, and no traceback."""
    assert result.returncode in codes, (result.returncode, result.stderr)
    assert "Traceback" not in result.stderr, result.stderr
    lines = result.stderr.splitlines()
    assert sum(line.startswith("error: ") for line in lines) == 1, result.stderr
    assert sum(line.startswith("hint: ") for line in lines) == 1, result.stderr


def tree_of(folder: Path) -> set[str]:
    """Every name below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def assert_nothing_left(folder: Path, before: set[str]) -> None:
    """No name below the folder that was not there before."""
    assert tree_of(folder) <= before, tree_of(folder) - before


def identity_of(path: Path) -> dict[str, Any]:
    """What a run would have kept of a file; when it was made comes from statx, which Python does not have."""
    found = path.stat()
    born = subprocess.run(["stat", "--format=%.9W", path], capture_output=True, text=True, check=True).stdout
    return {
        "device_major": os.major(found.st_dev),
        "device_minor": os.minor(found.st_dev),
        "inode": found.st_ino,
        "size_bytes": found.st_size,
        "born_ns": int(born.replace(".", "")) or None,
    }


def start_run(folder: Path, place: Path, *, duration: str = "80ms", verify: bool = False) -> subprocess.Popen[str]:
    """A run of four cells of that length each, into ``folder / "run"``; what it says on stderr is kept."""
    campaign = few_cells(folder, **({"verify": "true"} if verify else {}))
    campaign.write_text(campaign.read_text(encoding="utf-8").replace('"80ms"', f'"{duration}"'), encoding="utf-8")
    words = ("run", place, "--profile", campaign, "--size", "16MiB", "--buffered", "--out", folder / "run")
    return subprocess.Popen(
        command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
    )


def wait_until_measuring(run: Path) -> None:
    """Waits until a run of cells of seconds has measured some of the first."""
    journal = run / "journal"
    wait_for(lambda: journal.exists() and journal.stat().st_size > 8000, "cells are measured")


def marked(path: Path) -> bool:
    """Whether a file has iosonde's mark."""
    with path_handle(path) as seen:
        return bool(mark_on(seen))


def broken_off(folder: Path, *, cells: int = 1, verify: bool = False, target: Path | None = None) -> Path:
    """A run that was killed after so many cells: its file is still there, as after a power cut."""
    folder.mkdir(parents=True, exist_ok=True)
    place = target or folder / "place"
    if target is None:
        place.mkdir()
    process = start_run(folder, place, duration="300ms", verify=verify)
    assert process.stderr is not None
    done = 0
    for line in process.stderr:
        done += line.startswith("[")
        if done >= cells:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    # The kernel gives up what the engine had open a moment after its end.
    wait_for(lambda: not _is_locked(place), "the engine is gone")
    return folder / "run"


def _is_locked(place: Path) -> bool:
    """Whether anybody measures a file in a folder, or that file."""
    for path in place.glob("*.data") if place.is_dir() else [place]:
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Waits until something holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.01)


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    with suppress(OSError):
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()]
    return []


def environment(**more: str) -> Mapping[str, str]:
    """That of this process, with a terminal of a known width."""
    return {**os.environ, "COLUMNS": "100", **more}
