"""The health of drives: what they report about themselves, before and after a measurement."""

from enum import StrEnum
from typing import Self

from iosonde.records.base import Record


class HealthSource(StrEnum):
    """What reported the health: nothing, the SMART log of NVMe, smartctl, a temperature sensor, or a model."""

    NONE = "none"
    SMART_LOG = "smart_log"
    SMARTCTL = "smartctl"
    HWMON = "hwmon"
    SIMULATION = "simulation"


class DriveWarning(StrEnum):
    """A critical warning of a drive (NVMe base specification, SMART / Health log, byte 0).

    ``smart_status`` is that of SATA and SAS drives: the drive itself expects to fail.
    """

    SPARE = "spare"
    TEMPERATURE = "temperature"
    RELIABILITY = "reliability"
    READ_ONLY = "read_only"
    BACKUP = "backup"
    PERSISTENT_MEMORY = "persistent_memory"
    SMART_STATUS = "smart_status"


class DriveHealth(Record):
    """The health of a drive. Counters count since manufacture. None means that the drive does not report it.

    ``missing`` says why values are unknown; it is empty if the drive was asked for all of them. ``link`` is the present
    speed and width of its link, by the kernel's names. ``host_written_unit_bytes`` and ``media_written_unit_bytes`` are
    the units in which the drive counts what was written; None for NVMe drives (512,000 bytes for the host) and models
    (single bytes). ``wear_percent`` is the used share of the rated life, which may exceed 100. ``spare_percent`` is the
    remaining share of the spare blocks; the drive warns below ``spare_percent_min``. It warns from ``warning_celsius``
    on, and must not be used from ``critical_celsius`` on. ``hot_ns`` is the time above the warning temperature, in
    whole minutes. ``throttled_ns`` is the time of throttling because of temperature or power (in whole seconds for
    NVMe), ``throttle_count`` how often it began. ``media_written_bytes`` are the bytes written to the media, by the
    host and by relocation. ``media_errors`` are errors that the drive could not correct. ``reallocated_sectors`` are
    sectors that it replaced by spare ones (SAS drives: the entries of the grown defect list). A model without a
    mechanism leaves its counter at 0.
    """

    # Earlier versions only recorded the health of simulated drives.
    source: HealthSource = HealthSource.SIMULATION
    missing: str = ""
    link: str | None = None
    host_read_bytes: int | None = None
    host_written_bytes: int | None = None
    host_written_unit_bytes: int | None = None
    media_written_bytes: int | None = None
    media_written_unit_bytes: int | None = None
    erases: int | None = None
    wear_percent: int | None = None
    spare_percent: int | None = None
    spare_percent_min: int | None = None
    temperature_celsius: int | None = None
    warning_celsius: int | None = None
    critical_celsius: int | None = None
    hot_ns: int | None = None
    throttled_ns: int | None = None
    throttle_count: int | None = None
    media_errors: int | None = None
    reallocated_sectors: int | None = None
    error_log_entries: int | None = None
    unsafe_shutdowns: int | None = None
    power_cycles: int | None = None
    powered_ns: int | None = None
    warnings: tuple[DriveWarning, ...] = ()

    @classmethod
    def unknown(cls, reason: str) -> Self:
        """Unknown health, with the reason."""
        return cls(source=HealthSource.NONE, missing=reason)


class Drive(Record):
    """A disk, by the kernel's name, and its health."""

    disk: str
    health: DriveHealth


class DriveState(Record):
    """A drive before and after a cell.

    ``disk`` is the kernel's name of the disk, and empty for a simulated drive. Two simulated drives with the same
    ``state_hash`` behave identically from then on; it is empty for a real drive. ``before`` is None for a simulated
    drive, whose state only changes in cells.
    """

    disk: str = ""
    state_hash: str = ""
    before: DriveHealth | None = None
    health: DriveHealth
