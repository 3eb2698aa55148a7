"""The power sensors of drives and CPU packages are found where kernels put them, and nothing else is one."""

import os
import time
from pathlib import Path

import pytest

from iosonde.machine import PowerSensor
from iosonde.machine.power import power_sensors, sample_power
from iosonde.records import PowerSource

SDA, NVME = os.makedev(8, 0), os.makedev(259, 0)


def write(path: Path, text: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def add_disk(root: Path, name: str, number: int) -> Path:
    """A disk in a tree like that of sysfs; its directory."""
    folder = root / "sys/devices" / name / "block" / name
    (folder / "device").mkdir(parents=True)
    link = root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder)
    return folder


def add_zone(root: Path, zone: str, name: str, energy_uj: int = 500) -> Path:
    """A zone of RAPL."""
    folder = root / "sys/class/powercap" / zone
    write(folder / "name", name)
    write(folder / "energy_uj", energy_uj)
    write(folder / "max_energy_range_uj", 262_143_328_850)
    return folder


def test_a_host_without_sensors_has_none(tmp_path: Path) -> None:
    add_disk(tmp_path, "sda", SDA)
    assert power_sensors((SDA,), tmp_path) == ()
    assert power_sensors((), tmp_path) == ()


@pytest.mark.parametrize("place", ["device/hwmon3", "device/hwmon/hwmon1", "device/device/hwmon/hwmon0"])
def test_the_sensor_of_a_drive_is_found(tmp_path: Path, place: str) -> None:
    disk = add_disk(tmp_path, "nvme0n1", NVME)
    write(disk / place / "power1_input", 8_500_000)
    (sensor,) = power_sensors((NVME,), tmp_path)
    assert sensor == PowerSensor(PowerSource.DRIVE, "nvme0n1", str(disk / place / "power1_input"))
    assert sample_power((sensor,)).values == (8_500_000,)


def test_a_counter_of_energy_is_preferred_and_then_a_mean(tmp_path: Path) -> None:
    disk = add_disk(tmp_path, "nvme0n1", NVME)
    for name in ("power1_input", "power1_average", "energy1_input"):
        write(disk / "device/hwmon3" / name, 7)
        (sensor,) = power_sensors((NVME,), tmp_path)
        assert Path(sensor.path).name == name
        assert sensor.counts_energy == (name == "energy1_input")
        assert sensor.energy_uj_max is None


def test_the_power_of_drives_is_unknown_if_one_of_them_has_no_sensor(tmp_path: Path) -> None:
    write(add_disk(tmp_path, "nvme0n1", NVME) / "device/hwmon3/power1_input", 7)
    write(add_disk(tmp_path, "sda", SDA) / "device/hwmon/hwmon1/temp1_input", 40_000)
    assert power_sensors((NVME, SDA), tmp_path) == ()
    assert [each.name for each in power_sensors((NVME,), tmp_path)] == ["nvme0n1"]


def test_the_disks_of_a_stacked_device_are_meant_each_once(tmp_path: Path) -> None:
    first, second = add_disk(tmp_path, "sda", SDA), add_disk(tmp_path, "sdb", os.makedev(8, 16))
    for disk in (first, second):
        write(disk / "device/hwmon/hwmon1/power1_input", 7)
    stacked = add_disk(tmp_path, "dm-0", os.makedev(253, 0))
    (stacked / "slaves").mkdir()
    partition = first / "sda1"
    write(partition / "partition", 1)
    (stacked / "slaves/sda1").symlink_to(partition)
    (stacked / "slaves/sdb").symlink_to(second)
    names = [each.name for each in power_sensors((os.makedev(253, 0), SDA), tmp_path)]
    assert names == ["sda", "sdb"]


def test_cpu_packages_are_those_of_rapl_without_their_parts(tmp_path: Path) -> None:
    first = add_zone(tmp_path, "intel-rapl:0", "package-0")
    add_zone(tmp_path, "intel-rapl:1", "package-1")
    add_zone(tmp_path, "intel-rapl:0:0", "core")
    add_zone(tmp_path, "intel-rapl:0:1", "dram")
    add_zone(tmp_path, "intel-rapl:2", "psys")
    add_zone(tmp_path, "intel-rapl-mmio:0", "package-0")
    sensors = power_sensors((), tmp_path)
    assert [(each.source, each.name) for each in sensors] == [
        (PowerSource.CPU, "package-0"),
        (PowerSource.CPU, "package-1"),
    ]
    assert sensors[0].path == str(first / "energy_uj")
    assert (sensors[0].counts_energy, sensors[0].energy_uj_max) == (True, 262_143_328_850)


def test_a_counter_that_cannot_be_read_is_no_sensor(tmp_path: Path) -> None:
    (add_zone(tmp_path, "intel-rapl:0", "package-0") / "energy_uj").unlink()
    assert power_sensors((), tmp_path) == ()


def test_a_sample_has_its_time_and_the_values_that_could_be_read(tmp_path: Path) -> None:
    write(tmp_path / "energy", 12)
    sensors = tuple(PowerSensor(PowerSource.CPU, name, str(tmp_path / name)) for name in ("energy", "gone"))
    before_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    sample = sample_power(sensors)
    assert before_ns <= sample.raw_ns <= time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    assert sample.values == (12, None)
