"""What scenarios are made of: places that can be told to hang, and commands that are measured until their last word."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.errors import IosondeError
from iosonde.sources import EngineSource, OpenRequest
from tests.commands import command
from tests.stories.faulty_places import FaultyFile, faulty_file
from tests.stories.loop_devices import attached

CAMPAIGN: Final = """
name = "hangs"
repeats = 1
warmup = "0s"
duration = "3s"
{more}
[[experiment]]
name = "one"
pattern = "random"
read = {read}
block_size = "4KiB"
queue_depth = 2
sync = "{sync}"
"""
SIZE_BYTES: Final = 64 << 20
# Beyond this a scenario is taken for one that never ends, and its command is ended.
WAIT_S_MAX: Final = 400.0


@dataclass(frozen=True)
class Told:
    """How a command ended: how long after the hang, with which code, and what its user reads."""

    took_s: float
    code: int
    line: str


class Stage:
    """Where one scenario is played."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.stack = stack
        self.folder = folder

    def faulty(self, name: str = "faulty", size_bytes: int = SIZE_BYTES // 4) -> FaultyFile:
        """A file that hangs when it is told to."""
        return self.stack.enter_context(faulty_file(self.folder / name, size_bytes))

    def disk(self) -> tuple[FaultyFile, Path]:
        """A block device that hangs when the file below it is told to."""
        file = self.faulty("below", SIZE_BYTES)
        device = self.stack.enter_context(attached(file.path))
        # What is told to hang must not keep the device from being given back.
        self.stack.callback(_let_go, file)
        return file, device

    def mounted(self, *, faulty: bool) -> tuple[FaultyFile | None, Path]:
        """An ext4 file system, on a disk that hangs when it is told to, or on one that works."""
        file: FaultyFile | None = None
        if faulty:
            file, device = self.disk()
        else:
            image = self.folder / "image"
            with image.open("wb") as written:
                written.truncate(SIZE_BYTES)
            device = self.stack.enter_context(attached(image))
        place = self.folder / "mounted"
        place.mkdir()
        run("mkfs.ext4", "-q", "-F", device)
        run("mount", device, place)
        self.stack.callback(lambda: subprocess.run(["umount", "--lazy", place], check=False))
        if file is not None:
            self.stack.callback(_let_go, file)
        return file, place

    def campaign(self, read: int = 100, sync: str = "none", more: str = "") -> Path:
        """A campaign file of one cell of 3 s."""
        path = self.folder / "hangs.toml"
        path.write_text(CAMPAIGN.format(read=read, sync=sync, more=more), encoding="utf-8")
        return path

    def start(self, *words: object) -> subprocess.Popen[str]:
        """Starts iosonde."""
        process = subprocess.Popen(
            command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )
        self.stack.callback(_end, process)
        return process

    def start_run(self, target: object, *words: object, until: str = "preconditioned at") -> subprocess.Popen[str]:
        """Starts a run, and waits until it has said something."""
        process = self.start("run", target, "--out", self.folder / "run", *words)
        hear(process, until)
        return process


def run(*words: object) -> None:
    """Runs a command to its end."""
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def hear(process: subprocess.Popen[str], until: str) -> None:
    """Waits until a command has said something."""
    assert process.stderr is not None
    heard: list[str] = []
    while not any(line.startswith(until) for line in heard):
        heard.append(process.stderr.readline())
        assert heard[-1], heard


def _let_go(file: FaultyFile) -> None:
    if file.process.poll() is None:
        file.tell("go")


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], since_s: float) -> Told:
    """How a command ends."""
    try:
        _, said = process.communicate(timeout=WAIT_S_MAX)
    except subprocess.TimeoutExpired:
        return Told(time.monotonic() - since_s, -1, "it never ended")
    told = [line for line in said.splitlines() if line.startswith("error: ")]
    told = told or [line for line in said.splitlines() if line and not line.startswith("hint: ")]
    return Told(time.monotonic() - since_s, process.returncode, told[0] if told else "")


@contextmanager
def source_on(*requests: OpenRequest) -> Iterator[EngineSource]:
    """An engine with targets open."""
    source = EngineSource()
    try:
        for request in requests:
            source.open(request)
        yield source
    finally:
        source.kill()
        source.end()


def told_by(source: EngineSource, act: Callable[[], object]) -> Told:
    """How the engine answers what the front asks of it; its code is that of the command that would have asked."""
    since_s = time.monotonic()
    try:
        act()
    except IosondeError as error:
        assert source.is_lost, "the front would go on with such a target"
        return Told(time.monotonic() - since_s, error.exit_code, f"error: {error.message}")
    return Told(time.monotonic() - since_s, 0, "nothing was wrong")
