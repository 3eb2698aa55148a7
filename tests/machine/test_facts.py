"""Facts from sysfs and procfs, on trees made for the purpose and on this very machine."""

import os
from pathlib import Path

import pytest

from iosonde.machine.device import device_facts
from iosonde.machine.host_facts import host_facts
from iosonde.machine.mounts import file_system_facts, mount_source
from iosonde.records import WSL


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def number_of(path: Path) -> str:
    device = path.stat().st_dev
    return f"{os.major(device)}:{os.minor(device)}"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A partition of an NVMe drive that tmp_path seems to lie on."""
    put(
        tmp_path,
        {
            "sys/devices/nvme0n1/queue/rotational": "0\n",
            "sys/devices/nvme0n1/queue/scheduler": "[none] mq-deadline\n",
            "sys/devices/nvme0n1/queue/nr_requests": "1023\n",
            "sys/devices/nvme0n1/queue/write_cache": "write back\n",
            "sys/devices/nvme0n1/queue/logical_block_size": "512\n",
            "sys/devices/nvme0n1/queue/physical_block_size": "4096\n",
            "sys/devices/nvme0n1/queue/max_sectors_kb": "128\n",
            "sys/devices/nvme0n1/size": "1000215216\n",
            "sys/devices/nvme0n1/device/model": "SAMSUNG MZVL2512HCJQ-00BL7              \n",
            "sys/devices/nvme0n1/device/serial": "S64K\n",
            "sys/devices/nvme0n1/device/firmware_rev": "GXA7\n",
            "sys/devices/nvme0n1/nvme0n1p2/partition": "2\n",
        },
    )
    link = tmp_path / "sys/dev/block" / number_of(tmp_path)
    link.parent.mkdir(parents=True)
    link.symlink_to("../../devices/nvme0n1/nvme0n1p2")
    return tmp_path


def test_a_file_on_a_partition_is_described_by_the_whole_drive(disk: Path) -> None:
    if os.major(disk.stat().st_dev) == 0:
        pytest.skip("the test's folder lies on no block device")
    facts = device_facts(disk, root=disk)
    assert facts is not None
    assert (facts.name, facts.model, facts.serial, facts.firmware) == (
        "nvme0n1",
        "SAMSUNG MZVL2512HCJQ-00BL7",
        "S64K",
        "GXA7",
    )
    assert (facts.scheduler, facts.queue_tags, facts.rotational) == ("none", 1023, False)
    assert facts.size_bytes == 1000215216 * 512
    assert facts.request_size_bytes_max == 128 * 1024


def test_where_there_is_no_device_there_are_no_facts(tmp_path: Path) -> None:
    assert device_facts(tmp_path, root=tmp_path) is None


def test_the_nearest_mount_above_the_path_is_the_one_that_counts(tmp_path: Path) -> None:
    inner = tmp_path / "with blank"
    inner.mkdir()
    number = number_of(tmp_path)
    escaped = str(inner).replace(" ", "\\040")
    put(
        tmp_path,
        {
            "proc/self/mountinfo": f"21 1 {number} / / rw,relatime - ext4 /dev/root rw\n"
            f"22 21 {number} / {escaped} ro,noatime shared:1 - xfs /dev/inner\\040one rw\n"
            "23 21 0:99 / /elsewhere rw - tmpfs tmpfs rw\n"
        },
    )
    facts = file_system_facts(inner, root=tmp_path)
    assert (facts.kind, facts.mount_point, facts.mount_options) == ("xfs", str(inner), "ro,noatime")
    assert mount_source(inner.stat().st_dev, inner, root=tmp_path) == "/dev/inner one"
    assert file_system_facts(tmp_path, root=tmp_path).kind == "ext4"


def test_a_virtual_machine_is_known_by_its_processor_flags(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "proc/cpuinfo": "model name\t: Some CPU\nflags\t\t: fpu hypervisor lm\n",
            "proc/meminfo": "MemTotal:       1024 kB\n",
            "sys/class/dmi/id/sys_vendor": "QEMU\n",
        },
    )
    facts = host_facts(root=tmp_path)
    assert (facts.virtual_machine, facts.cpu_model, facts.memory_bytes) == ("QEMU", "Some CPU", 1 << 20)


def test_the_clock_source_is_the_kernels_word_for_it(tmp_path: Path) -> None:
    put(tmp_path, {"sys/devices/system/clocksource/clocksource0/current_clocksource": "kvm-clock\n"})
    assert host_facts(root=tmp_path).clock_source == "kvm-clock"


def test_wsl_is_known_by_the_name_of_its_kernel(tmp_path: Path) -> None:
    put(tmp_path, {"proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2\n"})
    assert host_facts(root=tmp_path).virtual_machine == WSL


def test_the_distribution_the_command_line_and_the_frequency_control_are_facts(tmp_path: Path) -> None:
    cpu = "sys/devices/system/cpu"
    put(
        tmp_path,
        {
            "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
            "proc/cmdline": "root=/dev/sda1 mitigations=off\n",
            f"{cpu}/cpu0/topology/thread_siblings_list": "0,2\n",
            f"{cpu}/cpu1/topology/thread_siblings_list": "1,3\n",
            f"{cpu}/cpu2/topology/thread_siblings_list": "0,2\n",
            f"{cpu}/cpu3/topology/thread_siblings_list": "1,3\n",
            f"{cpu}/cpu0/cpufreq/scaling_driver": "intel_pstate\n",
            f"{cpu}/intel_pstate/no_turbo": "1\n",
        },
    )
    facts = host_facts(root=tmp_path)
    assert (facts.distribution, facts.kernel_command_line) == (
        "Debian GNU/Linux 12 (bookworm)",
        "root=/dev/sda1 mitigations=off",
    )
    assert (facts.cores, facts.frequency_driver, facts.turbo) == (2, "intel_pstate", "off")


@pytest.mark.parametrize(("boost", "turbo"), [("1", "on"), ("0", "off"), ("", "")])
def test_turbo_of_other_drivers_is_called_boost(tmp_path: Path, boost: str, turbo: str) -> None:
    put(tmp_path, {"sys/devices/system/cpu/cpufreq/boost": f"{boost}\n"})
    assert host_facts(root=tmp_path).turbo == turbo


def test_a_silent_host_gives_empty_facts_and_no_error(tmp_path: Path) -> None:
    facts = host_facts(root=tmp_path)
    assert (facts.virtual_machine, facts.cpu_model, facts.memory_bytes, facts.governor) == ("", "", 0, "")


def test_this_machine_has_facts(tmp_path: Path) -> None:
    facts = host_facts()
    assert facts.memory_bytes > 0
    assert 1 <= facts.cpus_allowed <= facts.cpus_online
    assert file_system_facts(tmp_path).size_bytes > 0
