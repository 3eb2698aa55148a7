"""The share of a drive's rated endurance that a plan would use, from the drive's own counters."""

from iosonde.campaign.endurance import endurance_of
from iosonde.cli.plan_text import endurance_line
from iosonde.records import Drive, DriveHealth

TB = 10**12


def drive(**health: object) -> Drive:
    return Drive(disk="nvme0n1", health=DriveHealth.model_validate({"source": "smart_log", **health}))


def test_the_rated_endurance_follows_from_what_was_written_and_the_used_share() -> None:
    found = endurance_of(drive(wear_percent=4, host_written_bytes=48 * TB))
    assert found.rated_bytes == 1200 * TB
    assert endurance_line(found, 3 * TB) == (
        "endurance at most about 0.25 % of the rated life of nvme0n1 (it reports 4 % as used after 48.0 TB)"
    )


def test_a_new_drive_does_not_tell_its_endurance() -> None:
    found = endurance_of(drive(wear_percent=0, host_written_bytes=TB))
    assert endurance_line(found, TB) == "endurance of nvme0n1 unknown: it reports 0 % of its rated life as used"


def test_the_reason_for_missing_counters_is_told() -> None:
    missing = endurance_of(drive(missing="it is not an NVMe drive"))
    assert endurance_line(missing, TB) == "endurance of nvme0n1 unknown: it is not an NVMe drive"
    assert "does not report" in endurance_line(endurance_of(drive(host_written_bytes=TB)), TB)
