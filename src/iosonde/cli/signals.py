"""How the command ends on a signal."""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from iosonde.cli.messages import say, say_left, say_unrestored
from iosonde.cli.system_errors import system_error
from iosonde.errors import IosondeError
from iosonde.printing import printable

INTERRUPTED_BASE = 128
TOGETHER_S = 0.2


class Ending:
    """SIGINT, SIGTERM and SIGHUP: the first signal ends a run in order, a later one ends it immediately.

    Typer turns a KeyboardInterrupt into its own exit code, so the signal is recorded here. ``advice`` is the hint that
    is printed on an immediate end. ``told`` means that the user has been told already. ``abandon`` lets other processes
    remove the files that the run has created, and returns their paths.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.code: int | None = None
        self.advice = ""
        self.told = False
        self.abandon: Callable[[], tuple[Path, ...]] = lambda: ()
        self._now_s = now_s
        self._since_s = 0.0

    @property
    def word(self) -> str:
        """How the command ended."""
        if self.code == INTERRUPTED_BASE + signal.SIGHUP:
            return "hung up"
        return "interrupted" if self.code == INTERRUPTED_BASE + signal.SIGINT else "terminated"

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Handles a signal."""
        if self.code is None:
            self.code, self._since_s = INTERRUPTED_BASE + number, self._now_s()
            raise KeyboardInterrupt
        # timeout(1) and terminals signal the process and then its group: these two signals are one request to end.
        if self._now_s() - self._since_s < TOGETHER_S:
            return
        left = ", ".join(printable(str(path)) for path in self.abandon())
        removed = f"; {left} will be removed if its file system responds" if left else ""
        # Nothing here may wait, raise or be caught. The journal is complete up to its last frame.
        with suppress(OSError):
            os.write(2, f"stopped immediately{removed}. hint: {self.advice or 'run again'}\n".encode())
        os._exit(self.code)


ENDING = Ending()


def hides_an_interruption(error: BaseException) -> bool:
    """Whether a library was interrupted and raised its own error for that, as pydantic's core does."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt) or KeyboardInterrupt.__name__ in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


class FileObserver:
    """The part of an observer that handles the files a run creates; every observer of a command has it."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """Lets a second signal, which ends the process immediately, first start their removal."""
        ENDING.abandon = abandon

    def left_behind(self, path: Path, reason: str) -> None:
        """Warns of a file that could not be removed; the command fails at its end."""
        say_left(path, reason)

    def setting_left(self, device: str, reason: str) -> None:
        """Warns of a setting that was not restored; the command fails at its end."""
        say_unrestored(device, reason)


def tell(error: IosondeError) -> int:
    """Prints an error and its hint, if stderr is writable. Returns the exit code of its class."""
    with suppress(OSError):
        say(f"error: {error.message}")
        say(f"hint: {error.hint}")
    return error.exit_code


def leave(code: int) -> NoReturn:
    """Ends the process without a cleanup: freeing a thousand cells takes a sixth of the time of a report."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        mended = system_error(error)
        if mended is None:
            raise
        code = code or tell(mended)
    os._exit(code)
