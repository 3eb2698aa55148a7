"""Operating-system errors that can occur anywhere, as errors that the user can fix."""

import errno
from pathlib import Path

from iosonde.errors import HINT_FILES, HINT_PROCESSES, IosondeError, OutputError, UsageError

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})
_NO_THREAD = "can't start new thread"


def system_error(error: Exception) -> IosondeError | None:
    """The error to print; None for a bug of iosonde."""
    if isinstance(error, MemoryError):
        hint = "raise the limit (ulimit -v), or free some memory; a report needs about 1 GiB"
        return OutputError("out of memory", hint)
    # Python has no class of its own for a thread that cannot be started.
    if isinstance(error, BlockingIOError) or (isinstance(error, RuntimeError) and _NO_THREAD in str(error)):
        return OutputError("the system cannot start more processes or threads", HINT_PROCESSES)
    return _of_system_call(error) if isinstance(error, OSError) else None


def _of_system_call(error: OSError) -> IosondeError | None:
    if _is_homeless():
        return UsageError("the working directory no longer exists", "change to an existing directory, then run again")
    if error.errno == errno.EBADF:
        return OutputError("cannot write: stdout is not open for writing", "redirect stdout, for example with > FILE")
    if error.errno in _NO_FILES:
        return OutputError(f"cannot open a file: {error.strerror}", HINT_FILES)
    if error.errno in _NO_ROOM:
        return OutputError(f"cannot write: {error.strerror}", "free some space, or write to another file system")
    return None


def _is_homeless() -> bool:
    """Whether the working directory was removed: no relative path can be resolved then."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False
