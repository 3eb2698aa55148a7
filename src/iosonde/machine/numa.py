"""The NUMA node of a device, and the CPUs of a node."""

from pathlib import Path
from typing import Final

from iosonde.machine.sysfs import read_int, read_text

# Enough for arrays of arrays of partitions.
LEVELS_MAX: Final = 8


def numa_node(folder: Path, levels: int = LEVELS_MAX) -> int | None:
    """The node of a whole device, by its sysfs directory; None if unknown (-1), or if the disks of an array differ."""
    below = [path.resolve() for path in (folder / "slaves").glob("*")]
    if below:
        wholes = [path.parent if (path / "partition").exists() else path for path in below]
        return _the_only({numa_node(whole, levels - 1) for whole in wholes} if levels else set())
    # NVMe multipath: the controllers are in the same directory as the namespace.
    beside = {node for path in folder.parent.glob("nvme*") if (node := read_int(path / "numa_node")) is not None}
    if beside:
        return _the_only(beside)
    # The node is an attribute of the controller, or of its PCI device.
    for place in (folder / "device", *folder.parents):
        node = read_int(place / "numa_node")
        if node is not None:
            return _the_only({node})
    return None


def cpus_near(node: int | None, root: Path = Path("/")) -> tuple[int, ...]:
    """The CPUs of a node, ascending; none if the node is unknown or the machine has only one."""
    if node is None or numa_nodes(root) <= 1:
        return ()
    return cpu_numbers(read_text(root / f"sys/devices/system/node/node{node}/cpulist"))


def numa_nodes(root: Path = Path("/")) -> int:
    """The number of nodes of the machine; 0 if the kernel does not report it."""
    return len(list((root / "sys/devices/system/node").glob("node[0-9]*")))


def cpu_numbers(ranges: str) -> tuple[int, ...]:
    """The numbers in a CPU list of the kernel: ``0-3,8`` has five."""
    numbers: list[int] = []
    for stretch in ranges.split(",") if ranges else ():
        first, _, last = stretch.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)


def _the_only(nodes: set[int | None] | set[int]) -> int | None:
    """The node, if it is the same for all; else None."""
    node = next(iter(nodes)) if len(nodes) == 1 else None
    return None if node is None or node < 0 else node
