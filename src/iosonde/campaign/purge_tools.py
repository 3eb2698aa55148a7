"""Purges by other programs: which methods they are, and what they say before they run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iosonde.errors import TargetError
from iosonde.records import PurgeEnd, PurgeSurvey
from iosonde.sources import EngineSource
from iosonde.sources.purge_tools import ToolRunner, ata_security, check_scsi, erase_ata, purge_scsi
from iosonde.vocabulary import PurgeMethod

ATA: Final = frozenset({PurgeMethod.ATA_SECURE_ERASE, PurgeMethod.ATA_ENHANCED_ERASE})
SCSI: Final = frozenset(
    {
        PurgeMethod.SCSI_SANITIZE_BLOCK,
        PurgeMethod.SCSI_SANITIZE_CRYPTO,
        PurgeMethod.SCSI_SANITIZE_OVERWRITE,
        PurgeMethod.SCSI_FORMAT,
    }
)


def is_by_a_tool(method: PurgeMethod) -> bool:
    """Whether another program carries a method out."""
    return method in ATA | SCSI


def check_tool(prefix: Sequence[str], method: PurgeMethod, survey: PurgeSurvey, path: Path) -> int | None:
    """The time that the drive estimates, in seconds; None without an estimate. Changes nothing.

    Raises TargetError if the drive cannot be purged by the method as it is.
    """
    if survey.nvme is not None:
        raise TargetError(f"{method} is no method for NVMe, and {path} is an NVMe drive", "use an NVMe method")
    runner = ToolRunner(prefix, lambda: None)
    if method in SCSI:
        check_scsi(runner, method)
        return None
    security = ata_security(runner, str(path), str(path))
    enhanced = method is PurgeMethod.ATA_ENHANCED_ERASE
    security.check(str(path), enhanced=enhanced)
    return security.enhanced_erase_s if enhanced else security.erase_s


def run_tool(
    runner: ToolRunner, method: PurgeMethod, source: EngineSource, path: Path, device_number: int
) -> tuple[PurgeEnd, str | None]:
    """Purges the device that the engine has open. How it ended, and why.

    The program gets the engine's handle as its path, so it cannot be another device.
    """
    handle = source.handles().get((device_number, 0))
    if handle is None:
        raise TargetError(f"{path} is not the device that was opened", "run again")
    if method in ATA:
        return erase_ata(runner, str(handle), str(path), enhanced=method is PurgeMethod.ATA_ENHANCED_ERASE)
    return purge_scsi(runner, str(handle), method)
