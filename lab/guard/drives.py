"""The emulated drives of the guard's check."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.stories.loop_devices import done

MIB: Final = 1 << 20
SIZE_BYTES: Final = 36 * MIB
"""Room for two partitions of the least size that is measured."""


DRIVES: Final = ("LAB-GUARD-A", "LAB-GUARD-B")
"""The serial numbers of two NVMe drives with a namespace each."""

SHARED: Final = "LAB-GUARD-NS"
"""The serial number of a controller with two namespaces."""


def by_serial(serial: str) -> Path:
    """The node of the first namespace of a controller."""
    for path in sorted(Path("/sys/class/nvme").glob("nvme*")):
        if (path / "serial").read_text(encoding="utf-8").strip() == serial:
            return Path("/dev") / next(iter(sorted(path.glob("nvme*n*")))).name
    raise FileNotFoundError(serial)


def namespaces(serial: str) -> list[Path]:
    """The nodes of all namespaces of a controller."""
    first = by_serial(serial)
    folder = (Path("/sys/class/block") / first.name).resolve().parent
    return [Path("/dev") / path.name for path in sorted(folder.glob("nvme*n*"))]


@contextmanager
def mapping(uuid: str, table: str) -> Iterator[Path]:
    """A device of device mapper with that UUID. Without udev its node has the kernel's name."""
    done("dmsetup", "create", uuid, "--uuid", uuid, "--table", table)
    try:
        yield Path(f"/dev/dm-{done('dmsetup', 'info', '--columns', '--noheadings', '-o', 'minor', uuid)}")
    finally:
        done("dmsetup", "remove", "--retry", uuid)
