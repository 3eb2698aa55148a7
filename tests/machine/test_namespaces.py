"""The two devices of a namespace of NVMe, found from each other; on made trees, with nodes that are there anyhow."""

import os
import stat
from pathlib import Path

import pytest

from iosonde.machine.namespaces import block_of, generic_of

NVME = "sys/devices/pci0000:00/nvme/nvme0"


def numbered(root: Path, kind: str, node: Path, place: str) -> None:
    """Has sysfs say that a node is the device at a place."""
    number = node.stat().st_rdev
    folder = root / f"sys/dev/{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{os.major(number)}:{os.minor(number)}").symlink_to(root / place)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A namespace with a partition, and its generic device, side by side."""
    (tmp_path / NVME / "nvme0n1/nvme0n1p1").mkdir(parents=True)
    (tmp_path / NVME / "nvme0n1/dev").write_text("259:0\n")
    (tmp_path / NVME / "ng0n1").mkdir()
    (tmp_path / "sys/class/nvme-generic").mkdir(parents=True)
    (tmp_path / NVME / "ng0n1/subsystem").symlink_to(tmp_path / "sys/class/nvme-generic")
    return tmp_path


def a_block_device() -> Path:
    found = [path for path in Path("/dev").iterdir() if stat.S_ISBLK(path.lstat().st_mode)]
    if not found:
        pytest.skip("there is no block device here")
    return found[0]


def test_the_generic_device_is_found_beside_the_namespace(machine: Path) -> None:
    node = a_block_device()
    numbered(machine, "block", node, f"{NVME}/nvme0n1")
    assert generic_of(node, machine) == machine / "dev/ng0n1"


def test_a_partition_has_no_generic_device(machine: Path) -> None:
    node = a_block_device()
    numbered(machine, "block", node, f"{NVME}/nvme0n1/nvme0n1p1")
    assert generic_of(node, machine) is None


def test_the_namespace_is_found_from_its_generic_device(machine: Path) -> None:
    null = Path("/dev/null")
    numbered(machine, "char", null, f"{NVME}/ng0n1")
    assert block_of(null, machine) == machine / "dev/nvme0n1"


def test_a_character_device_of_another_kind_belongs_to_no_namespace(machine: Path) -> None:
    assert block_of(Path("/dev/null"), machine) is None
    assert block_of(Path("/dev/null")) is None
    assert block_of(machine) is None
