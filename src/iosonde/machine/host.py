"""What is asked of the host that the targets are on, as a port: nothing else asks the system about a target.

Arguments and answers are plain data, so that the host may be another one than this. Paths are text. What fails on that
host is an OSError here.
"""

import errno
from dataclasses import dataclass
from typing import Literal, Protocol

from iosonde.machine.holders import Holders
from iosonde.machine.orphans import Orphan
from iosonde.records import DeviceFacts, DeviceUse, FileSystemFacts, HostFacts, Identity, Neighbour
from iosonde.safe_files import CreatedFile


@dataclass(frozen=True)
class PathFacts:
    """What a path leads to. A device is a block device, or the generic one of a namespace of NVMe.

    ``device_number`` is that of the block device, or of the one that a file or directory lies on. ``size_bytes`` is
    None where nobody knows how large a device is. ``may_create`` says that files can be created in a directory, and
    ``is_read_only`` that its file system is mounted so. Of a device, ``block`` and ``generic`` are the two paths
    (empty: there is none), and ``identifier`` names it wherever it is plugged in (empty: nothing does).
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


def leads_nowhere(error: OSError) -> bool:
    """Whether what a look at a path has raised says that there is nothing."""
    return error.errno in {errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP}


class Host(Protocol):
    """The host that the targets are on. It may be asked by several threads at the same time."""

    def command_prefix(self) -> tuple[str, ...]:
        """The words before a command that has to run on that host; none where it is this one."""

    def facts(self) -> HostFacts:
        """What of the host bears on a measurement."""

    def silent(self, paths: tuple[str, ...], wait_s: float) -> tuple[str, ...]:
        """Those of the paths that do not answer within ``wait_s``; all are asked at the same time. Raises OSError."""

    def look(self, path: str) -> PathFacts:
        """What a path leads to, links followed. Raises OSError."""

    def identity(self, path: str) -> Identity:
        """The identity of what lies at a path itself, links not followed, without its birth. Raises OSError."""

    def absolute(self, path: str) -> str:
        """The path from the root on, links kept."""

    def resolved(self, path: str) -> str:
        """The path from the root on, links followed as far as there is something."""

    def file_system(self, path: str) -> FileSystemFacts:
        """The file system that a path is on. Raises OSError."""

    def device(self, path: str) -> DeviceFacts | None:
        """The whole device that a path lies on, or is; None where there is none. Raises OSError."""

    def uses(self, device_number: int) -> tuple[DeviceUse, ...]:
        """What else the disk of a device is used for."""

    def cpus_near(self, numa_node: int | None) -> tuple[int, ...]:
        """The CPUs of a NUMA node; none where the node is unknown or the host has no other."""

    def holders(self, path: str) -> Holders:
        """Who uses a file. Raises OSError."""

    def neighbours(self, device_numbers: tuple[int, ...], own_process: int) -> tuple[Neighbour, ...]:
        """Engines other than ``own_process`` that measure on the same disks."""

    def marked(self, path: str, mark: str) -> Identity | None:
        """The identity of the file at a path if it carries the mark, None if not. FileNotFoundError: nothing there."""

    def is_created(self, path: str, file: CreatedFile, mark: str) -> bool:
        """Whether the file at a path is that file, and carries that mark."""

    def register(self, name: str, file: CreatedFile, mark: str) -> None:
        """Keeps in the user's registry that a file that can carry no mark was created by a run."""

    def unregister(self, mark: str) -> None:
        """Forgets it again."""

    def orphans(self, folder: str) -> tuple[Orphan, ...]:
        """The files that killed runs have left in a directory."""

    def renamed(self, folder: str) -> tuple[str, ...]:
        """Files that iosonde created there under a name that the user chose."""

    def remove_orphan(self, orphan: Orphan) -> bool:
        """Removes it if it is still that file; whether it is gone. Raises OSError."""

    def remove(self, path: str, file: CreatedFile, mark: str, wait_s: float) -> str | None:
        """Removes a file that a run created, if it is still that file. Empty if it is gone, else the reason.

        None where its file system did not answer within ``wait_s``; the removal then goes on by itself.
        """

    def abandon(self, path: str, file: CreatedFile, mark: str) -> None:
        """Has it removed, and does not wait."""

    def present_path(self, process: int, file: CreatedFile) -> str:
        """Where a file is now that a process has open; empty where nobody knows, or it has no name any more."""
