"""What a user can mend, as a tree of exceptions.

IosondeError
├── UsageError          exit 2   a flag or a value that makes no sense
├── TargetError         exit 3   the target is missing, refused, or not what it should be
├── EngineError         exit 4   the engine is missing, refused, or broke off
├── MeasurementError    exit 5   the run ended, but cells that were asked for failed
├── RecordError         exit 6   a run directory that can't be read
│   └── NewerError      exit 6   a run that a newer iosonde has written
├── OutputError         exit 7   a place that can't be written
├── DataError           exit 8   what was read back is not what was written
├── ExpectationError    exit 9   a run does not meet what was expected of it
└── UndecidedError      exit 10  a run does not tell whether it meets what was expected of it

An interruption is not an error: the command line ends with 129 for SIGHUP, 130 for SIGINT and 143 for SIGTERM.
"""

import errno
from collections.abc import Callable
from typing import Any, Final

HINT_HANGS: Final = (
    "check the kernel log (dmesg); `umount -f` force-unmounts an unresponsive file system, then run again"
)
"""The way out where a target does not answer, and whoever touches it may wait for ever."""

HINT_PROCESSES: Final = "raise the limit on processes and threads (ulimit -u; pids.max of the cgroup), or stop some"
"""The way out where the system starts no more of them."""

HINT_FILES: Final = "raise the limit on open files (ulimit -n)"
"""The way out where no more files can be opened."""

HINT_ONE_BUILD: Final = "front end and engine must come from the same build: install iosonde again"
"""The way out where the engine does not speak the front's protocol."""


def limit_hint(error: OSError) -> str | None:
    """The way out where a limit of the system was reached; None for any other error."""
    if error.errno in {errno.EMFILE, errno.ENFILE}:
        return HINT_FILES
    return HINT_PROCESSES if error.errno == errno.EAGAIN else None


class IosondeError(Exception):
    """One line on what happened, and one line on the way out.

    ``message`` is the line that says what happened; ``hint`` is the line that the user can follow. ``final`` says that
    a run which it ended can't go on as it is: then the hint names another way.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.final = final

    def __reduce__(self) -> tuple[Callable[..., "IosondeError"], tuple[str, str], dict[str, Any]]:
        """How it passes from process to process, whole."""
        return type(self), (self.message, self.hint), {"final": self.final}


class UsageError(IosondeError):
    """A flag or a value that makes no sense."""

    exit_code = 2


class TargetError(IosondeError):
    """The target is missing, refused, or not what it should be."""

    exit_code = 3


class EngineError(IosondeError):
    """The engine is missing, refused, or broke off."""

    exit_code = 4


class MeasurementError(IosondeError):
    """The run ended, but cells that were asked for failed."""

    exit_code = 5


class RecordError(IosondeError):
    """A run directory that can't be read."""

    exit_code = 6


class NewerError(RecordError):
    """A run that a newer iosonde has written: it holds what this one does not know, and nothing of it is touched."""


class DataError(IosondeError):
    """What was read back is not what was written."""

    exit_code = 8


class ExpectationError(IosondeError):
    """A run does not meet what was expected of it."""

    exit_code = 9


class UndecidedError(IosondeError):
    """A run does not tell whether it meets what was expected of it."""

    exit_code = 10


class OutputError(IosondeError):
    """A place that can't be written."""

    exit_code = 7
