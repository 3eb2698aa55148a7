"""The volatile write cache of a device, and the setting that it had before a run."""

from iosonde.records.base import Record
from iosonde.records.inspection import DeviceIdentity
from iosonde.vocabulary import WriteCache


class CacheFacts(Record):
    """The write cache of a device.

    ``drive`` is what the drive reports, None if it cannot be set; ``refused`` then says why. ``kernel`` is what the
    kernel takes the cache for (``queue/write_cache``): it flushes a cache that is ``write back``.
    """

    drive: WriteCache | None
    kernel: str | None
    refused: str | None


class RestoredCache(Record):
    """How a write cache was restored. ``disk`` is the kernel's name, None if no device has the identity.

    ``before`` is what the drive reported before.
    """

    disk: str | None
    before: WriteCache | None


class KeptSetting(Record):
    """The setting of a device before a run changed it. ``path`` is that of the device then.

    ``boot`` identifies the start of the kernel: after another one, ``kernel`` is no longer its view of the cache.
    """

    iosonde_version: str
    run: str
    kept_at: str
    boot: str
    path: str
    identity: DeviceIdentity
    write_cache: WriteCache
    kernel: str

    @property
    def device(self) -> str:
        """The device for the user, by its identity: its path may lead to another one by now."""
        return f"{self.identity.name} ({self.path})"
