"""The exceptions for errors that a user can fix.

IosondeError
├── UsageError          exit 2   an invalid flag or value
├── TargetError         exit 3   the target is missing, was rejected, or is not as expected
├── EngineError         exit 4   the engine is missing, was rejected, or failed
├── MeasurementError    exit 5   the run ended, but some of its cells or operations failed
├── RecordError         exit 6   the run directory cannot be read
│   └── NewerError      exit 6   a run that a newer iosonde has written
├── OutputError         exit 7   an output cannot be written
├── DataError           exit 8   the data read back differs from the data written
├── ExpectationError    exit 9   the run does not meet the expected values
├── UndecidedError      exit 10  the run is inconclusive: no check failed, but some are undecided
├── NotPurgedError      exit 11  the device was not purged
└── NotVerifiedError    exit 12  reading the device back does not confirm that it was purged

An interruption is not an error: the command exits with 129 for SIGHUP, 130 for SIGINT and 143 for SIGTERM.
"""

import errno
from collections.abc import Callable
from typing import Any, Final

HINT_HANGS: Final = (
    "check the kernel log (dmesg), force-unmount an unresponsive file system (umount -f), then run again"
)
"""The hint for a target that does not respond: any access to it may hang for ever."""

HINT_GONE: Final = "check the drive's power and connection, and the kernel log (dmesg)"
"""The hint for a device that was removed, or given up by the kernel."""

HINT_LIMIT: Final = (
    "specify another limit for the rest (--max-writes, --max-temperature, --min-spare); first let a hot drive cool"
)
"""The hint for a limit that the user set for a run."""

HINT_WRITE_CACHE: Final = (
    "omit --write-cache (in a campaign file: write_cache), or use a whole NVMe, SCSI, SATA or virtio drive with a "
    "volatile write cache"
)
"""The hint for a device whose write cache cannot be set."""

HINT_PROCESSES: Final = (
    "raise the limit on processes and threads (ulimit -u, or pids.max of the cgroup), or stop other processes"
)
"""The hint if the limit on processes is reached."""

HINT_FILES: Final = "raise the limit on open files (ulimit -n)"
"""The hint if the limit on open files is reached."""

HINT_ONE_BUILD: Final = "the Python package and the engine binary must be from the same build; reinstall iosonde"
"""The hint if the Python package and the engine use different protocol versions."""


def limit_hint(error: OSError) -> str | None:
    """The hint if a limit of the system was reached; None for any other error."""
    if error.errno in {errno.EMFILE, errno.ENFILE}:
        return HINT_FILES
    return HINT_PROCESSES if error.errno == errno.EAGAIN else None


class IosondeError(Exception):
    """An error that a user can fix.

    ``message`` is one line on what happened; ``hint`` is one line on what to do. ``final`` says that a run ended by it
    cannot be resumed unchanged: then the hint names an alternative.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.final = final

    def __reduce__(self) -> tuple[Callable[..., "IosondeError"], tuple[str, str], dict[str, Any]]:
        """Pickles all attributes, so that the error can cross process boundaries."""
        return type(self), (self.message, self.hint), {"final": self.final}


class UsageError(IosondeError):
    """An invalid flag or value."""

    exit_code = 2


class TargetError(IosondeError):
    """The target is missing, was rejected, or is not as expected."""

    exit_code = 3


class EngineError(IosondeError):
    """The engine is missing, was rejected, or failed."""

    exit_code = 4


class MeasurementError(IosondeError):
    """The run ended, but some of its cells or operations failed."""

    exit_code = 5


class RecordError(IosondeError):
    """The run directory cannot be read."""

    exit_code = 6


class NewerError(RecordError):
    """A run that a newer iosonde has written, with content that this one does not know. It is not changed."""


class DataError(IosondeError):
    """The data read back differs from the data written."""

    exit_code = 8


class ExpectationError(IosondeError):
    """The run does not meet the expected values."""

    exit_code = 9


class UndecidedError(IosondeError):
    """The run is inconclusive: no check failed, but some are undecided."""

    exit_code = 10


class NotPurgedError(IosondeError):
    """The device was not purged: the method failed, or data survived that it had to erase."""

    exit_code = 11


class NotVerifiedError(IosondeError):
    """Reading the device back does not confirm that it was purged."""

    exit_code = 12


class OutputError(IosondeError):
    """An output cannot be written."""

    exit_code = 7
