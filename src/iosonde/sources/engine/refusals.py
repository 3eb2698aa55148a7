"""Turns the engine's refusals into errors with hints."""

import errno
from collections.abc import Mapping
from typing import Any, Final

from iosonde.errors import (
    HINT_GONE,
    HINT_HANGS,
    HINT_LIMIT,
    HINT_ONE_BUILD,
    HINT_PROCESSES,
    HINT_WRITE_CACHE,
    EngineError,
    IosondeError,
    RecordError,
    TargetError,
    UsageError,
)
from iosonde.vocabulary import FailureKind

_MENDS: Final[Mapping[str, tuple[type[IosondeError], str]]] = {
    FailureKind.TARGET_MISSING: (TargetError, "specify an existing file, or a new file in an existing directory"),
    FailureKind.TARGET_EXISTS: (TargetError, "specify another file, or overwrite this one with --overwrite"),
    FailureKind.NOT_REGULAR: (TargetError, "specify a regular file or a block device"),
    FailureKind.NOT_DEVICE: (TargetError, "specify a file, a directory or a block device in /dev"),
    FailureKind.DEVICE_WRITE: (
        TargetError,
        "`iosonde doctor DEVICE` shows what speaks against writing to a device, and how to change it",
    ),
    FailureKind.NO_NAMESPACE: (
        TargetError,
        "specify a whole NVMe namespace, such as /dev/nvme0n1, or use --engine io_uring",
    ),
    FailureKind.NO_RIGHTS: (
        TargetError,
        "use a target that you can access; block devices require root or their group, and device access in a container",
    ),
    FailureKind.HELD: (TargetError, "wait until that process exits, stop it, or use another target"),
    FailureKind.NO_SPACE: (TargetError, "free some space, or use a smaller --size"),
    FailureKind.DIRECT_REFUSED: (
        TargetError,
        "use --buffered to measure through the page cache; the report notes this",
    ),
    FailureKind.ALIGNMENT_UNKNOWN: (
        TargetError,
        "use --buffered to measure through the page cache; the report notes this",
    ),
    FailureKind.TARGET_OPEN: (TargetError, "check the path and the file system, then run again"),
    FailureKind.CHANGED: (TargetError, "make sure that no other program changes the target during the run"),
    FailureKind.GONE: (TargetError, HINT_GONE),
    FailureKind.BAD_MODEL: (UsageError, "correct this value; `iosonde sim list` lists the included models"),
    FailureKind.BAD_JOB: (UsageError, "reduce or correct this value"),
    FailureKind.ENGINE_REFUSED: (
        EngineError,
        "use --engine psync, which does not need io_uring, or a lower --queue-depth, which uses less memory",
    ),
    FailureKind.LIMIT: (TargetError, HINT_LIMIT),
    FailureKind.LEDGER: (
        RecordError,
        "check that this is the original run directory and that its file system has free space, or start a new run",
    ),
    FailureKind.PURGE_REFUSED: (
        TargetError,
        "`iosonde prepare DEVICE` lists the methods that the drive supports, and what each of them destroys",
    ),
    FailureKind.CACHE_REFUSED: (TargetError, HINT_WRITE_CACHE),
    FailureKind.STUCK: (TargetError, HINT_HANGS),
    FailureKind.IO: (TargetError, "check the kernel log (dmesg) and the device's health"),
}
_FALLBACK: Final = (EngineError, HINT_ONE_BUILD)


def refusal(event: dict[str, Any]) -> IosondeError:
    """The error to raise for the engine's ``error`` event."""
    error, hint = _MENDS.get(str(event.get("kind")), _FALLBACK)
    if event.get("errno") == errno.EFBIG:
        hint = "raise the file-size limit (ulimit -f), or use a smaller --size"
    if event.get("errno") == errno.EAGAIN:
        hint = HINT_PROCESSES
    return error(str(event.get("message", "the engine rejected a command")), hint)
