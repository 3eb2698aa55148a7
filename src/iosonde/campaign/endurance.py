"""The share of a drive's rated endurance that a plan would use, from the drive's own counters."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from iosonde.errors import IosondeError
from iosonde.records import Drive
from iosonde.sources import BlockDevice, EngineSource, Target, find_engine


@dataclass(frozen=True)
class Endurance:
    """What is known of a drive's rated endurance.

    ``rated_bytes`` is None if the drive does not tell enough, and ``reason`` then says why. It is the bytes that the
    host has written, divided by the used share of the rated life that the drive reports in whole percent. The host's
    bytes of another workload may wear it more or less.
    """

    disk: str
    rated_bytes: int | None
    used_percent: int | None
    written_bytes: int | None
    reason: str = ""


def endurances(prefix: Sequence[str], targets: Sequence[Target]) -> tuple[Endurance, ...]:
    """The rated endurance of each drive below the block devices that a plan writes."""
    devices = [each for each in targets if isinstance(each, BlockDevice) and each.permit is not None]
    if not devices:
        return ()
    found: dict[str, Drive] = {}
    with suppress(IosondeError):
        source = EngineSource([*prefix, find_engine()])
        try:
            for device in devices:
                found |= {drive.disk: drive for drive in source.health(device.path)}
        finally:
            source.end()
    return tuple(endurance_of(drive) for drive in found.values())


def endurance_of(drive: Drive) -> Endurance:
    """The rated endurance of a drive, from its health."""
    used, written = drive.health.wear_percent, drive.health.host_written_bytes
    rated = None if not used or written is None else written * 100 // used
    reason = "" if rated is not None else _reason(used, written, drive.health.missing)
    return Endurance(drive.disk, rated, used, written, reason)


def _reason(used: int | None, written: int | None, missing: str) -> str:
    if used == 0 and written is not None:
        return "it reports 0 % of its rated life as used"
    return missing or "it does not report how much of its rated life is used"
