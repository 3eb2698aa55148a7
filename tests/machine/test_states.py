"""The state of a host and of its devices, read from sysfs and proc."""

from pathlib import Path

import pytest

from iosonde.machine.device_state import device_counters, device_state
from iosonde.machine.host_state import host_state

NUMBER = 259 << 8
CPUS = "cpu 100 0 100 800 0 0 0 0 0 0\n"
DISK = "       10        0     1000        5       20        0     4000        9        3       11       14\n"


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def with_device(root: Path, place: str, files: dict[str, str]) -> Path:
    """A root with a device at a place below sys/devices, and its link by number."""
    written(root, {f"sys/devices/{place}/{name}": text for name, text in files.items()})
    link = root / "sys/dev/block/259:0"
    link.parent.mkdir(parents=True)
    link.symlink_to(root / "sys/devices" / place)
    return root


def test_steal_time_is_its_share_of_the_time_since_before(tmp_path: Path) -> None:
    root = written(tmp_path, {"proc/stat": "cpu 150 0 100 810 0 0 0 40 0 0\n", "proc/loadavg": "1.25 1 1 2/99 7\n"})
    state = host_state((100, 0, 100, 800, 0, 0, 0, 0, 0, 0), "", root)
    assert state.steal_percent == pytest.approx(40.0)
    assert state.load_1m == 1.25


def test_what_the_kernel_does_not_report_is_unknown(tmp_path: Path) -> None:
    state = host_state((), "", tmp_path)
    assert (state.steal_percent, state.load_1m, state.smt, state.idle_states) == (None, None, "", ())


def test_idle_states_are_listed_in_their_order_with_their_latency(tmp_path: Path) -> None:
    cpuidle = "sys/devices/system/cpu/cpu0/cpuidle"
    files = {
        f"{cpuidle}/state{number}/{name}": text
        for number, each in {0: ("POLL", "0", "0"), 2: ("C1", "1", "0"), 10: ("C6", "133", "1")}.items()
        for name, text in zip(("name", "latency", "disable"), each, strict=True)
    }
    found = host_state((), "", written(tmp_path, files)).idle_states
    assert [(each.name, each.exit_latency_ns, each.disabled) for each in found] == [
        ("POLL", 0, False),
        ("C1", 1000, False),
        ("C6", 133_000, True),
    ]


def test_only_vulnerabilities_with_a_mitigation_are_counted(tmp_path: Path) -> None:
    folder = "sys/devices/system/cpu/vulnerabilities"
    root = written(tmp_path, {f"{folder}/spectre_v2": "Mitigation: IBRS", f"{folder}/meltdown": "Not affected"})
    assert host_state((), "", root).mitigations == ("spectre_v2",)


def test_the_link_of_an_nvme_drive_is_that_of_its_pci_function(tmp_path: Path) -> None:
    pci = "pci0000:00/0000:00:1d.0/0000:01:00.0"
    root = with_device(tmp_path, f"{pci}/nvme/nvme0/nvme0n1", {"dev": "259:0", "queue/scheduler": "[none] mq-deadline"})
    link = {"current_link_speed": "8.0 GT/s PCIe", "max_link_speed": "16.0 GT/s PCIe", "current_link_width": "2"}
    written(root, {f"sys/devices/{pci}/{name}": text for name, text in {**link, "max_link_width": "4"}.items()})
    state = device_state(NUMBER, (), 0, root)
    assert state is not None
    assert (state.link.kind, state.link.speed, state.link.speed_max) == ("pcie", "8.0 GT/s PCIe", "16.0 GT/s PCIe")
    assert (state.link.width, state.link.width_max, state.queue.scheduler) == (2, 4, "none")


def test_the_link_of_a_usb_drive_has_its_speed_and_its_driver(tmp_path: Path) -> None:
    usb = "pci0000:00/0000:00:14.0/usb2/2-1"
    place = f"{usb}/2-1:1.0/host0/target0:0:0/0:0:0:0/block/sda"
    root = with_device(tmp_path, place, {"dev": "8:0"})
    written(root, {f"sys/devices/{usb}/speed": "480", "sys/bus/usb-storage/new_id": ""})
    (root / f"sys/devices/{usb}/2-1:1.0/driver").symlink_to(root / "sys/bus/usb-storage")
    state = device_state(NUMBER, (), 0, root)
    assert state is not None
    assert (state.link.kind, state.link.speed, state.link.driver) == ("usb", "480 Mb/s", "usb-storage")


def test_the_stack_names_what_a_mapped_device_is_built_on(tmp_path: Path) -> None:
    root = with_device(tmp_path, "virtual/block/dm-0", {"dev": "259:0", "dm/uuid": "CRYPT-LUKS2-0a1b"})
    written(root, {"sys/devices/pci0000:00/nvme0n1/dev": "259:1"})
    (root / "sys/devices/virtual/block/dm-0/slaves").mkdir()
    (root / "sys/devices/virtual/block/dm-0/slaves/nvme0n1").symlink_to(root / "sys/devices/pci0000:00/nvme0n1")
    state = device_state(NUMBER, (), 0, root)
    assert state is not None
    assert state.stack == ("dm-0 (crypt)", "nvme0n1")
    assert state.link.kind == "virtual"


def test_a_partition_has_its_start_and_the_queue_of_its_disk(tmp_path: Path) -> None:
    disk = "pci0000:00/sda"
    root = with_device(tmp_path, f"{disk}/sda1", {"dev": "259:0", "partition": "1", "start": "63"})
    written(root, {f"sys/devices/{disk}/queue/nr_requests": "32", f"sys/devices/{disk}/stat": DISK})
    state = device_state(NUMBER, (), 0, root)
    assert state is not None
    assert (state.start_bytes, state.queue.nr_requests) == (63 * 512, 32)


def test_other_io_is_what_changed_since_before(tmp_path: Path) -> None:
    root = with_device(tmp_path, "virtual/block/loop0", {"dev": "259:0", "stat": DISK})
    now = device_counters(NUMBER, root)
    before = (*(each - 2 for each in now[:2]), now[2] - 200, now[3], now[4] - 6, now[5], now[6] - 800, *now[7:])
    state = device_state(NUMBER, before, 2 * 10**9, root)
    assert state is not None
    assert state.traffic is not None
    assert (state.traffic.reads_per_s, state.traffic.writes_per_s) == (1, 3)
    assert (state.traffic.bytes_per_s, state.traffic.in_flight) == (500 * 512, 3)


def test_a_device_that_sysfs_does_not_have_has_no_state(tmp_path: Path) -> None:
    assert device_state(NUMBER, (), 0, tmp_path) is None
    assert device_counters(NUMBER, tmp_path) == ()
