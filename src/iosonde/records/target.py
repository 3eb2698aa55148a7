"""The target: a file with its file system and device, a block device, the null target or a simulated drive."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from iosonde.records.base import Record
from iosonde.records.inspection import DeviceIdentity

TargetKind = Literal["file", "device", "null", "simulation"]
"""A file, a block device, the null target, or a simulated drive."""


class Identity(Record):
    """The identity of a target, independent of its path. It is checked again before a run continues.

    ``born_ns`` is the creation time of the file, since 1970, because a file system soon reuses inode numbers. It is
    None if the file system does not record it. A block device has its own device number, and inode 0.
    """

    device_major: int
    device_minor: int
    inode: int
    size_bytes: int
    born_ns: int | None = None


class Alignment(Record):
    """The alignment that direct I/O requires, and its source (``statx``, or ``none`` if I/O is buffered)."""

    memory_bytes: int
    offset_bytes: int
    source: str


class FileSystemFacts(Record):
    """The file system of the target."""

    kind: str
    mount_point: str
    mount_options: str
    size_bytes: int
    available_bytes: int


class ExtentFacts(Record):
    """The contiguous stretches of its device that a file occupies: their number, their sum, and the largest one."""

    count: int
    bytes: int
    bytes_max: int


class DeviceFacts(Record):
    """The block device of the target, as reported by sysfs; None or an empty string if sysfs does not report it."""

    name: str
    model: str
    serial: str
    firmware: str
    size_bytes: int
    rotational: bool | None
    scheduler: str
    queue_tags: int | None
    write_cache: str
    logical_block_size_bytes: int | None
    physical_block_size_bytes: int | None
    request_size_bytes_max: int | None
    numa_node: int | None = None


class NamespaceFacts(Record):
    """An NVMe namespace for passthrough commands: its number, its block size, and the maximum transfer size."""

    number: int
    block_bytes: int
    transfer_bytes_max: int


class DeviceUse(Record):
    """Another use of a device: ``device`` (itself, or a partition of its disk) is mounted, used for swap, or held.

    ``by`` is the mount point or the device on top of it (device mapper, md); empty for swap.
    """

    device: str
    use: Literal["mounted", "swap", "held"]
    by: str = ""

    def __str__(self) -> str:
        """The use as text: ``vda1 is mounted at /``."""
        match self.use:
            case "mounted":
                return f"{self.device} is mounted at {self.by}"
            case "swap":
                return f"{self.device} is used for swap"
            case "held":
                return f"{self.device} is part of {self.by}"


def flattened(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a table and of its nested tables, by its dotted key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


class SimulationFacts(Record):
    """A simulated drive: everything that is needed to create the same drive again.

    ``model`` is the name of a shipped model, or the path of a model file. ``table`` has its kind and its parameters in
    the engine's format. ``scale`` is the factor by which the drive is smaller than the model, and is also in the table.
    ``faults`` is its fault schedule in the engine's format.
    """

    model: str
    title: str
    table: dict[str, Any]
    seed: int
    scale: int = 1
    faults: tuple[dict[str, Any], ...] = ()

    @property
    def is_ssd(self) -> bool:
        """Whether the model is one of an SSD, which has a fresh-out-of-box state."""
        return bool(self.table.get("kind") == "ssd")

    @property
    def size_bytes(self) -> int | None:
        """The capacity of the drive, with its scale; None if the model has none."""
        size_bytes: int | None = self.table.get("size_bytes")
        capacity_bytes: int | None = self.table.get("capacity_bytes")
        return capacity_bytes // self.scale if size_bytes is None and capacity_bytes is not None else size_bytes

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """Every parameter of the drive, by its dotted key."""
        return flattened(self.table)


class TargetFacts(Record):
    """The target at the time it was opened.

    ``written`` is whether every block of the test region was written before it was read: ``filled`` by this run,
    ``data`` if the file system reports no holes, ``unknown`` otherwise. ``purged``: this run purged the device, and did
    not precondition it. ``simulation`` is the drive of a simulated target, and None for all others. ``cpus_near`` are
    the CPUs of the device's NUMA node, empty if it is unknown or if all CPUs are equally close. Workers are pinned to
    those of them that the run may use.

    For a block device, ``device_identifier`` identifies it regardless of its connection (empty if it has none), and
    ``uses`` are its other uses at the time it was opened. ``namespace`` is the NVMe namespace, with passthrough.
    ``granted`` is the identity of a block device that was opened for writing, and ``consents`` are the checks whose
    findings the user accepted. ``host`` is the index of its host, from 0.
    """

    kind: TargetKind
    path: str
    created: bool
    direct: bool
    written: Literal["filled", "data", "purged", "unknown"]
    span_bytes: int
    identity: Identity | None
    alignment: Alignment
    file_system: FileSystemFacts | None
    device: DeviceFacts | None
    simulation: SimulationFacts | None = None
    cpus_near: tuple[int, ...] = ()
    device_identifier: str = ""
    uses: tuple[DeviceUse, ...] = ()
    namespace: NamespaceFacts | None = None
    granted: DeviceIdentity | None = None
    consents: tuple[str, ...] = ()
    host: int = 0

    @property
    def is_storage(self) -> bool:
        """Whether it is real storage, so that host and device affect the results."""
        return self.kind in {"file", "device"}
