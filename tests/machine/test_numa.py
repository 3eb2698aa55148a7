"""Which node a device hangs on, on trees of sysfs made for the purpose."""

from pathlib import Path

import pytest

from iosonde.machine.numa import cpu_numbers, cpus_near, numa_node
from tests.machine.test_facts import put

PCI = "sys/devices/pci0000:40/0000:40:01.0"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Two nodes of four CPUs, an NVMe drive and a SATA disk on the second, and a disk on the first."""
    put(
        tmp_path,
        {
            "sys/devices/system/node/node0/cpulist": "0-1,4-5\n",
            "sys/devices/system/node/node1/cpulist": "2-3,6-7\n",
            "sys/devices/system/node/possible": "0-1\n",
            f"{PCI}/numa_node": "1\n",
            f"{PCI}/nvme/nvme0/numa_node": "1\n",
            f"{PCI}/nvme/nvme0/nvme0n1/nvme0n1p1/partition": "1\n",
            f"{PCI}/ata1/host0/target0:0:0/0:0:0:0/block/sda/size": "1\n",
            "sys/devices/pci0000:00/numa_node": "0\n",
            "sys/devices/pci0000:00/virtio0/block/vda/size": "1\n",
            "sys/devices/pci0000:80/numa_node": "-1\n",
            "sys/devices/pci0000:80/virtio1/block/vdb/size": "1\n",
        },
    )
    return tmp_path


def folder(machine: Path, name: str) -> Path:
    return next(machine.glob(f"sys/devices/**/{name}"))


def array(machine: Path, name: str, *parts: str) -> Path:
    """An md or dm device of these parts."""
    made = machine / f"sys/devices/virtual/block/{name}"
    (made / "slaves").mkdir(parents=True)
    for part in parts:
        (made / "slaves" / part).symlink_to(folder(machine, part))
    return made


@pytest.mark.parametrize(("name", "node"), [("nvme0n1", 1), ("sda", 1), ("vda", 0), ("vdb", None)])
def test_a_device_is_on_the_node_of_its_controller(machine: Path, name: str, node: int | None) -> None:
    assert numa_node(folder(machine, name)) == node


def test_an_array_is_on_the_node_that_its_parts_agree_on(machine: Path) -> None:
    assert numa_node(array(machine, "md0", "nvme0n1p1", "sda")) == 1
    assert numa_node(array(machine, "dm-0", "vda", "sda")) is None


def test_a_namespace_with_several_paths_is_on_the_node_of_its_controllers(machine: Path) -> None:
    subsystem = machine / "sys/devices/virtual/nvme-subsystem/nvme-subsys0"
    (subsystem / "nvme1n1").mkdir(parents=True)
    (subsystem / "nvme0").symlink_to(folder(machine, "nvme0"))
    assert numa_node(subsystem / "nvme1n1") == 1


def test_the_cpus_near_a_node_are_those_of_the_node(machine: Path) -> None:
    assert cpus_near(1, machine) == (2, 3, 6, 7)


def test_where_the_node_is_unknown_or_the_only_one_all_cpus_are_alike(machine: Path, tmp_path: Path) -> None:
    assert cpus_near(None, machine) == ()
    single = tmp_path / "single"
    put(single, {"sys/devices/system/node/node0/cpulist": "0-7\n"})
    assert cpus_near(0, single) == ()


def test_the_lists_of_the_kernel_are_read() -> None:
    assert cpu_numbers("0-2,5,7-8") == (0, 1, 2, 5, 7, 8)
    assert cpu_numbers("") == ()
