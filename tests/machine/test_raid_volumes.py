"""A volume of a hardware RAID controller is told from a drive that the controller passes on."""

from pathlib import Path

import pytest

from iosonde.machine.raid_volumes import raid_volume


def sysfs(folder: Path, driver: str, address: str, model: str) -> Path:
    device = folder / "devices/pci0000:00/host0/target" / address
    device.mkdir(parents=True)
    (device / "model").write_text(f"{model}\n")
    block = folder / "class/block/sda"
    block.mkdir(parents=True)
    (block / "device").symlink_to(device)
    host = folder / "class/scsi_host/host0"
    host.mkdir(parents=True)
    (host / "proc_name").write_text(f"{driver}\n")
    return folder


@pytest.mark.parametrize(
    ("driver", "address", "model", "is_volume"),
    [
        ("megaraid_sas", "0:2:0:0", "MR9361-8i", True),
        ("megaraid_sas", "0:0:5:0", "SAMSUNG MZ7KH960", False),
        ("mpt3sas", "0:1:0:0", "Logical Volume", True),
        ("mpt3sas", "0:0:3:0", "INTEL SSDSC2KB96", False),
        ("aacraid", "0:0:0:0", "volume", True),
        ("aacraid", "0:1:4:0", "SSDSC2BB480G4", False),
        ("smartpqi", "0:1:0:0", "LOGICAL VOLUME", True),
        ("hpsa", "0:0:1:0", "MO0400KEFHN", False),
        ("ahci", "0:0:0:0", "Samsung SSD 870", False),
    ],
)
def test_a_volume_is_known_by_driver_and_channel(
    tmp_path: Path, driver: str, address: str, model: str, *, is_volume: bool
) -> None:
    told = raid_volume("/dev/sda", sysfs(tmp_path, driver, address, model))
    assert told == (f"{model}, {driver}" if is_volume else "")


def test_a_drive_that_is_none_of_scsi_is_no_volume(tmp_path: Path) -> None:
    (tmp_path / "class/block/nvme0n1/device").mkdir(parents=True)
    assert raid_volume("/dev/nvme0n1", tmp_path) == ""
    assert raid_volume("", tmp_path) == ""
