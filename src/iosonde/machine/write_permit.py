"""Leave to write to a block device: a value that code needs, and not a habit that it is asked to keep."""

from typing import Final, NoReturn

from iosonde.errors import TargetError

HINT_READ_ONLY: Final = (
    "iosonde only reads block devices; to measure writes, mount the device and name a directory on it"
)


class UnpermittedWriteError(TargetError):
    """Something would write to a block device for which there is no permit. Nothing was written."""


class WritePermit:
    """Leave to write to one block device. Only the guard makes one, once it has checked the device.

    There is no guard yet, so nobody can make one.
    """

    def __new__(cls) -> NoReturn:
        """Raises UnpermittedWriteError."""
        raise UnpermittedWriteError("no permit to write to a block device exists", HINT_READ_ONLY, final=True)


def check_permit(device: str, permit: WritePermit | None) -> None:
    """Raises UnpermittedWriteError without a permit."""
    if permit is None:
        raise UnpermittedWriteError(
            f"{device} is a block device, and there is no permit to write to it", HINT_READ_ONLY, final=True
        )
