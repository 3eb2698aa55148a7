"""What the engine refuses, with the way out that only the front knows."""

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
    FailureKind.TARGET_MISSING: (TargetError, "name a file that exists, or a new file in a directory that exists"),
    FailureKind.TARGET_EXISTS: (TargetError, "name another file, or let iosonde overwrite this one with --overwrite"),
    FailureKind.NOT_REGULAR: (TargetError, "name a regular file, a directory or a block device"),
    FailureKind.NOT_DEVICE: (TargetError, "name a file, a directory or a block device, as it is named in /dev"),
    FailureKind.DEVICE_WRITE: (
        TargetError,
        "block devices are only read; to measure writes, mount one and name a directory",
    ),
    FailureKind.NO_NAMESPACE: (
        TargetError,
        "name a whole namespace of NVMe, such as /dev/nvme0n1, or use --engine io_uring",
    ),
    FailureKind.NO_RIGHTS: (
        TargetError,
        "name a file or directory of your own; for a block device be root, and where no container forbids it",
    ),
    FailureKind.HELD: (TargetError, "wait until that has ended, end it, or name another file"),
    FailureKind.NO_SPACE: (TargetError, "make room, or ask for a smaller file with --size"),
    FailureKind.DIRECT_REFUSED: (TargetError, "--buffered measures through the page cache, and the report will say so"),
    FailureKind.ALIGNMENT_UNKNOWN: (
        TargetError,
        "--buffered measures through the page cache, and the report will say so",
    ),
    FailureKind.TARGET_OPEN: (TargetError, "look at the path and the file system's state, then run again"),
    FailureKind.CHANGED: (TargetError, "keep other programs away from the target while it is measured"),
    FailureKind.BAD_MODEL: (UsageError, "change the value that is named; `iosonde sim list` lists models that work"),
    FailureKind.BAD_JOB: (UsageError, "lower or change the value that is named"),
    FailureKind.ENGINE_REFUSED: (
        EngineError,
        "--engine psync does without io_uring; lower --queue-depth needs less memory",
    ),
    FailureKind.LEDGER: (
        RecordError,
        "use the run directory as iosonde left it, with room on its disk, or start a new run",
    ),
    FailureKind.STUCK: (TargetError, HINT_HANGS),
    FailureKind.IO: (TargetError, "look at the kernel's log (dmesg) and the device's health"),
}
_FALLBACK: Final = (EngineError, HINT_ONE_BUILD)


def refusal(event: dict[str, Any]) -> IosondeError:
    """The error to raise for the engine's ``error`` event."""
    error, hint = _MENDS.get(str(event.get("kind")), _FALLBACK)
    if event.get("errno") == errno.EFBIG:
        hint = "raise the limit of file sizes (ulimit -f), or ask for a smaller file with --size"
    if event.get("errno") == errno.EAGAIN:
        hint = HINT_PROCESSES
    return error(str(event.get("message", "the engine refused a command")), hint)
