"""Runs smartctl (smartmontools), which asks SATA and SAS drives for their health. It only reads."""

import json
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from iosonde.machine.smart_values import health_of
from iosonde.records import DriveHealth

WAIT_S: Final = 10.0
"""A drive answers within a second. One that reads its logs from platters may need a few."""
OUTPUT_MAX: Final = 4 << 20
REASON_MAX: Final = 200

# Identity, SMART status, attributes (of SAS drives also the grown defect list), device statistics, endurance, and error
# log (of SAS drives the error counters). None of them needs a command that changes settings, as the temperature
# history would. A drive in standby is left asleep.
ASKS: Final = ("-n", "standby", "-i", "-H", "-A", "-l", "devstat", "-l", "ssd", "-l", "error")
NOT_PARSED, NOT_OPENED = 1, 2
"""Bits of the exit code: the command line is refused (also for an unknown bridge), and the drive gave no answer."""

ASLEEP: Final = "the drive is in standby, and smartctl does not wake it"
_LOW_POWER: Final = re.compile(r"Device is in .* mode, exit")
NOT_FOUND: Final = "smartctl was not found on the PATH (Debian: apt install smartmontools)"


def smart_health(disk: str, root: Path = Path("/")) -> DriveHealth:
    """The health of a disk, by the kernel's name of the disk. Unknown values have their reason in ``missing``."""
    if not (root / "sys/block" / disk.replace("/", "!") / "device").exists():
        return DriveHealth.unknown("it is a virtual device")
    program = shutil.which("smartctl")
    if program is None:
        return DriveHealth.unknown(NOT_FOUND)
    try:
        return _asked(program, str(root / "dev" / disk))
    except OSError as error:
        return DriveHealth.unknown(f"smartctl cannot be started: {error.strerror}")


def _asked(program: str, path: str) -> DriveHealth:
    output = _output(program, path)
    if output is None:
        return DriveHealth.unknown(f"smartctl did not end within {WAIT_S:.0f} s")
    try:
        report = json.loads(output)
    except (ValueError, RecursionError):
        report = None
    if not isinstance(report, dict):
        return DriveHealth.unknown("the output of smartctl is not JSON (version 7.0 or newer is required)")
    health = health_of(report)
    if health is None or _exit_status(report) & (NOT_PARSED | NOT_OPENED):
        return DriveHealth.unknown(_reason(report))
    return health


def _output(program: str, path: str) -> bytes | None:
    """What smartctl prints; None if it does not end in time. One that waits for a drive in the kernel is abandoned."""
    process = subprocess.Popen(
        [program, "--json=c", *ASKS, path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C does not end it while it waits for an answer of the drive.
        process_group=0,
    )
    try:
        output, _ = process.communicate(timeout=WAIT_S)
    except BaseException as error:
        with suppress(OSError):
            process.kill()
        # Otherwise Python would wait for it, or warn that it still runs.
        process.returncode = -1
        if process.stdout is not None:
            process.stdout.close()
        if isinstance(error, subprocess.TimeoutExpired):
            return None
        raise
    return output[:OUTPUT_MAX]


def _section(report: dict[str, Any], name: str) -> dict[str, Any]:
    found = report.get(name)
    return found if isinstance(found, dict) else {}


def _exit_status(report: dict[str, Any]) -> int:
    status = _section(report, "smartctl").get("exit_status")
    return status if isinstance(status, int) else 0


def _reason(report: dict[str, Any]) -> str:
    """Why smartctl knows nothing, in its own words if it has some."""
    support = _section(report, "smart_support")
    if support.get("available") is False:
        return "smartctl: the drive, or the bridge or controller before it, does not support SMART"
    if support.get("enabled") is False:
        return "smartctl: SMART is disabled in the drive"
    messages = _section(report, "smartctl").get("messages")
    said = [each["string"] for each in messages if _is_message(each)] if isinstance(messages, list) else []
    if any(_LOW_POWER.match(each) for each in said):
        return ASLEEP
    return f"smartctl: {said[0]}"[:REASON_MAX] if said else "smartctl reports no values of this drive"


def _is_message(each: object) -> bool:
    return isinstance(each, dict) and isinstance(each.get("string"), str)
