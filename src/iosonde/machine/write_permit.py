"""The permit to write to a block device. Code that writes needs it as an argument, so no check can be forgotten."""

from typing import Final, NoReturn

from iosonde.errors import TargetError

HINT_READ_ONLY: Final = (
    "iosonde never writes to block devices; to measure writes, mount the device and specify a directory on it"
)


class UnpermittedWriteError(TargetError):
    """A block device without a permit would have been written. Nothing was written."""


class WritePermit:
    """The permit to write to one block device. Only a guard that has checked the device creates one.

    There is no guard yet, so no permit can be created.
    """

    def __new__(cls) -> NoReturn:
        """Raises UnpermittedWriteError."""
        raise UnpermittedWriteError("a write permit for a block device cannot be created", HINT_READ_ONLY, final=True)


def check_permit(device: str, permit: WritePermit | None) -> None:
    """Raises UnpermittedWriteError without a permit."""
    if permit is None:
        raise UnpermittedWriteError(
            f"{device} is a block device, and writing to it is not permitted", HINT_READ_ONLY, final=True
        )
