"""ATA Security Erase, by hdparm."""

import re
from dataclasses import dataclass
from typing import Final

from iosonde.errors import TargetError
from iosonde.records import PurgeEnd
from iosonde.sources.purge_tools.running import ToolEnd, ToolRunner

PASSWORD: Final = "iosonde"  # noqa: S105 - it protects nothing: the drive erases only while it has a password
"""The password that a drive has while it is erased. It is always the same, so that it can be cleared by hand."""
USER: Final = ("--user-master", "u")
THAW: Final = (
    "firmware freezes drives when it starts the computer: suspend and resume it, or remove the drive from its slot and "
    "insert it again, or use another port or computer; iosonde does not change this itself"
)
_ESTIMATE: Final = re.compile(r"(\d+)\s*min for (ENHANCED )?SECURITY ERASE UNIT")


@dataclass(frozen=True)
class AtaSecurity:
    """What a drive reports of its security (``hdparm -I``). Times are those that it estimates, None without one."""

    supported: bool
    enabled: bool
    locked: bool
    frozen: bool
    enhanced: bool
    erase_s: int | None
    enhanced_erase_s: int | None

    @classmethod
    def parse(cls, output: str) -> "AtaSecurity | None":
        """From the output of ``hdparm -I``; None if it has no section on security."""
        section = re.search(r"^Security:[^\n]*\n((?:[ \t]+[^\n]*\n?)+)", output, re.MULTILINE)
        if section is None:
            return None
        lines = [" ".join(line.split()) for line in section[1].splitlines()]
        times = {bool(enhanced): int(minutes) * 60 for minutes, enhanced in _ESTIMATE.findall(section[1])}
        return cls(
            supported="supported" in lines,
            enabled="enabled" in lines,
            locked="locked" in lines,
            frozen="frozen" in lines,
            enhanced="supported: enhanced erase" in lines,
            erase_s=times.get(False),
            enhanced_erase_s=times.get(True),
        )

    def check(self, name: str, *, enhanced: bool) -> None:
        """Raises TargetError if the drive cannot be erased as it is. Nothing has changed then."""
        if not self.supported:
            raise TargetError(f"{name} does not support ATA Security Erase", "use another method")
        if enhanced and not self.enhanced:
            raise TargetError(f"{name} does not support the enhanced erase", "use --purge ata-secure-erase")
        if self.frozen:
            raise TargetError(f"the security settings of {name} are frozen, so it refuses to be erased", THAW)
        if self.locked or self.enabled:
            raise TargetError(
                f"{name} has a password already",
                "clear it with the program that set it, or with hdparm --user-master u --security-disable PASSWORD",
            )


def ata_security(runner: ToolRunner, device: str, name: str) -> AtaSecurity:
    """What a drive reports of its security. ``name`` is what the user calls it. Raises TargetError."""
    told = runner.run("hdparm", "-I", device)
    found = AtaSecurity.parse(told.output) if told.code == 0 else None
    if found is None:
        raise TargetError(
            f"{name} does not report ATA security: {told.last_line}",
            "use another method; adapters for USB and RAID controllers often do not pass ATA commands on",
        )
    return found


def erase_ata(runner: ToolRunner, device: str, name: str, *, enhanced: bool) -> tuple[PurgeEnd, str | None]:
    """Sets a password, erases the drive, and clears the password if the drive did not. How it ended, and why."""
    ata_security(runner, device, name).check(name, enhanced=enhanced)
    option = "--security-erase-enhanced" if enhanced else "--security-erase"
    failed: ToolEnd | None = None
    try:
        for command in ("--security-set-pass", option):
            ended = runner.run("hdparm", *USER, command, PASSWORD, device)
            if ended.code != 0:
                failed = ended
                break
    finally:
        left = _cleared(runner, device, name)
    if left is None and failed is None:
        return "completed", None
    reasons = [] if failed is None else [f"hdparm failed: {failed.last_line}"]
    return "failed", "; ".join([*reasons, *([left] if left else [])])


def _cleared(runner: ToolRunner, device: str, name: str) -> str | None:
    """Clears the password if the drive still has it. What is wrong; None if it had none, as after an erase."""
    by_hand = f"clear it: hdparm --user-master u --security-disable {PASSWORD} {name}"
    try:
        if not ata_security(runner, device, name).enabled:
            return None
        runner.run("hdparm", *USER, "--security-disable", PASSWORD, device)
        if ata_security(runner, device, name).enabled:
            return f"the drive still has the password {PASSWORD!r}; {by_hand}"
    except TargetError as error:
        return f"the drive may still have the password {PASSWORD!r} ({error.message}); {by_hand}"
    return "the drive kept its password, so it was not erased; the password is cleared"
