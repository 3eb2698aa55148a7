"""In scaled times, a simulated drive has a smaller write buffer and a shorter idle delay."""

import pytest

from iosonde.campaign.simulated import simulated_drive
from iosonde.campaign.time_scaling import check_one_scale, time_scaled
from iosonde.errors import UsageError
from iosonde.sources import SimulatedDrive

MIB = 1 << 20


def drive(word: str = "sim:sata-dc,seed=1,scale=16") -> SimulatedDrive:
    facts, size_bytes = simulated_drive(word, 1, 0)
    return SimulatedDrive(span_bytes=size_bytes, drive=facts)


def scaled(word: str, scale: int) -> dict[str, object]:
    found = time_scaled(drive(word), scale)
    assert isinstance(found, SimulatedDrive)
    return found.drive.table


def test_buffer_and_idle_delay_are_divided_by_the_scale() -> None:
    table = scaled("sim:sata-dc,seed=1,scale=16", 16)
    assert table["buffer"] == {"size_bytes": 2 * MIB, "power_loss_protection": True}
    assert table["idle"] == {"delay_ns": 62_500_000, "spare_permille": 20}


def test_the_buffer_keeps_room_for_two_programs_of_each_die() -> None:
    # 16 dies program 2 planes of 16 KiB at the same time.
    table = scaled("sim:sata-dc,seed=1,scale=300", 300)
    assert table["buffer"] == {"size_bytes": MIB, "power_loss_protection": True}


def test_the_rest_of_the_drive_is_as_it_was() -> None:
    before = drive().drive.table
    after = scaled("sim:sata-dc,seed=1,scale=16", 16)
    changed = {"buffer", "idle"}
    assert {key: value for key, value in after.items() if key not in changed} == {
        key: value for key, value in before.items() if key not in changed
    }


def test_without_a_scale_and_on_other_kinds_of_models_nothing_changes() -> None:
    assert time_scaled(drive(), 1) == drive()
    disk = drive("sim:disk-7200,seed=1")
    assert time_scaled(disk, 100) == disk


def test_drives_of_different_scales_are_refused_since_a_procedure_has_one_for_its_times() -> None:
    one, other = drive("sim:sata-dc,seed=1,scale=16"), drive("sim:usb-stick,seed=1,scale=32")
    with pytest.raises(UsageError, match="scale=16 to 1/16 and sim:usb-stick,seed=1,scale=32 to 1/32"):
        check_one_scale((one, other))
    check_one_scale((one, drive("sim:usb-stick,seed=1,scale=16")))
