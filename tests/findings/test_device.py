"""Findings about the device, and about the kernel's counts compared with those of the engine."""

from collections.abc import Callable
from typing import Any

from iosonde.findings import Severity
from iosonde.records import WSL, CellRecord, DeviceCounts, Engine, RequestCounts, RunRecord, WriteCache
from tests.builders import workload
from tests.findings.runs import (
    BUFFERED,
    FULL_COUNT,
    MS,
    SECOND_NS,
    commits,
    device,
    granted,
    on_devices,
    only,
    run_of,
    sound,
    three,
)

WRITES = workload(read_percent=0)
MOUNTED = {"device": "nvme0n1p2", "use": "mounted", "by": "/srv"}


def counted(share: float = 1.0, latency_ns: int = MS, merged: int = 0) -> dict[str, Any]:
    """Arguments for ``repeat``: the kernel's counts, as a share of the reads of a repeat without findings."""
    none = RequestCounts(count=0, merged=0, bytes=0, request_ns=0)
    count = round(FULL_COUNT * share)
    read = RequestCounts(count=count - merged, merged=merged, bytes=4096 * count, request_ns=latency_ns * count)
    counts = DeviceCounts(
        device="sda",
        targets=(0,),
        by_request=True,
        elapsed_ns=5 * SECOND_NS,
        read=read,
        write=none,
        trim=none,
        flush=none,
    )
    return {"devices": (counts,)}


def alone(*records: CellRecord, **target: Any) -> RunRecord:
    """A run on a whole device without other users."""
    return run_of(*records, header={"target": {"kind": "device", **target}})


def deep_on(targets: int) -> list[CellRecord]:
    """Repeats on this number of targets, each at two thirds of the queue tags of its device."""
    asked = workload(queue_depth=680).model_copy(update={"targets": targets})
    return three(asked=asked, queue_depth_achieved=680.0 * targets)


FIRES: dict[str, Callable[[], RunRecord]] = {
    "device-in-use": lambda: sound(header={"target": {"uses": (MOUNTED,)}}),
    "virtual-disk": lambda: sound(header={"host": {"virtual_machine": "QEMU"}}),
    "windows-subsystem": lambda: sound(header={"host": {"virtual_machine": WSL}}),
    "volatile-write-cache": lambda: run_of(*three(asked=WRITES)),
    "depth-over-tags": lambda: sound(header=device(queue_tags=7)),
    "request-split": lambda: sound(header=device(request_size_bytes_max=2048)),
    "device-counts-differ": lambda: run_of(*three(**counted(0.9))),
    "device-times-differ": lambda: alone(*three(**counted(latency_ns=2 * MS))),
}


def test_a_windows_drive_in_wsl_is_named() -> None:
    mounted = {"virtual_machine": WSL}
    files = {"file_system": {"kind": "9p", "mount_point": "/mnt/c"}, "path": "/mnt/c/data"}
    found = only(sound(header={"host": mounted, "target": files}), "windows-subsystem")
    assert "/mnt/c/data is on a Windows file system" in found.statement
    plain = only(sound(header={"host": mounted}), "windows-subsystem")
    assert "stored in a virtual disk file" in plain.statement


NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("depth-over-tags", lambda: on_devices("sda", "sdb", records=deep_on(2))),
    ("device-in-use", lambda: sound(header={"target": {"kind": "device", "written": "unknown"}})),
    ("volatile-write-cache", lambda: run_of(*three(asked=WRITES), header=device(write_cache="write through"))),
    ("volatile-write-cache", lambda: run_of(*three(asked=workload(read_percent=0, write_cache=WriteCache.OFF)))),
    ("volatile-write-cache", lambda: run_of(*commits(Engine.IO_URING))),
    ("depth-over-tags", lambda: sound(header=device(queue_tags=8))),
    ("depth-over-tags", lambda: sound(header={"target": {"device": None}})),
    ("virtual-disk", lambda: sound(header={"host": {"virtual_machine": WSL}})),
    ("windows-subsystem", lambda: sound(header={"host": {"virtual_machine": "QEMU"}})),
    ("request-split", lambda: sound(header=device(request_size_bytes_max=4096))),
    ("request-split", lambda: sound(header={**device(request_size_bytes_max=2048), "engine": Engine.PASSTHROUGH})),
    ("device-counts-differ", lambda: run_of(*three(**counted(0.985)))),
    # Other processes may use the device that a file is on.
    ("device-counts-differ", lambda: run_of(*three(**counted(1.5)))),
    ("device-counts-differ", lambda: alone(*three(**counted(1.5)), uses=(MOUNTED,))),
    ("device-counts-differ", lambda: run_of(*three(**counted(0.1)), header=BUFFERED)),
    ("device-counts-differ", lambda: run_of(*commits(Engine.IO_URING))),
    ("device-counts-differ", lambda: run_of(*three(**counted(0.1), **granted(engine=Engine.PASSTHROUGH)))),
    # The engine's latency includes time in the host, so the kernel's is a little lower.
    ("device-times-differ", lambda: alone(*three(**counted(latency_ns=MS * 97 // 100)))),
    ("device-times-differ", lambda: run_of(*three(**counted(latency_ns=2 * MS)))),
    ("device-times-differ", lambda: alone(*three(**counted(latency_ns=2 * MS)), uses=(MOUNTED,))),
    ("device-times-differ", lambda: alone(*three(**counted(latency_ns=2 * MS, merged=FULL_COUNT // 2)))),
]


def test_data_that_did_not_reach_the_device_is_told_with_both_rates() -> None:
    found = only(run_of(*three(**counted(0.5))), "device-counts-differ")
    assert "read bandwidth 32.8 MB/s measured by the engine, 16.4 MB/s by the kernel (-50.0 %)" in found.statement
    assert "page cache" in found.advice


def test_data_that_nobody_asked_for_is_told_of_a_device_that_nobody_else_uses() -> None:
    found = only(alone(*three(**counted(1.5))), "device-counts-differ")
    assert "(+50.0 %)" in found.statement
    assert "Other I/O reached the device" in found.advice


def test_a_latency_below_that_of_the_device_is_none() -> None:
    found = only(alone(*three(**counted(latency_ns=2 * MS))), "device-times-differ")
    assert found.severity is Severity.INVALID
    assert "1,000 µs measured by the engine, 2,000 µs by the kernel" in found.statement


def test_a_latency_far_above_that_of_the_device_is_partly_the_host() -> None:
    found = only(alone(*three(**counted(latency_ns=MS // 2))), "device-times-differ")
    assert found.severity is Severity.DOUBTFUL
    assert "host" in found.advice
