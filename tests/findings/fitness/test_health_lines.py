"""Each fact of a drive's health is judged: what is as it should be, what is not, and why."""

from typing import Any

import pytest

from iosonde.findings.fitness import FitnessLine, State, health_lines
from iosonde.records import Drive, DriveHealth, DriveWarning, HealthSource

WELL: dict[str, Any] = {
    "source": HealthSource.SMART_LOG,
    "temperature_celsius": 40,
    "warning_celsius": 70,
    "wear_percent": 3,
    "spare_percent": 100,
    "spare_percent_min": 10,
    "throttle_count": 0,
    "media_errors": 0,
    "host_written_bytes": 12 * 10**12,
    "powered_ns": 100 * 3600 * 10**9,
}


def lines(**values: Any) -> dict[str, FitnessLine]:
    drive = Drive(disk="nvme0n1", health=DriveHealth.model_validate(WELL | values))
    return {line.subject: line for line in health_lines([drive])}


def test_a_healthy_drive_has_a_line_for_each_fact_and_all_are_ok() -> None:
    found = lines()
    assert {line.state for line in found.values()} == {State.OK}
    assert {subject: line.value for subject, line in found.items()} == {
        "temperature": "40 °C (warning from 70 °C)",
        "wear": "3 % of its rated life used",
        "spare blocks": "100 % (warning below 10 %)",
        "media errors": "0 since manufacture",
        "written": "12.0 TB since manufacture",
        "powered": "100 hours",
    }


@pytest.mark.parametrize(
    ("subject", "state", "reason", "values"),
    [
        ("temperature", State.WARNING, "the drive will probably throttle", {"temperature_celsius": 65}),
        ("temperature", State.WARNING, "the drive is too hot", {"temperature_celsius": 70}),
        ("temperature", State.OK, "", {"temperature_celsius": 64}),
        ("temperature", State.OK, "", {"temperature_celsius": 90, "warning_celsius": None}),
        ("temperature", State.UNKNOWN, "the drive does not report it", {"temperature_celsius": None}),
        ("throttled", State.NOTE, "the drive has been too hot before", {"throttle_count": 2}),
        ("wear", State.NOTE, "near the end of its rated life", {"wear_percent": 80}),
        ("wear", State.WARNING, "its rated life is over", {"wear_percent": 100}),
        ("spare blocks", State.WARNING, "the drive is near its end", {"spare_percent": 9}),
        ("media errors", State.WARNING, "it could not read or write some data", {"media_errors": 1}),
        ("warning", State.WARNING, "the drive says so itself", {"warnings": [DriveWarning.READ_ONLY]}),
        ("wear and errors", State.UNKNOWN, "Permission denied", {"missing": "Permission denied"}),
    ],
)
def test_what_is_not_as_it_should_be_is_said(subject: str, state: State, reason: str, values: dict[str, Any]) -> None:
    line = lines(**values)[subject]
    assert (line.state, line.reason) == (state, reason)


def test_a_drive_that_reports_nothing_is_unknown_with_the_reason() -> None:
    drive = Drive(disk="sda", health=DriveHealth(source=HealthSource.NONE, missing="it is not an NVMe drive"))
    (line,) = health_lines([drive])
    assert (line.value, line.state, line.reason) == ("unknown", State.UNKNOWN, "it is not an NVMe drive")


def test_several_drives_have_a_group_each() -> None:
    drives = [Drive(disk=name, health=DriveHealth.model_validate(WELL)) for name in ("nvme0n1", "nvme1n1")]
    assert {line.group for line in health_lines(drives)} == {"Health of nvme0n1", "Health of nvme1n1"}


def test_reallocated_sectors_are_noted_and_none_of_them_is_well() -> None:
    assert "reallocated sectors" not in lines()
    none, some = (lines(reallocated_sectors=number)["reallocated sectors"] for number in (0, 8))
    assert (none.value, none.state) == ("0", State.OK)
    assert (some.value, some.state, some.reason) == ("8", State.NOTE, "it replaced sectors that were bad")
