"""The health of the drives in the conditions of a run."""

from typing import Any

from iosonde.records import Drive, DriveHealth, DriveWarning, HealthSource, RunRecord, SessionEnd
from iosonde.report.health_facts import MEDIA_UNKNOWN, health_groups
from tests.builders import run_record


def run_with(before: dict[str, Any], after: dict[str, Any] | None = None) -> RunRecord:
    """A run with a drive that reports these values at its start and at its end."""
    run = run_record([], [])
    first, last = (
        () if values is None else (Drive(disk="nvme0n1", health=DriveHealth.model_validate(values)),)
        for values in (before, after)
    )
    end = None if after is None else SessionEnd(finished=True, drives=last)
    header = run.header.model_copy(update={"drives": first})
    return run.model_copy(update={"header": header, "end": end})


def facts(before: dict[str, Any], after: dict[str, Any] | None = None) -> dict[str, str]:
    (group,) = health_groups(run_with(before, after))
    assert group.title == "Health of nvme0n1"
    return dict(group.facts)


LOG: dict[str, Any] = {"source": HealthSource.SMART_LOG}


def test_values_that_change_have_their_start_and_their_end() -> None:
    before = LOG | {"temperature_celsius": 40, "host_written_bytes": 10**12, "wear_percent": 3}
    after = before | {"temperature_celsius": 55, "host_written_bytes": 12 * 10**11}
    assert facts(before, after) == {
        "reported by": "SMART / Health log",
        "temperature": "40 °C, at the end 55 °C",
        "rated life used": "3 %",
        "written by the host": "1.00 TB, at the end 1.20 TB",
        "written to the media": MEDIA_UNKNOWN,
        "warnings": "none",
    }


def test_without_an_end_there_is_the_start_alone() -> None:
    assert facts(LOG | {"temperature_celsius": 40})["temperature"] == "40 °C"


def test_what_is_unknown_is_said_with_the_reason() -> None:
    found = facts({"source": HealthSource.HWMON, "temperature_celsius": 40, "missing": "Permission denied"})
    assert found == {
        "reported by": "temperature sensor",
        "unknown because": "Permission denied",
        "temperature": "40 °C",
    }


def test_the_latest_warnings_are_told() -> None:
    found = facts(LOG, LOG | {"warnings": [DriveWarning.SPARE, DriveWarning.READ_ONLY]})
    assert found["warnings"] == "its spare blocks are used up, its media can only be read"


def test_a_run_without_drives_has_no_group() -> None:
    run = run_with(LOG)
    assert list(health_groups(run.model_copy(update={"header": run.header.model_copy(update={"drives": ()})}))) == []


def test_a_drive_that_smartctl_read_says_so_with_its_sectors_and_warnings() -> None:
    smart = {"source": HealthSource.SMARTCTL, "reallocated_sectors": 3}
    assert facts(smart, smart | {"warnings": [DriveWarning.SMART_STATUS]}) == {
        "reported by": "smartctl",
        "reallocated sectors": "3",
        "written to the media": MEDIA_UNKNOWN,
        "warnings": "it expects to fail: its SMART status is failed",
    }
