"""How the command ends when it is told to from outside."""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from iosonde.cli.messages import say, say_left
from iosonde.cli.system_errors import system_error
from iosonde.errors import IosondeError
from iosonde.printing import printable

INTERRUPTED_BASE = 128
TOGETHER_S = 0.2


class Ending:
    """SIGINT, SIGTERM and SIGHUP: the first one ends a run in order, one that comes later ends it at once.

    Typer turns a KeyboardInterrupt into its own exit code, so the signal is remembered here. ``advice`` is what a user
    is told when there is no time for more; ``told`` says that the user knows already. ``abandon`` has other processes
    remove the files that the run has created, and says which they are.
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
        """What happened to the command."""
        return "interrupted" if self.code == INTERRUPTED_BASE + signal.SIGINT else "terminated"

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Answers a signal."""
        if self.code is None:
            self.code, self._since_s = INTERRUPTED_BASE + number, self._now_s()
            raise KeyboardInterrupt
        # timeout(1) signals a process and then its group, and a terminal signals both too: that is one end, not two.
        if self._now_s() - self._since_s < TOGETHER_S:
            return
        left = ", ".join(printable(str(path)) for path in self.abandon())
        removed = f"; {left} will be removed, if its file system answers" if left else ""
        # Nothing that could wait, raise or be caught: the journal is whole up to its last frame anyway.
        with suppress(OSError):
            os.write(2, f"ended at once{removed}. hint: {self.advice or 'run again'}\n".encode())
        os._exit(self.code)


ENDING = Ending()


def hides_an_interruption(error: BaseException) -> bool:
    """Whether a library was interrupted in its midst and tells that as an error of its own, as pydantic's core does."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt) or KeyboardInterrupt.__name__ in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


class FileObserver:
    """The part of an observer that is about the files that a run creates; every observer of a command has it."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """Has a second signal, which ends everything at once, start their removal first."""
        ENDING.abandon = abandon

    def left_behind(self, path: Path, reason: str) -> None:
        """Warns of a file that could not be removed; the command fails at its end."""
        say_left(path, reason)


def tell(error: IosondeError) -> int:
    """Prints an error and its hint; the exit code of its class, which is all that is left where nothing takes words."""
    with suppress(OSError):
        say(f"error: {error.message}")
        say(f"hint: {error.hint}")
    return error.exit_code


def leave(code: int) -> NoReturn:
    """Ends the process as it stands: taking a thousand cells apart first is a sixth of what a report takes."""
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
