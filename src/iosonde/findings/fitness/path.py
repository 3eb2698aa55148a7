"""A file or directory: what of its file system would spoil a measurement."""

from collections.abc import Iterator
from typing import Final

from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.records import FileSystemFacts
from iosonde.units import format_size

GROUP: Final = "File system"
NETWORK: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "afs", "lustre", "glusterfs"})
MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs"})
COPY_ON_WRITE: Final = frozenset({"btrfs", "zfs", "bcachefs"})
LAYERED: Final = frozenset({"overlay", "aufs", "ecryptfs", "fuse", "fuseblk"})


def path_lines(system: FileSystemFacts) -> Iterator[FitnessLine]:
    """A line for each fact of the file system that a path is on."""
    yield _type(system)
    yield _line("mounted at", f"{system.mount_point} ({system.mount_options})")
    yield _line("free space", format_size(system.available_bytes))
    options = set(system.mount_options.split(","))
    compressed = [each for each in options if each.startswith("compress")]
    if compressed:
        yield _line(
            "compression",
            ", ".join(sorted(compressed)),
            State.NOTE,
            "data that can be compressed is measured too fast",
            "measure with --data random (the default)",
        )
    if "sync" in options or "dirsync" in options:
        yield _line(
            "synchronous",
            "yes",
            State.NOTE,
            "each write waits for the medium",
            f"mount -o remount,async {system.mount_point}",
        )
    if "discard" in options:
        yield _line("online discard", "yes", State.NOTE, "deleting files sends discards to the drive")


def _line(subject: str, value: str, state: State = State.OK, reason: str = "", command: str = "") -> FitnessLine:
    return FitnessLine(GROUP, subject, value, state, reason, command)


def _type(system: FileSystemFacts) -> FitnessLine:
    kind = system.kind
    if kind in MEMORY:
        return _line(
            "type", kind, State.WARNING, "it is in memory: no drive is measured", "specify a directory on a drive"
        )
    if kind in NETWORK:
        return _line("type", kind, State.NOTE, "results are those of network and server")
    if kind in COPY_ON_WRITE:
        return _line(
            "type",
            kind,
            State.NOTE,
            "overwriting a block writes a new one, with metadata and checksums",
            "chattr +C on an empty directory (btrfs)" if kind == "btrfs" else "",
        )
    if kind in LAYERED or kind.startswith("fuse."):
        return _line("type", kind, State.NOTE, "another file system is below it, and adds its own work")
    return _line("type", kind)
