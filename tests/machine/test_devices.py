"""Block devices by their numbers: what names them, how large they are, and what else uses them; on made trees."""

import os
from pathlib import Path

import pytest

from iosonde.machine.device import device_identifier, device_size_bytes
from iosonde.machine.uses import uses_of
from iosonde.records import DeviceUse
from tests.machine.test_facts import put

NVME = "sys/devices/pci0000:00/nvme/nvme0/nvme0n1"
DM = "sys/devices/virtual/block/dm-0"
WHOLE, PARTITION, MAPPED = (os.makedev(259, 0), os.makedev(259, 2), os.makedev(253, 0))


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A drive of three partitions: one is mounted, one is swapped to, one is below a volume mounted at /home."""
    put(
        tmp_path,
        {
            f"{NVME}/dev": "259:0\n",
            f"{NVME}/size": "2048000\n",
            f"{NVME}/wwid": "eui.0025385b71b0a1c2\n",
            f"{NVME}/nvme0n1p1/dev": "259:1\n",
            f"{NVME}/nvme0n1p1/partition": "1\n",
            f"{NVME}/nvme0n1p2/dev": "259:2\n",
            f"{NVME}/nvme0n1p2/partition": "2\n",
            f"{NVME}/nvme0n1p2/start": "206848\n",
            f"{NVME}/nvme0n1p2/size": "1024\n",
            f"{NVME}/nvme0n1p3/dev": "259:3\n",
            f"{NVME}/nvme0n1p3/partition": "3\n",
            f"{DM}/dev": "253:0\n",
            f"{DM}/dm/uuid": "LVM-f3rT\n",
            "proc/self/mountinfo": "21 1 259:1 / /boot rw - vfat /dev/nvme0n1p1 rw\n"
            "22 1 253:0 / /home rw - ext4 /dev/mapper/home rw\n"
            "23 1 253:0 /ann /srv/ann rw - ext4 /dev/mapper/home rw\n",
            "proc/swaps": "Filename Type Size Used Priority\n/dev/nvme0n1p2 partition 1 0 -2\n/swap file 1 0 -3\n",
        },
    )
    holders = tmp_path / NVME / "nvme0n1p3/holders"
    holders.mkdir()
    (holders / "dm-0").symlink_to(tmp_path / DM)
    numbers = tmp_path / "sys/dev/block"
    numbers.mkdir(parents=True)
    for number, place in (("259:0", NVME), ("259:2", f"{NVME}/nvme0n1p2"), ("253:0", DM)):
        (numbers / number).symlink_to(tmp_path / place)
    return tmp_path


def test_a_device_and_a_partition_have_their_own_sizes(machine: Path) -> None:
    assert device_size_bytes(WHOLE, machine) == 2048000 * 512
    assert device_size_bytes(PARTITION, machine) == 1024 * 512
    assert device_size_bytes(os.makedev(8, 0), machine) is None


def test_a_partition_is_named_by_its_disk_and_where_it_begins(machine: Path) -> None:
    assert device_identifier(WHOLE, machine) == "wwid eui.0025385b71b0a1c2"
    assert device_identifier(PARTITION, machine) == "wwid eui.0025385b71b0a1c2, partition 2 from byte 105906176"


def test_what_has_no_world_wide_name_is_named_by_what_it_has(machine: Path) -> None:
    assert device_identifier(MAPPED, machine) == "dm LVM-f3rT"
    assert device_identifier(os.makedev(8, 0), machine) == ""


@pytest.mark.parametrize("number", [WHOLE, PARTITION])
def test_all_that_uses_the_disk_is_a_use_of_each_of_its_partitions(machine: Path, number: int) -> None:
    assert uses_of(number, machine) == (
        DeviceUse(device="nvme0n1p1", use="mounted", by="/boot"),
        DeviceUse(device="nvme0n1p2", use="swap"),
        DeviceUse(device="nvme0n1p3", use="held", by="dm-0"),
        DeviceUse(device="dm-0", use="mounted", by="/home"),
    )


def test_a_device_that_nobody_uses_has_no_uses(machine: Path) -> None:
    (machine / "proc/self/mountinfo").write_text("")
    assert uses_of(MAPPED, machine) == ()
    assert uses_of(os.makedev(8, 0), machine) == ()


def test_uses_are_told_in_words() -> None:
    assert str(DeviceUse(device="vda1", use="mounted", by="/")) == "vda1 is mounted at /"
    assert str(DeviceUse(device="vda2", use="swap")) == "vda2 is used for swap"
    assert str(DeviceUse(device="vda3", use="held", by="md0")) == "vda3 is part of md0"
