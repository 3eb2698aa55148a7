"""The interface to the host that the targets are on. All questions about a target go through it.

Arguments and results are plain data, so that the host may be a remote one. Paths are text. Errors on that host are
raised as OSError.
"""

import errno
from dataclasses import dataclass
from typing import Literal, Protocol

from iosonde.machine.holders import Holders
from iosonde.machine.md_array import MdSync
from iosonde.machine.orphans import Orphan
from iosonde.machine.power import PowerSample, PowerSensor
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
from iosonde.safe_files import CreatedFile


@dataclass(frozen=True)
class PathFacts:
    """The facts of a path. A device is a block device, or the generic character device of an NVMe namespace.

    ``device_number`` is that of the block device, or of the device that a file or directory is on. ``size_bytes`` is
    None if the size of a device is unknown. ``may_create`` says that files can be created in a directory, and
    ``is_read_only`` that its file system is mounted read-only. For a device, ``block`` and ``generic`` are its two
    paths (empty if it has none), and ``identifier`` is independent of slot and port (empty if it has none).
    """

    kind: Literal["file", "directory", "device", "other"]
    device_number: int
    size_bytes: int | None
    may_read: bool
    may_create: bool = False
    is_read_only: bool = False
    block: str = ""
    generic: str = ""
    identifier: str = ""


@dataclass(frozen=True)
class Counters:
    """Counters at one time: CPU times in ticks, and those of a device as in /sys/block/NAME/stat (may be empty)."""

    cpu: tuple[int, ...]
    device: tuple[int, ...] = ()


def leads_nowhere(error: OSError) -> bool:
    """Whether the error of accessing a path says that it does not exist."""
    return error.errno in {errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP}


class Host(Protocol):
    """The host that the targets are on. Several threads may use it at the same time."""

    def command_prefix(self) -> tuple[str, ...]:
        """The prefix of a command that has to run on that host; empty for this host."""

    def facts(self) -> HostFacts:
        """The facts of the host that affect a measurement."""

    def silent(self, paths: tuple[str, ...], wait_s: float) -> tuple[str, ...]:
        """The paths that do not respond within ``wait_s``. All are checked at the same time. Raises OSError."""

    def look(self, path: str) -> PathFacts:
        """The facts of a path, links followed. Raises OSError."""

    def identity(self, path: str) -> Identity:
        """The identity of a path, links not followed, without its birth time. Raises OSError."""

    def absolute(self, path: str) -> str:
        """The absolute path, links kept."""

    def resolved(self, path: str) -> str:
        """The absolute path, links followed as far as the path exists."""

    def file_system(self, path: str) -> FileSystemFacts:
        """The file system that a path is on. Raises OSError."""

    def extents(self, path: str) -> ExtentFacts | None:
        """The extents of a file; None if its file system does not report them. Raises OSError."""

    def device(self, path: str) -> DeviceFacts | None:
        """The whole device that a path is on, or is; None if there is none. Raises OSError."""

    def md_array(self, path: str) -> MdArray | None:
        """The array of Linux md that a path leads to; None if it leads to none."""

    def md_sync(self, path: str) -> MdSync:
        """How far an array of Linux md is synchronised."""

    def raid_volume(self, path: str) -> str:
        """The model and driver of the hardware RAID controller whose volume a device is; empty if it is none."""

    def counters(self, device_number: int | None) -> Counters:
        """The present counters of the host, and of a device."""

    def state(self, before: Counters, io_uring_refused: str) -> HostState:
        """The state of the host, with what changed since ``before``."""

    def device_state(self, device_number: int, before: Counters, elapsed_ns: int) -> DeviceState | None:
        """The state of a device, with its I/O since ``before``; None if sysfs does not have it."""

    def smart_health(self, disk: str) -> DriveHealth:
        """The health that smartctl reads from a disk, by the kernel's name; with the reason for what is unknown."""

    def power_sensors(self, device_numbers: tuple[int, ...]) -> tuple[PowerSensor, ...]:
        """The readable sensors of power: of the disks below devices, if all of them have one, and of CPU packages."""

    def sample_power(self, sensors: tuple[PowerSensor, ...]) -> PowerSample:
        """The present values of sensors."""

    def uses(self, device_number: int) -> tuple[DeviceUse, ...]:
        """The other uses of a device's disk."""

    def cpus_near(self, numa_node: int | None) -> tuple[int, ...]:
        """The CPUs of a NUMA node; none if the node is unknown or the host has only one."""

    def holders(self, path: str) -> Holders:
        """The users of a file. Raises OSError."""

    def neighbours(self, device_numbers: tuple[int, ...], own_process: int) -> tuple[Neighbour, ...]:
        """Engines other than ``own_process`` that measure on the same disks."""

    def marked(self, path: str, mark: str) -> Identity | None:
        """The identity of the file at a path if it carries the mark, None if not. Raises FileNotFoundError."""

    def is_created(self, path: str, file: CreatedFile, mark: str) -> bool:
        """Whether the file at a path is that file, and carries that mark."""

    def register(self, name: str, file: CreatedFile, mark: str) -> None:
        """Adds a file that a run created, and that cannot carry a mark, to the user's registry."""

    def unregister(self, mark: str) -> None:
        """Removes the file with that mark from the registry."""

    def orphans(self, folder: str) -> tuple[Orphan, ...]:
        """The files that killed runs have left in a directory."""

    def renamed(self, folder: str) -> tuple[str, ...]:
        """The files in a directory that iosonde created under a name that the user chose."""

    def remove_orphan(self, orphan: Orphan) -> bool:
        """Removes an orphan if it is still that file. Returns whether it is gone. Raises OSError."""

    def remove(self, path: str, file: CreatedFile, mark: str, wait_s: float) -> str | None:
        """Removes a file that a run created, if it is still that file. Returns "" if it is gone, else the reason.

        Returns None if its file system did not respond within ``wait_s``. The removal then continues on its own.
        """

    def abandon(self, path: str, file: CreatedFile, mark: str) -> None:
        """Starts the removal of a file that a run created, and does not wait for it."""

    def present_path(self, process: int, file: CreatedFile) -> str:
        """The present path of a file that a process has open; empty if it is unknown or the file was unlinked."""
