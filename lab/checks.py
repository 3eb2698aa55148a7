"""What must hold on each machine: one function a machine, which raises AssertionError where it does not."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lab.guest import Guest, drive
from lab.kernel import Kernel

MIB: Final = 1 << 20
# The command of this checkout, which the guest sees at the same place.
IOSONDE: Final = Path(sys.executable).with_name("iosonde")
POLLING: Final = frozenset({"busy-by-design", "polling-refused"})
PROBE: Final = "--size 64MiB --duration 2s --warmup 500ms --queue-depth 4 --engine io_uring --json"


def numa(kernel: Kernel, folder: Path) -> list[str]:
    """Two nodes with a CPU each, and a drive on each: workers run on the CPU of the drive's node, where they may."""
    guest = Guest(kernel, folder, _two_nodes(folder))
    guest.run(f"""
        for node in 0 1; do
            disk=$(grep -lx $node /sys/block/nvme*/device/numa_node | cut -d/ -f4)
            mkfs.ext4 -q /dev/$disk; mkdir -p /mnt/$node; mount /dev/$disk /mnt/$node
            {IOSONDE} probe /mnt/$node {PROBE} > /lab/node$node.json
        done
        taskset 2 {IOSONDE} probe /mnt/0 {PROBE} > /lab/far.json
    """)
    told = []
    for node in (0, 1):
        run = guest.left(f"node{node}.json")["run"]
        found = (run["header"]["target"]["device"]["numa_node"], run["header"]["target"]["cpus_near"], _pinned(run))
        assert found == (node, [node], [node]), found
        assert run["header"]["host"]["numa_nodes"] == 2
        told.append(f"the drive on node {node} is measured from CPU {node}")
    far = guest.left("far.json")
    assert _pinned(far["run"]) == [1]
    assert "far-from-device" in {finding["id"] for finding in far["findings"]}
    return [*told, "a run that may use CPU 1 only is told that the drive on node 0 is far"]


def polling(kernel: Kernel, folder: Path) -> list[str]:
    """A drive with queues to poll and the same without: what was achieved is recorded, and who polls is awake."""
    image = drive(folder / "drive.img", 256 * MIB)
    hardware = ("-smp", "2", *_nvme(image, "LAB-POLLED"))
    script = f"""
        mkfs.ext4 -q /dev/nvme0n1; mount /dev/nvme0n1 /mnt
        {IOSONDE} probe /mnt {PROBE} --poll iopoll > /lab/polled.json
    """
    achieved = []
    for queues in (1, 0):
        guest = Guest(kernel, folder, hardware, {"nvme": f"poll_queues={queues}"})
        guest.run(script)
        document = guest.left("polled.json")
        findings = {finding["id"] for finding in document["findings"]}
        achieved.append((document["run"]["cells"][0]["engine"]["poll_mode"], sorted(findings & POLLING)))
    assert achieved == [("iopoll", ["busy-by-design"]), ("interrupt", ["polling-refused"])], achieved
    return ["with poll queues io_uring polls, awake by design", "without any it does not, and says so"]


def media_error(kernel: Kernel, folder: Path) -> list[str]:
    """A drive with one sector that can't be read, amid a file that fills most of it: the cell says which and where."""
    image = drive(folder / "drive.img", 256 * MIB)
    rule = folder / "rule"
    sector = 180 * MIB // 512
    fails = f'event = "none"\niotype = "read"\nerrno = "5"\nsector = "{sector}"\nonce = "off"\n'
    rule.write_text(f"[inject-error]\n{fails}")
    guest = Guest(kernel, folder, ("-smp", "2", *_nvme(Path(f"blkdebug:{rule}:{image}"), "LAB-BAD")))
    guest.run(f"""
        mkfs.ext4 -q /dev/nvme0n1; mount /dev/nvme0n1 /mnt
        {IOSONDE} probe /mnt --size 192MiB --duration 5s --pattern sequential --block-size 64KiB --queue-depth 4 \\
            --engine io_uring --json > /lab/bad.json || test $? = 5
    """)
    document = guest.left("bad.json")
    faults = document["run"]["cells"][0]["faults"]
    assert [(each["operation"], each["kind"], each["errno_name"]) for each in faults] == [("read", "error", "ENODATA")]
    assert "io-errors" in {finding["id"] for finding in document["findings"]}
    return [f"one sector that can't be read: {faults[0]['count']} reads failed with ENODATA, and the cell says so"]


CHECKS: Final[dict[str, Callable[[Kernel, Path], list[str]]]] = {
    "numa": numa,
    "polling": polling,
    "media-error": media_error,
}


def _two_nodes(folder: Path) -> tuple[str, ...]:
    words = ["-smp", "2"]
    for node in (0, 1):
        image = drive(folder / f"node{node}.img", 256 * MIB)
        words += [
            *("-object", f"memory-backend-ram,id=memory{node},size=1G"),
            *("-numa", f"node,nodeid={node},cpus={node},memdev=memory{node}"),
            *("-device", f"pxb-pcie,id=bus{node},bus=pcie.0,bus_nr={32 * (node + 1)},numa_node={node}"),
            *("-device", f"pcie-root-port,id=port{node},bus=bus{node},chassis={node + 1}"),
            *_nvme(image, f"LAB-NODE-{node}", f"port{node}"),
        ]
    return tuple(words)


def _nvme(image: Path, serial: str, bus: str = "") -> tuple[str, ...]:
    where = f",bus={bus}" if bus else ""
    backing = f"file={image},if=none,id={serial},format=raw"
    return ("-drive", backing, "-device", f"nvme,serial={serial},drive={serial}{where}")


def _pinned(run: dict[str, Any]) -> list[int]:
    return [thread["cpu_pinned"] for thread in run["cells"][0]["cpu"]["threads"]]
