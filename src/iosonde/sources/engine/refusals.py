"""Turns the engine's refusals into errors with hints."""

import errno
from collections.abc import Mapping
from typing import Any, Final

from iosonde.errors import (
    HINT_HANGS,
    HINT_ONE_BUILD,
    HINT_PROCESSES,
    EngineError,
    IosondeError,
    RecordError,
    TargetError,
    UsageError,
)
from iosonde.vocabulary import FailureKind

_MENDS: Final[Mapping[str, tuple[type[IosondeError], str]]] = {
    FailureKind.TARGET_MISSING: (TargetError, "name an existing file, or a new file in an existing directory"),
    FailureKind.TARGET_EXISTS: (TargetError, "name another file, or overwrite this one with --overwrite"),
    FailureKind.NOT_REGULAR: (TargetError, "name a regular file, a directory or a block device"),
    FailureKind.NOT_DEVICE: (TargetError, "name a file, a directory or a block device in /dev"),
    FailureKind.DEVICE_WRITE: (
        TargetError,
        "iosonde only reads block devices; to measure writes, mount the device and name a directory on it",
    ),
    FailureKind.NO_NAMESPACE: (
        TargetError,
        "name a whole NVMe namespace, such as /dev/nvme0n1, or use --engine io_uring",
    ),
    FailureKind.NO_RIGHTS: (
        TargetError,
        "name a file or directory that you have access to; a block device needs root, outside a restricted container",
    ),
    FailureKind.HELD: (TargetError, "wait until it has finished, stop it, or name another file"),
    FailureKind.NO_SPACE: (TargetError, "free some space, or use a smaller --size"),
    FailureKind.DIRECT_REFUSED: (TargetError, "--buffered measures through the page cache; the report says so"),
    FailureKind.ALIGNMENT_UNKNOWN: (
        TargetError,
        "--buffered measures through the page cache; the report says so",
    ),
    FailureKind.TARGET_OPEN: (TargetError, "check the path and the file system, then run again"),
    FailureKind.CHANGED: (TargetError, "stop other programs that use the target while it is measured"),
    FailureKind.BAD_MODEL: (UsageError, "change that value; `iosonde sim list` lists the shipped models"),
    FailureKind.BAD_JOB: (UsageError, "lower or change that value"),
    FailureKind.ENGINE_REFUSED: (
        EngineError,
        "use --engine psync, which does not need io_uring, or a lower --queue-depth, which needs less memory",
    ),
    FailureKind.LEDGER: (
        RecordError,
        "use the unchanged run directory, with free space on its disk, or start a new run",
    ),
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
    return error(str(event.get("message", "the engine refused a command")), hint)
