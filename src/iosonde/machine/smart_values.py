"""The values in smartctl's JSON output. A value that cannot be converted to its unit for certain is unknown.

The fields are those of smartmontools 7.0 to 7.5 (``ataprint.cpp``, ``scsiprint.cpp``). The names of vendor attributes
come from smartctl's database, and have their unit in the name. Names with GB are not used: some drives count GiB there.
"""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from iosonde.records import DriveHealth, DriveWarning, HealthSource
from iosonde.units import SECOND_NS

HOUR_NS: Final = 3600 * SECOND_NS
MINUTE_NS: Final = 60 * SECOND_NS
MIB: Final = 1 << 20
GIB: Final = 1 << 30
PERCENT: Final = 100
COUNT_MAX: Final = 1 << 63
"""A greater number is no count: it could not be stored either."""

# The pages and offsets of the Device Statistics log (ACS-4, section 9.5).
WRITTEN, READ, UNCORRECTED, REALLOCATED, ENDURANCE = (1, 0x18), (1, 0x28), (4, 0x08), (3, 0x20), (7, 0x08)
TEMPERATURE, OVER_TEMPERATURE, TEMPERATURE_MAX = (5, 0x08), (5, 0x50), (5, 0x58)

HOST_WRITES: Final = {
    "Host_Writes_32MiB": 32 * MIB,
    "Host_Writes_MiB": MIB,
    "Host_Writes_GiB": GIB,
    "Lifetime_Writes_GiB": GIB,
    "Total_Writes_GiB": GIB,
}
HOST_READS: Final = {
    "Host_Reads_32MiB": 32 * MIB,
    "Host_Reads_MiB": MIB,
    "Host_Reads_GiB": GIB,
    "Lifetime_Reads_GiB": GIB,
    "Total_Reads_GiB": GIB,
}
MEDIA_WRITES: Final = {
    "NAND_Writes_1GiB": GIB,
    "NAND_Writes_GiB": GIB,
    "NAND_Writes_32MiB": 32 * MIB,
    "NAND_GiB_Written": GIB,
    "Flash_Writes_GiB": GIB,
    "Flash_Writes_32MiB": 32 * MIB,
    "Lifetime_NAND_Prg_GiB": GIB,
    "Total_NAND_Prog_Ct_GiB": GIB,
    "Total_NAND_Writes_GiB": GIB,
}
LBAS_WRITTEN, LBAS_READ = "Total_LBAs_Written", "Total_LBAs_Read"
LIFE_LEFT: Final = ("SSD_Life_Left", "Percent_Lifetime_Remain", "Media_Wearout_Indicator")
"""Their normalised value is the remaining share of the rated life, in percent."""
LIFE_USED: Final = ("Percent_Lifetime_Used", "Perc_Rated_Life_Used", "Percent_Life_Used")
UNCORRECTED_NAMES: Final = ("Reported_Uncorrect", "Uncorrectable_Error_Cnt", "Reported_Uncorr_Errors")
REALLOCATED_NAMES: Final = ("Reallocated_Sector_Ct", "Reallocated_Block_Count", "Reallocate_NAND_Blk_Cnt")
UNSAFE_SHUTDOWNS: Final = "Unsafe_Shutdown_Count"

SAS_UNIT_BYTES: Final = 1_000_000
"""The last printed digit of ``gigabytes_processed``."""
TOO_HOT: Final = (0x0B, 0x01)
"""The additional sense code of "specified temperature exceeded" (SPC-4, annex D)."""

_Count = tuple[int, int]
"""A number of bytes, and the unit in which it is counted."""


def health_of(report: dict[str, Any]) -> DriveHealth | None:
    """The health in a report; None if it has no value that the drive itself must have reported."""
    values = _Values(report)
    written, read, media = values.host_written, values.host_read, values.media_written
    found: dict[str, Any] = {
        "host_written_bytes": written and written[0],
        "host_written_unit_bytes": written and written[1],
        "host_read_bytes": read and read[0],
        "media_written_bytes": media and media[0],
        "media_written_unit_bytes": media and media[1],
        "wear_percent": values.wear_percent,
        "temperature_celsius": values.temperature_celsius,
        "warning_celsius": values.warning_celsius,
        "hot_ns": _times(values.statistic(*OVER_TEMPERATURE), MINUTE_NS),
        "media_errors": values.media_errors,
        "reallocated_sectors": values.reallocated_sectors,
        "error_log_entries": values.count("ata_smart_error_log", "summary", "count"),
        "unsafe_shutdowns": values.raw(UNSAFE_SHUTDOWNS),
        "power_cycles": values.count("power_cycle_count"),
        "powered_ns": _times(values.count("power_on_time", "hours"), HOUR_NS),
    }
    known = {name: value for name, value in found.items() if value is not None}
    warnings = values.warnings
    if not known and values.passed is None:
        return None
    return DriveHealth(source=HealthSource.SMARTCTL, warnings=warnings, **known)


class _Values:
    """The values of one report. Whatever does not have the expected form is None."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report
        self._table = list(_rows(self.at("ata_smart_attributes", "table")))
        self._block_bytes = self.count("logical_block_size")
        # Without an entry in smartctl's database, names are those that most drives use, and units differ.
        self._is_known_model = report.get("in_smartctl_database") is True

    def at(self, *keys: str) -> object:
        """The value at a path of keys."""
        found: object = self._report
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def count(self, *keys: str) -> int | None:
        """The whole number at a path of keys."""
        return _whole(self.at(*keys))

    def statistic(self, page: int, offset: int) -> int | None:
        """A value of the Device Statistics log, if the drive says that it is valid."""
        for each in _rows(self.at("ata_device_statistics", "pages")):
            if each.get("number") == page:
                for row in _rows(each.get("table")):
                    flags = row.get("flags")
                    if row.get("offset") == offset and isinstance(flags, dict) and flags.get("valid") is True:
                        return _whole(row.get("value"))
        return None

    def raw(self, *names: str) -> int | None:
        """The raw value of the attribute with one of these names; None if several have different values.

        It is read from the printed form, which shows the counter alone. The number may have others in its upper bytes.
        """
        found = set()
        for each in self._named(names):
            raw = each.get("raw")
            match = re.match(r"\d+(?!\S)", str(raw.get("string"))) if isinstance(raw, dict) else None
            found.add(None if match is None else _whole(int(match.group())))
        return found.pop() if len(found) == 1 else None

    def _normalised(self, *names: str) -> int | None:
        values = {_whole(each.get("value")) for each in self._named(names)}
        found = values.pop() if len(values) == 1 else None
        return found if found is not None and 0 < found <= PERCENT else None

    def _named(self, names: Sequence[str]) -> list[dict[str, Any]]:
        return [each for each in self._table if str(each.get("name")) in names]

    def _in_units(self, units: dict[str, int]) -> _Count | None:
        found = {(value, unit) for name, unit in units.items() if (value := self.raw(name)) is not None}
        if len(found) != 1:
            return None
        value, unit = found.pop()
        return value * unit, unit

    def _host(self, place: tuple[int, int], units: dict[str, int], lbas_name: str) -> _Count | None:
        lbas = self.statistic(*place)
        if lbas is None and (counted := self._in_units(units)) is not None:
            return counted
        if lbas is None and self._is_known_model:
            lbas = self.raw(lbas_name)
        return None if lbas is None or not self._block_bytes else (lbas * self._block_bytes, self._block_bytes)

    @property
    def host_written(self) -> _Count | None:
        """The bytes that the host wrote."""
        return self._processed("write") or self._host(WRITTEN, HOST_WRITES, LBAS_WRITTEN)

    @property
    def host_read(self) -> _Count | None:
        """The bytes that the host read."""
        return self._processed("read") or self._host(READ, HOST_READS, LBAS_READ)

    @property
    def media_written(self) -> _Count | None:
        """The bytes written to the media."""
        return self._in_units(MEDIA_WRITES)

    def _processed(self, kind: str) -> _Count | None:
        """The bytes in the error counter log of a SAS drive."""
        printed = self.at("scsi_error_counter_log", kind, "gigabytes_processed")
        try:
            value = Decimal(str(printed)) * 1000
            whole = _whole(int(value)) if value.is_finite() else None
        except (InvalidOperation, OverflowError):
            whole = None
        return None if whole is None else (whole * SAS_UNIT_BYTES, SAS_UNIT_BYTES)

    @property
    def temperature_celsius(self) -> int | None:
        """The temperature. Virtual disks report 0."""
        return self.count("temperature", "current") or self.statistic(*TEMPERATURE) or None

    @property
    def warning_celsius(self) -> int | None:
        """The highest temperature at which the drive may operate; of SAS drives, that from which on it warns."""
        found = self.count("temperature", "op_limit_max"), self.statistic(*TEMPERATURE_MAX)
        return _first(*found, self.count("temperature", "drive_trip")) or None

    @property
    def wear_percent(self) -> int | None:
        """The used share of the rated life."""
        left = self._normalised(*LIFE_LEFT) if self._is_known_model else None
        return _first(
            self.statistic(*ENDURANCE),
            self.count("scsi_percentage_used_endurance_indicator"),
            self.raw(*LIFE_USED) if self._is_known_model else None,
            None if left is None else PERCENT - left,
        )

    @property
    def media_errors(self) -> int | None:
        """The errors that the drive could not correct."""
        log = [self.count("scsi_error_counter_log", kind, "total_uncorrected_errors") for kind in ("read", "write")]
        known = [each for each in log if each is not None]
        return _first(self.statistic(*UNCORRECTED), sum(known) if known else None, self.raw(*UNCORRECTED_NAMES))

    @property
    def reallocated_sectors(self) -> int | None:
        """The sectors that the drive replaced by spare ones."""
        found = self.statistic(*REALLOCATED), self.count("scsi_grown_defect_list"), self.raw(*REALLOCATED_NAMES)
        return _first(*found)

    @property
    def passed(self) -> bool | None:
        """The drive's judgement of itself."""
        found = self.at("smart_status", "passed")
        return found if isinstance(found, bool) else None

    @property
    def warnings(self) -> tuple[DriveWarning, ...]:
        """The warnings of the drive."""
        if self.passed is not False:
            return ()
        sense = self.count("smart_status", "scsi", "asc"), self.count("smart_status", "scsi", "ascq")
        return (DriveWarning.TEMPERATURE if sense == TOO_HOT else DriveWarning.SMART_STATUS,)


def _rows(table: object) -> Iterable[dict[str, Any]]:
    return (each for each in table if isinstance(each, dict)) if isinstance(table, list) else ()


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < COUNT_MAX else None


def _first(*values: int | None) -> int | None:
    return next((each for each in values if each is not None), None)


def _times(value: int | None, unit: int) -> int | None:
    return None if value is None else value * unit
