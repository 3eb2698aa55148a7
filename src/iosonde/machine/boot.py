"""The start of the kernel."""

from pathlib import Path

from iosonde.machine.sysfs import read_text


def boot_id() -> str:
    """A text that no other start of a kernel has; empty if it is unknown."""
    return read_text(Path("/proc/sys/kernel/random/boot_id"))
