"""Each fact of a host, a device and a path is judged: what is as it should be, what is not, and how to change it."""

import shlex
from dataclasses import dataclass
from typing import Any, cast

import pytest

from iosonde.findings.fitness import FitnessLine, State, device_lines, host_lines, path_lines, write_lines
from iosonde.records import (
    DeviceFacts,
    DeviceIdentity,
    DeviceInspection,
    DeviceState,
    DeviceUse,
    FileSystemFacts,
    HostState,
    IdleState,
    LinkFacts,
    QueueSettings,
    Refusal,
    Traffic,
)
from tests.builders import host_facts, target_facts

HOST = host_facts().model_copy(update={"cpus_online": 8, "cpus_allowed": 8, "clock_source": "tsc"})
CALM = HostState(
    load_1m=0.1, steal_percent=0.0, idle_states=(IdleState(name="C1", exit_latency_ns=2000, disabled=False),)
)
DRIVE = cast("DeviceFacts", target_facts().device).model_copy(update={"write_cache": "write through"})
QUIET = DeviceState(
    name="nvme0n1",
    queue=QueueSettings(scheduler="none", nr_requests=1023, max_sectors_kb=1280, max_hw_sectors_kb=2048),
    link=LinkFacts(kind="pcie", speed="16.0 GT/s PCIe", speed_max="16.0 GT/s PCIe", width=4, width_max=4),
    stack=("nvme0n1",),
    traffic=Traffic(reads_per_s=0, writes_per_s=0, bytes_per_s=0, in_flight=0),
)


@dataclass(frozen=True)
class Case:
    """Facts that differ in one thing, and the line about it."""

    subject: str
    state: State
    reason: str
    command: str = ""


def told(lines: list[FitnessLine], subject: str) -> FitnessLine:
    return next(line for line in lines if line.subject == subject)


def check(lines: list[FitnessLine], case: Case) -> None:
    line = told(lines, case.subject)
    assert line.state is case.state
    assert case.reason in line.reason
    assert case.command in line.command


def test_a_host_as_it_should_be_has_no_warning() -> None:
    assert [line for line in host_lines(HOST, CALM) if line.state is not State.OK] == []


@pytest.mark.parametrize(
    ("facts", "state", "case"),
    [
        (
            {"governor": "powersave"},
            {},
            Case("frequency governor", State.WARNING, "slows down", "cpupower frequency-set"),
        ),
        ({"governor": ""}, {}, Case("frequency governor", State.UNKNOWN, "does not report")),
        ({"clock_source": "hpet"}, {}, Case("clock source", State.WARNING, "system call")),
        ({"cpus_allowed": 2}, {}, Case("CPUs allowed", State.NOTE, "may not use all")),
        ({"virtual_machine": "KVM"}, {}, Case("virtual machine", State.NOTE, "virtual disk")),
        ({"cpu_quota": 1.5}, {}, Case("CPU quota", State.WARNING, "throttles")),
        ({"container": "docker"}, {}, Case("container", State.NOTE, "overlay")),
        ({"turbo": "on"}, {}, Case("turbo", State.NOTE, "temperature")),
        ({}, {"load_1m": 4.1}, Case("load", State.WARNING, "other processes", "top")),
        ({}, {"steal_percent": 1.0}, Case("steal time", State.WARNING, "hypervisor")),
        ({}, {"smt": "on"}, Case("SMT", State.NOTE, "share a core", "smt/control")),
        ({}, {"mitigations": ("spectre_v2",)}, Case("mitigations", State.NOTE, "slower")),
        ({}, {"io_uring_refused": "EPERM"}, Case("io_uring", State.WARNING, "psync", "io_uring_disabled")),
        ({}, {"lockable_bytes": 8 << 20}, Case("lockable memory", State.NOTE, "registered buffers", "ulimit -l")),
        (
            {},
            {"idle_states": (IdleState(name="C6", exit_latency_ns=133_000, disabled=False),)},
            Case("idle states", State.NOTE, "latency at depth 1", "cpupower idle-set"),
        ),
        (
            {},
            {"idle_states": (IdleState(name="C6", exit_latency_ns=133_000, disabled=True),)},
            Case("idle states", State.OK, ""),
        ),
    ],
)
def test_what_is_not_as_it_should_be_has_a_reason(facts: dict[str, Any], state: dict[str, Any], case: Case) -> None:
    check(list(host_lines(HOST.model_copy(update=facts), CALM.model_copy(update=state))), case)


def test_a_drive_as_it_should_be_has_no_warning() -> None:
    assert [line for line in device_lines(DRIVE, QUIET, ()) if line.state is not State.OK] == []


@pytest.mark.parametrize(
    ("facts", "state", "case"),
    [
        ({"serial": ""}, {}, Case("serial", State.UNKNOWN, "")),
        ({"write_cache": "write back"}, {}, Case("write cache", State.NOTE, "before they are durable")),
        ({}, {"start_bytes": 63 * 512}, Case("partition start", State.WARNING, "not aligned to 1 MiB")),
        ({}, {"start_bytes": 1 << 20}, Case("partition start", State.OK, "")),
        ({}, {"stack": ("dm-0 (crypt)", "nvme0n1")}, Case("layer", State.NOTE, "encrypts")),
        ({}, {"stack": ("md0 (raid5)", "sda", "sdb", "sdc")}, Case("layer", State.NOTE, "parity")),
        ({}, {"stack": ("loop0 (loop device over /srv/image)",)}, Case("layer", State.NOTE, "file system of its file")),
        ({}, {"traffic": None}, Case("I/O now", State.UNKNOWN, "iostats")),
        (
            {},
            {"traffic": Traffic(reads_per_s=50, writes_per_s=0, bytes_per_s=204800, in_flight=0)},
            Case("I/O now", State.WARNING, "others use"),
        ),
        (
            {},
            {"queue": QueueSettings(scheduler="bfq", nr_requests=32, max_sectors_kb=512, max_hw_sectors_kb=2048)},
            Case("scheduler", State.NOTE, "reorder", "echo none > /sys/block/nvme0n1/queue/scheduler"),
        ),
        (
            {},
            {"queue": QueueSettings(scheduler="none", nr_requests=32, max_sectors_kb=512, max_hw_sectors_kb=2048)},
            Case("largest request", State.NOTE, "split", "echo 1024 > /sys/block/nvme0n1/queue/max_sectors_kb"),
        ),
        (
            {},
            {"queue": QueueSettings(scheduler="none", nr_requests=32)},
            Case("request tags", State.NOTE, "deeper queues than 32"),
        ),
        (
            {},
            {"link": LinkFacts(kind="pcie", speed="8.0 GT/s PCIe", speed_max="16.0 GT/s PCIe", width=4, width_max=4)},
            Case("PCIe", State.WARNING, "the drive can do 16.0 GT/s PCIe x4"),
        ),
        (
            {},
            {"link": LinkFacts(kind="pcie", speed="16.0 GT/s", speed_max="16.0 GT/s", width=1, width_max=4)},
            Case("PCIe", State.WARNING, "the drive can do 16.0 GT/s x4"),
        ),
        (
            {},
            {"link": LinkFacts(kind="usb", speed="480 Mb/s", driver="usb-storage")},
            Case("USB", State.WARNING, "slower than USB 3"),
        ),
        (
            {},
            {"link": LinkFacts(kind="usb", speed="5000 Mb/s", driver="usb-storage")},
            Case("USB driver", State.WARNING, "one command at a time"),
        ),
        (
            {},
            {"link": LinkFacts(kind="sata", speed="3.0 Gbps", speed_max="6.0 Gbps")},
            Case("SATA", State.WARNING, "the port can do 6.0 Gbps"),
        ),
    ],
)
def test_what_is_wrong_with_a_drive_has_a_reason(facts: dict[str, Any], state: dict[str, Any], case: Case) -> None:
    check(list(device_lines(DRIVE.model_copy(update=facts), QUIET.model_copy(update=state), ())), case)


def test_each_other_use_of_a_drive_is_named() -> None:
    uses = (DeviceUse(device="nvme0n1p1", use="mounted", by="/"), DeviceUse(device="nvme0n1p2", use="swap"))
    found = [line.value for line in device_lines(DRIVE, QUIET, uses) if line.subject == "in use"]
    assert found == ["nvme0n1p1 is mounted at /", "nvme0n1p2 is used for swap"]


@pytest.mark.parametrize(
    ("kind", "options", "case"),
    [
        ("ext4", "rw,relatime", Case("type", State.OK, "")),
        ("tmpfs", "rw", Case("type", State.WARNING, "no drive is measured")),
        ("nfs4", "rw", Case("type", State.NOTE, "network")),
        ("btrfs", "rw,compress=zstd:3", Case("type", State.NOTE, "checksums", "chattr +C")),
        ("btrfs", "rw,compress=zstd:3", Case("compression", State.NOTE, "too fast")),
        ("overlay", "rw", Case("type", State.NOTE, "below it")),
        ("fuse.sshfs", "rw", Case("type", State.NOTE, "below it")),
        ("xfs", "rw,discard", Case("online discard", State.NOTE, "discards")),
        ("ext4", "rw,sync", Case("synchronous", State.NOTE, "waits for the medium", "remount,async /mnt")),
    ],
)
def test_a_file_system_is_judged_by_its_type_and_options(kind: str, options: str, case: Case) -> None:
    system = FileSystemFacts(
        kind=kind, mount_point="/mnt", mount_options=options, size_bytes=1 << 40, available_bytes=1 << 39
    )
    check(list(path_lines(system)), case)


def test_a_free_device_passes_every_check_and_names_its_identity() -> None:
    identity = DeviceIdentity(name="it's one; rm", kind="backing-file", size_bytes=512)
    lines = list(write_lines(DeviceInspection(name="sda", identity=identity, refusals=()), {}, ()))
    assert shlex.split(lines[0].command) == ["--destroy", "it's one; rm"]
    assert {line.state for line in lines} == {State.OK}
    assert len(lines) == 13


def test_each_finding_of_the_guard_is_a_refusal_with_its_way_out() -> None:
    refusals = (
        Refusal(check="mounted", evidence="sda1 is mounted at /"),
        Refusal(check="open", evidence="qemu has it"),
    )
    inspection = DeviceInspection(name="sda", identity=None, refusals=refusals)
    refused = [
        line for line in write_lines(inspection, {"mounted": "umount"}, ("open",)) if line.state is State.REFUSED
    ]
    assert [(line.value, line.command) for line in refused] == [("sda1 is mounted at /", "umount"), ("qemu has it", "")]
    assert ["consent is possible" in line.reason for line in refused] == [False, True]
