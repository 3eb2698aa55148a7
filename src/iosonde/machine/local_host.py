"""The host that this process runs on."""

import os
from contextlib import suppress
from pathlib import Path

from iosonde.machine.competing_runs import neighbours_of
from iosonde.machine.device import device_facts
from iosonde.machine.device_state import device_counters, device_state
from iosonde.machine.extents import extent_facts
from iosonde.machine.holders import Holders, holders_of
from iosonde.machine.host import Counters, PathFacts
from iosonde.machine.host_facts import host_facts
from iosonde.machine.host_state import cpu_times, host_state
from iosonde.machine.md_array import MdSync, read_md_array, read_md_sync
from iosonde.machine.mounts import file_system_facts
from iosonde.machine.numa import cpus_near
from iosonde.machine.orphans import Orphan, orphans_in, remove_orphan, renamed_in
from iosonde.machine.path_facts import identity_at, path_facts
from iosonde.machine.power import PowerSample, PowerSensor, power_sensors, sample_power
from iosonde.machine.raid_volumes import raid_volume
from iosonde.machine.removal import present_path, remove_created_file, start_remover
from iosonde.machine.responsiveness import silent_paths
from iosonde.machine.smartctl import smart_health
from iosonde.machine.uses import uses_of
from iosonde.records import (
    DeviceFacts,
    DeviceState,
    DeviceUse,
    DriveHealth,
    ExtentFacts,
    FileSystemFacts,
    HostFacts,
    HostState,
    Identity,
    MdArray,
    Neighbour,
)
from iosonde.safe_files import CreatedFile, has_mark, mark_on, path_handle, register_created, unregister_created


class LocalHost:
    """Implements ``Host`` for the host that this process runs on."""

    def command_prefix(self) -> tuple[str, ...]:
        """Empty, since commands run on this host."""
        return ()

    def facts(self) -> HostFacts:
        """The facts of the host that affect a measurement."""
        return host_facts()

    def silent(self, paths: tuple[str, ...], wait_s: float) -> tuple[str, ...]:
        """The paths that do not respond within ``wait_s``. Raises OSError."""
        return silent_paths(paths, wait_s)

    def look(self, path: str) -> PathFacts:
        """The facts of a path. Raises OSError."""
        return path_facts(Path(path))

    def identity(self, path: str) -> Identity:
        """The identity of a path, links not followed. Raises OSError."""
        return identity_at(Path(path))

    def absolute(self, path: str) -> str:
        """The absolute path, links kept."""
        return str(Path(path).absolute())

    def resolved(self, path: str) -> str:
        """The absolute path, links followed."""
        return str(Path(path).resolve())

    def file_system(self, path: str) -> FileSystemFacts:
        """The file system that a path is on. Raises OSError."""
        return file_system_facts(Path(path))

    def extents(self, path: str) -> ExtentFacts | None:
        """The extents of a file. Raises OSError."""
        return extent_facts(Path(path))

    def device(self, path: str) -> DeviceFacts | None:
        """The whole device that a path is on, or is. Raises OSError."""
        return device_facts(Path(path))

    def md_array(self, path: str) -> MdArray | None:
        """The array of Linux md that a path leads to; None if it leads to none."""
        with suppress(OSError):
            return read_md_array(_kernel_path(path))
        return None

    def md_sync(self, path: str) -> MdSync:
        """How far an array of Linux md is synchronised."""
        return read_md_sync(path)

    def raid_volume(self, path: str) -> str:
        """The model and driver of the hardware RAID controller whose volume a device is; empty if it is none."""
        with suppress(OSError):
            return raid_volume(_kernel_path(path))
        return ""

    def counters(self, device_number: int | None) -> Counters:
        """The present counters of the host, and of a device."""
        return Counters(cpu_times(), () if device_number is None else device_counters(device_number))

    def state(self, before: Counters, io_uring_refused: str) -> HostState:
        """The state of the host, with what changed since ``before``."""
        return host_state(before.cpu, io_uring_refused)

    def device_state(self, device_number: int, before: Counters, elapsed_ns: int) -> DeviceState | None:
        """The state of a device, with its I/O since ``before``."""
        return device_state(device_number, before.device, elapsed_ns)

    def smart_health(self, disk: str) -> DriveHealth:
        """The health that smartctl reads from a disk."""
        return smart_health(disk)

    def power_sensors(self, device_numbers: tuple[int, ...]) -> tuple[PowerSensor, ...]:
        """The readable sensors of power."""
        return power_sensors(device_numbers)

    def sample_power(self, sensors: tuple[PowerSensor, ...]) -> PowerSample:
        """The present values of sensors."""
        return sample_power(sensors)

    def uses(self, device_number: int) -> tuple[DeviceUse, ...]:
        """The other uses of a device's disk."""
        return uses_of(device_number)

    def cpus_near(self, numa_node: int | None) -> tuple[int, ...]:
        """The CPUs of a NUMA node."""
        return cpus_near(numa_node)

    def holders(self, path: str) -> Holders:
        """The users of a file. Raises OSError."""
        return holders_of(Path(path))

    def neighbours(self, device_numbers: tuple[int, ...], own_process: int) -> tuple[Neighbour, ...]:
        """Engines other than ``own_process`` that measure on the same disks."""
        return neighbours_of(set(device_numbers), own_process)

    def marked(self, path: str, mark: str) -> Identity | None:
        """The identity of the file at a path if it carries the mark. Raises OSError."""
        with path_handle(path) as seen:
            is_ours = mark_on(seen) == mark
        return identity_at(Path(path)) if is_ours else None

    def is_created(self, path: str, file: CreatedFile, mark: str) -> bool:
        """Whether the file at a path is that file, and carries that mark."""
        return has_mark(Path(path), file, mark)

    def register(self, name: str, file: CreatedFile, mark: str) -> None:
        """Adds a file that a run created to the user's registry."""
        register_created(name, file, mark)

    def unregister(self, mark: str) -> None:
        """Removes the file with that mark from the registry."""
        unregister_created(mark)

    def orphans(self, folder: str) -> tuple[Orphan, ...]:
        """The files that killed runs have left in a directory."""
        return orphans_in(Path(folder))

    def renamed(self, folder: str) -> tuple[str, ...]:
        """The files in a directory that iosonde created under a name that the user chose."""
        return tuple(str(path) for path in renamed_in(Path(folder)))

    def remove_orphan(self, orphan: Orphan) -> bool:
        """Removes an orphan if it is still that file. Raises OSError."""
        return remove_orphan(orphan)

    def remove(self, path: str, file: CreatedFile, mark: str, wait_s: float) -> str | None:
        """Removes a file that a run created, if it is still that file."""
        return remove_created_file(path, file, mark, wait_s)

    def abandon(self, path: str, file: CreatedFile, mark: str) -> None:
        """Starts the removal of a file that a run created, and does not wait for it. Raises OSError."""
        start_remover(path, file, mark)

    def present_path(self, process: int, file: CreatedFile) -> str:
        """The present path of a file that a process has open."""
        return present_path(process, file)


def _kernel_path(path: str) -> str:
    """The path of a block device by the kernel's name: sysfs does not know links in /dev/md and /dev/disk.

    Raises OSError.
    """
    return os.path.realpath(path_facts(Path(path)).block)
