"""The power sensors of a host: those of drives (hwmon), and the energy counters of CPU packages (RAPL)."""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.machine.device import own_folder, whole_folder
from iosonde.machine.numa import LEVELS_MAX
from iosonde.machine.sysfs import read_int, read_text
from iosonde.records import PowerSource

_HWMON_PLACES: Final = ("device", "device/hwmon", "device/device", "device/device/hwmon")
"""Where kernels put the sensors of a drive, below the directory of the disk."""
_PACKAGE_ZONE: Final = re.compile(r"intel-rapl:\d+")
"""The zones of packages. Those of their parts have a second number; ``intel-rapl-mmio`` counts the same energy again.

AMD processors have them under the same name.
"""


@dataclass(frozen=True)
class PowerSensor:
    """A sensor of power in µW, or a counter of energy in µJ, which goes on at 0 above ``energy_uj_max``.

    That is None for a counter that never comes to its end.
    """

    source: PowerSource
    name: str
    path: str
    counts_energy: bool = False
    energy_uj_max: int | None = None


@dataclass(frozen=True)
class PowerSample:
    """The values of some sensors, None for those that could not be read, and the time (CLOCK_MONOTONIC_RAW)."""

    raw_ns: int
    values: tuple[int | None, ...]


def power_sensors(device_numbers: tuple[int, ...], root: Path = Path("/")) -> tuple[PowerSensor, ...]:
    """The sensors that can be read now. Those of drives only if every disk below the devices has one."""
    disks = {disk for number in device_numbers for disk in _disks_of(number, root)}
    found = [_of_drive(disk) for disk in sorted(disks)]
    drives = [each for each in found if each is not None]
    return (*(drives if len(drives) == len(disks) else ()), *_packages(root))


def sample_power(sensors: tuple[PowerSensor, ...]) -> PowerSample:
    """The present values."""
    values = tuple(read_int(Path(sensor.path)) for sensor in sensors)
    return PowerSample(time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), values)


def _disks_of(number: int, root: Path) -> Iterator[Path]:
    folder = own_folder(number, root)
    if folder is not None:
        yield from _below(whole_folder(folder), LEVELS_MAX)


def _below(whole: Path, levels: int) -> Iterator[Path]:
    slaves = [path.resolve() for path in (whole / "slaves").glob("*")]
    if not slaves or not levels:
        yield whole
        return
    for slave in slaves:
        yield from _below(whole_folder(slave), levels - 1)


def _of_drive(disk: Path) -> PowerSensor | None:
    """The sensor of a disk: a counter of energy if it has one, since it misses nothing between two samples."""
    folders = sorted(folder for place in _HWMON_PLACES for folder in (disk / place).glob("hwmon[0-9]*"))
    for name in ("energy1_input", "power1_average", "power1_input"):
        for folder in folders:
            path = folder / name
            if read_int(path) is not None:
                return PowerSensor(
                    PowerSource.DRIVE, disk.name, os.fspath(path), counts_energy=name.startswith("energy")
                )
    return None


def _packages(root: Path) -> Iterator[PowerSensor]:
    for zone in sorted((root / "sys/class/powercap").glob("intel-rapl:*")):
        name, energy_uj_max = read_text(zone / "name"), read_int(zone / "max_energy_range_uj")
        is_package = _PACKAGE_ZONE.fullmatch(zone.name) is not None and name.startswith("package")
        if is_package and energy_uj_max and read_int(zone / "energy_uj") is not None:
            path = os.fspath(zone / "energy_uj")
            yield PowerSensor(PowerSource.CPU, name, path, counts_energy=True, energy_uj_max=energy_uj_max)
