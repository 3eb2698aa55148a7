"""What the engine refuses, with the way out that only the front knows."""

import errno
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

_MENDS: Final[dict[str, tuple[type[IosondeError], str]]] = {
    "target_missing": (TargetError, "name a file that exists, or a new file in a directory that exists"),
    "target_exists": (TargetError, "name another file, or let iosonde overwrite this one with --overwrite"),
    "not_regular": (TargetError, "name a regular file, a directory or a block device"),
    "not_device": (TargetError, "name a file, a directory or a block device, as it is named in /dev"),
    "device_write": (TargetError, "block devices are only read; to measure writes, mount one and name a directory"),
    "no_namespace": (TargetError, "name a whole namespace of NVMe, such as /dev/nvme0n1, or use --engine io_uring"),
    "no_rights": (
        TargetError,
        "name a file or directory of your own; for a block device be root, and where no container forbids it",
    ),
    "held": (TargetError, "wait until that has ended, end it, or name another file"),
    "no_space": (TargetError, "make room, or ask for a smaller file with --size"),
    "direct_refused": (TargetError, "--buffered measures through the page cache, and the report will say so"),
    "alignment_unknown": (TargetError, "--buffered measures through the page cache, and the report will say so"),
    "target_open": (TargetError, "look at the path and the file system's state, then run again"),
    "changed": (TargetError, "keep other programs away from the target while it is measured"),
    "bad_model": (UsageError, "change the value that is named; `iosonde sim list` lists models that work"),
    "bad_job": (UsageError, "lower or change the value that is named"),
    "engine_refused": (EngineError, "--engine psync does without io_uring; lower --queue-depth needs less memory"),
    "ledger": (RecordError, "use the run directory as iosonde left it, with room on its disk, or start a new run"),
    "stuck": (TargetError, HINT_HANGS),
    "io": (TargetError, "look at the kernel's log (dmesg) and the device's health"),
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
