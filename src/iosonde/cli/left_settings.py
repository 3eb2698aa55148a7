"""Restores the settings of drives that killed runs have left, and says so."""

from datetime import datetime
from typing import TYPE_CHECKING

from iosonde.cli.messages import say
from iosonde.errors import IosondeError, TargetError

if TYPE_CHECKING:
    from iosonde.campaign import Preflight, RunRequest
    from iosonde.machine import Host
    from iosonde.records import KeptSetting, RestoredCache


def restored_preflight(request: "RunRequest", now: datetime) -> "Preflight":
    """The preflight of a run, after settings of drives were restored: it sees the drives as they are without runs."""
    from iosonde.campaign import preflight

    restore_settings(request.host)
    return preflight(request, now)


def restore_settings(host: "Host") -> int:
    """Restores them, with a line on stderr for each. Returns how many are not restored."""
    from iosonde.campaign.write_caches import restore_left

    left = 0
    for setting, found in restore_left(host):
        line, is_restored = _line(setting, found)
        say(line)
        left += not is_restored
    return left


def restore_or_fail(host: "Host") -> None:
    """The same for a command that does nothing else. Raises TargetError for settings that are not restored."""
    left = restore_settings(host)
    if left:
        raise TargetError(
            f"the settings of {left} {'device' if left == 1 else 'devices'} are not restored",
            "connect the devices, and run it again as root",
        )


def _line(setting: "KeptSetting", found: "RestoredCache | IosondeError") -> tuple[str, bool]:
    run = f"run {setting.run} was killed before it did"
    cache = f"the write cache of {setting.device}"
    if isinstance(found, IosondeError):
        return f"warning: {cache} is not restored to {setting.write_cache}: {found.message}", False
    if found.disk is None:
        absent = "no device has this identity; the next command tries it again"
        return f"warning: {cache} is not restored to {setting.write_cache}: {absent}", False
    if found.before == setting.write_cache:
        return f"restored  {cache}: it is {setting.write_cache}, as before; {run}", True
    return f"restored  {cache} to {setting.write_cache}; {run}", True
