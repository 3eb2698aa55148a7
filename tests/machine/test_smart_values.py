"""What smartctl prints becomes values in base units, and nothing is guessed."""

from typing import Any

import pytest

from iosonde.machine.smart_values import health_of
from iosonde.records import DriveHealth, DriveWarning, HealthSource
from tests.machine.smart_reports import attribute, report, sas, sata, statistics

MIB, GIB = 1 << 20, 1 << 30
HOUR_NS = 3600 * 10**9


def read(printed: dict[str, Any]) -> DriveHealth:
    """The health in a report that has some."""
    health = health_of(printed)
    assert health is not None
    return health


def test_a_sata_drive_reports_its_time_temperature_and_writes() -> None:
    health = read(
        sata(
            attribute(5, "Reallocated_Sector_Ct", "3 (0 12)"),
            attribute(187, "Reported_Uncorrect", 2),
            attribute(241, "Host_Writes_32MiB", 1000),
            attribute(242, "Host_Reads_32MiB", 500),
            attribute(249, "NAND_Writes_1GiB", 60),
            attribute(231, "SSD_Life_Left", 0, value=93),
            attribute(174, "Unsafe_Shutdown_Count", 9),
            ata_smart_error_log={"summary": {"count": 4}},
        )
    )
    assert health == DriveHealth(
        source=HealthSource.SMARTCTL,
        host_written_bytes=1000 * 32 * MIB,
        host_written_unit_bytes=32 * MIB,
        host_read_bytes=500 * 32 * MIB,
        media_written_bytes=60 * GIB,
        media_written_unit_bytes=GIB,
        wear_percent=7,
        temperature_celsius=31,
        media_errors=2,
        reallocated_sectors=3,
        error_log_entries=4,
        unsafe_shutdowns=9,
        power_cycles=40,
        powered_ns=4000 * HOUR_NS,
    )


def test_device_statistics_are_preferred_to_vendor_attributes() -> None:
    log = statistics(p1={0x18: 9000, 0x28: 7000}, p3={0x20: 1}, p4={0x08: 5}, p5={0x50: 3, 0x58: 70}, p7={0x08: 12})
    health = read(
        sata(
            attribute(5, "Reallocated_Sector_Ct", 8),
            attribute(187, "Reported_Uncorrect", 2),
            attribute(241, "Host_Writes_32MiB", 1000),
            attribute(231, "SSD_Life_Left", 0, value=50),
            ata_device_statistics=log,
        )
    )
    assert (health.host_written_bytes, health.host_written_unit_bytes) == (9000 * 512, 512)
    assert (health.host_read_bytes, health.wear_percent, health.media_errors) == (7000 * 512, 12, 5)
    assert (health.reallocated_sectors, health.warning_celsius) == (1, 70)
    assert health.hot_ns == 180 * 10**9


def test_a_statistic_that_is_not_valid_yields_to_the_attribute() -> None:
    log = statistics(p1={0x18: None})
    health = read(sata(attribute(241, "Total_LBAs_Written", 9), ata_device_statistics=log))
    assert health.host_written_bytes == 9 * 512


def test_sectors_of_4096_bytes_are_counted_as_such() -> None:
    health = read(sata(ata_device_statistics=statistics(p1={0x18: 3}), logical_block_size=4096))
    assert (health.host_written_bytes, health.host_written_unit_bytes) == (3 * 4096, 4096)


@pytest.mark.parametrize(
    "printed",
    [
        # Most drives count LBAs there, but some count 32 MiB or GiB under the same number.
        sata(attribute(241, "Total_LBAs_Written", 9), known=False),
        sata(attribute(241, "Total_LBAs_Written", 9), logical_block_size=None),
        sata(attribute(241, "Unknown_Attribute", 9)),
        # Some drives count GiB there, and some 10^9 bytes.
        sata(attribute(241, "Lifetime_Wts_Frm_Hst_GB", 9)),
        sata(attribute(225, "Host_Writes_32MiB", 9), attribute(241, "Host_Writes_32MiB", 8)),
        sata(attribute(225, "Host_Writes_32MiB", 9), attribute(241, "Host_Writes_GiB", 9)),
        sata(attribute(241, "Host_Writes_GiB", "0x000000000009")),
        sata(attribute(241, "Host_Writes_GiB", "9/100")),
    ],
    ids=["not known", "no sector size", "no name", "GB", "two values", "two units", "hexadecimal", "two numbers"],
)
def test_writes_without_a_certain_unit_are_unknown(printed: dict[str, Any]) -> None:
    health = read(printed)
    assert (health.host_written_bytes, health.host_written_unit_bytes) == (None, None)


def test_equal_counts_under_two_numbers_are_one() -> None:
    health = read(sata(attribute(225, "Host_Writes_32MiB", 9), attribute(241, "Host_Writes_32MiB", 9)))
    assert health.host_written_bytes == 9 * 32 * MIB


@pytest.mark.parametrize(
    ("wear", "found"),
    [
        (attribute(231, "SSD_Life_Left", 0, value=100), 0),
        (attribute(202, "Percent_Lifetime_Remain", 2, value=98), 2),
        (attribute(202, "Percent_Lifetime_Used", 5, value=95), 5),
        (attribute(231, "SSD_Life_Left", 0, value=253), None),
        (attribute(231, "SSD_Life_Left", 0, value=0), None),
        (attribute(177, "Wear_Leveling_Count", 30, value=97), None),
    ],
)
def test_wear_is_the_used_share_of_the_rated_life(wear: dict[str, Any], found: int | None) -> None:
    assert read(sata(wear)).wear_percent == found
    assert read(sata(wear, known=False)).wear_percent is None


def test_a_sas_drive_reports_its_error_counters_and_defects() -> None:
    assert read(sas(scsi_grown_defect_list=14)) == DriveHealth(
        source=HealthSource.SMARTCTL,
        host_written_bytes=6_082_745 * 10**6,
        host_written_unit_bytes=10**6,
        host_read_bytes=12_699 * 10**6,
        wear_percent=2,
        temperature_celsius=35,
        warning_celsius=74,
        media_errors=0,
        reallocated_sectors=14,
        powered_ns=3862 * HOUR_NS,
    )


def test_uncorrected_errors_of_a_sas_drive_are_those_of_reads_and_writes() -> None:
    log = {"read": {"total_uncorrected_errors": 2}, "write": {"total_uncorrected_errors": 3}}
    assert read(sas(scsi_error_counter_log=log)).media_errors == 5


@pytest.mark.parametrize("printed", ["nan", "-", "Infinity", "1e400", None, True, [], {}, "-5"])
def test_a_number_of_bytes_that_is_none_is_unknown(printed: object) -> None:
    log = {"write": {"gigabytes_processed": printed}}
    assert read(sas(scsi_error_counter_log=log)).host_written_bytes is None


def test_a_failed_status_is_a_warning() -> None:
    assert read(sata()).warnings == ()
    assert read(sata(smart_status={"passed": False})).warnings == (DriveWarning.SMART_STATUS,)
    predicted = {"passed": False, "scsi": {"asc": 0x5D, "ascq": 0x10, "ie_string": "FAILURE PREDICTION"}}
    assert read(sas(smart_status=predicted)).warnings == (DriveWarning.SMART_STATUS,)
    hot = {"passed": False, "scsi": {"asc": 0x0B, "ascq": 0x01, "ie_string": "SPECIFIED TEMPERATURE EXCEEDED"}}
    assert read(sas(smart_status=hot)).warnings == (DriveWarning.TEMPERATURE,)


def test_the_temperatures_of_a_virtual_disk_are_unknown() -> None:
    health = read(sas(temperature={"current": 0, "drive_trip": 0}))
    assert (health.temperature_celsius, health.warning_celsius) == (None, None)


@pytest.mark.parametrize(
    "printed",
    [
        {},
        report(),
        report(ata_smart_attributes=[], ata_device_statistics=3, temperature="hot", smart_status=[]),
        report(ata_smart_attributes={"table": [7, {"name": 3}]}, ata_device_statistics={"pages": [{"number": 1}]}),
        report(power_cycle_count=-1, temperature={"current": 1.5}, power_on_time={"hours": 1 << 70}),
    ],
)
def test_a_report_without_values_has_no_health(printed: dict[str, Any]) -> None:
    assert health_of(printed) is None
