"""What was measured: the file, the file system it lies on, and the device below; or the device itself."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from iosonde.records.base import Record

TargetKind = Literal["file", "device", "null", "simulation"]
"""A file, a block device (which is only read), nothing at all, or a simulated drive."""


class Identity(Record):
    """What makes a target the same target, whatever its path: checked again before anything goes on.

    ``born_ns`` is when the file was made, since 1970: a number that was freed is soon given to another file. None where
    the file system does not keep it. A block device has its own number, and inode 0.
    """

    device_major: int
    device_minor: int
    inode: int
    size_bytes: int
    born_ns: int | None = None


class Alignment(Record):
    """What direct I/O asks of addresses, and who said so (``statx``, or ``none`` where I/O is buffered)."""

    memory_bytes: int
    offset_bytes: int
    source: str


class FileSystemFacts(Record):
    """The file system that the target lies on."""

    kind: str
    mount_point: str
    mount_options: str
    size_bytes: int
    available_bytes: int


class DeviceFacts(Record):
    """The block device below, as sysfs tells it; None or an empty string where it does not."""

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
    """A namespace of NVMe that commands were sent to: its number, its blocks, and the most that one command moves."""

    number: int
    block_bytes: int
    transfer_bytes_max: int


class DeviceUse(Record):
    """What else a device is used for: ``device`` (it, or a partition of its disk) is mounted, swapped to, or held.

    ``by`` is the mount point, or the device above it (device mapper, md); empty for swap.
    """

    device: str
    use: Literal["mounted", "swap", "held"]
    by: str = ""

    def __str__(self) -> str:
        """For people: ``vda1 is mounted at /``."""
        match self.use:
            case "mounted":
                return f"{self.device} is mounted at {self.by}"
            case "swap":
                return f"{self.device} is swapped to"
            case "held":
                return f"{self.device} is part of {self.by}"


def flattened(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a table and of those within it, by its dotted key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


class SimulationFacts(Record):
    """A simulated drive: all that it is made from, so that the very same one can be made again.

    ``model`` is the name of a shipped model, or the path of a model file. ``table`` are its kind and its parameters as
    the engine takes them. ``scale`` says how many times smaller than the model the drive is; the table has it as well.
    ``faults`` are what goes wrong with it and when, as the engine takes them.
    """

    model: str
    title: str
    table: dict[str, Any]
    seed: int
    scale: int = 1
    faults: tuple[dict[str, Any], ...] = ()

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """Every value that the drive is made from, by its dotted key."""
        return flattened(self.table)


class TargetFacts(Record):
    """The target as it was when it was opened.

    ``written`` says whether every block of the span was written before it was read: ``filled`` by this run,
    ``data`` when the file system reports no hole, ``unknown`` otherwise. ``simulation`` is the drive of a simulated
    target, and None for every other. ``cpus_near`` are the CPUs of the NUMA node that the device hangs on, none where
    nobody knows or all are alike: workers are tied to those of them that the run may use.

    Of a block device, ``device_identifier`` names it wherever it is plugged in (empty where nothing does), and ``uses``
    are what else it was used for when it was opened. ``namespace`` is what commands went to, with passthrough.
    ``host`` is the place of its host among those of the run, from 0.
    """

    kind: TargetKind
    path: str
    created: bool
    direct: bool
    written: Literal["filled", "data", "unknown"]
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
    host: int = 0

    @property
    def is_storage(self) -> bool:
        """Whether I/O was done on it, so that host and device have a part in the figures."""
        return self.kind in {"file", "device"}
