"""SCSI Sanitize and Format Unit, by sg3_utils. Both poll the drive until the operation has ended."""

from typing import Final

from iosonde.records import PurgeEnd
from iosonde.sources.purge_tools.running import ToolRunner
from iosonde.vocabulary import PurgeMethod

COMMANDS: Final = {
    PurgeMethod.SCSI_SANITIZE_BLOCK: ("sg_sanitize", "--block", "--quick"),
    PurgeMethod.SCSI_SANITIZE_CRYPTO: ("sg_sanitize", "--crypto", "--quick"),
    PurgeMethod.SCSI_SANITIZE_OVERWRITE: ("sg_sanitize", "--overwrite", "--zero", "--quick"),
    PurgeMethod.SCSI_FORMAT: ("sg_format", "--format", "--quick"),
}


def check_scsi(runner: ToolRunner, method: PurgeMethod) -> None:
    """Raises TargetError if the program is missing."""
    runner.check(COMMANDS[method][0])


def purge_scsi(runner: ToolRunner, device: str, method: PurgeMethod) -> tuple[PurgeEnd, str | None]:
    """Purges a drive. How it ended, and why. Raises TargetError if the program is missing."""
    command = COMMANDS[method]
    ended = runner.run(*command, device)
    return ("completed", None) if ended.code == 0 else ("failed", f"{command[0]} failed: {ended.last_line}")
