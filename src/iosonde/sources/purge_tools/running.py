"""Runs a program that purges a drive, which may take hours."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from iosonde.errors import TargetError

LOOK_S: Final = 0.1
"""How often it is checked whether the program has ended."""
OUTPUT_MAX: Final = 64 << 10
"""The most output that is read."""
PACKAGES: Final = {
    "hdparm": "hdparm",
    "mdadm": "mdadm",
    "udevadm": "udev",
    "sg_sanitize": "sg3-utils",
    "sg_format": "sg3-utils",
}


@dataclass(frozen=True)
class ToolEnd:
    """How a program ended: its exit code, and its output with its error messages."""

    code: int
    output: str

    @property
    def last_line(self) -> str:
        """The last line that says something."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else f"exit code {self.code}"


class ToolRunner:
    """Runs programs, each until it ends: an erase that is interrupted would leave a drive locked.

    ``tick`` is called while one runs. ``on_interrupt`` is called for a KeyboardInterrupt, which ends nothing.
    """

    def __init__(
        self, prefix: Sequence[str], tick: Callable[[], None], on_interrupt: Callable[[], None] = lambda: None
    ) -> None:
        self._prefix = tuple(prefix)
        self._tick = tick
        self._on_interrupt = on_interrupt

    def run(self, *words: str) -> ToolEnd:
        """Runs a program to its end. Raises TargetError if it is missing."""
        self.check(words[0])
        with tempfile.TemporaryFile() as output:
            # A session of its own: the interruption of this process does not reach it.
            process = subprocess.Popen(
                [*self._prefix, *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "LC_ALL": "C"},
            )
            code = self._await(process)
            output.seek(0)
            return ToolEnd(code, output.read(OUTPUT_MAX).decode("utf-8", "replace"))

    def check(self, program: str) -> None:
        """Raises TargetError if a program is missing."""
        if not self._prefix and shutil.which(program) is None:
            raise TargetError(
                f"this method requires {program}, which was not found on the PATH",
                f"install it (Debian: apt install {PACKAGES[program]})",
            )

    def _await(self, process: subprocess.Popen[bytes]) -> int:
        while True:
            try:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(LOOK_S)
                self._tick()
            except KeyboardInterrupt:
                self._on_interrupt()
