"""What must hold on each machine: one function a machine, which raises AssertionError where it does not."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lab.faults.check import faults
from lab.faults.removal import removal
from lab.guard.check import guard
from lab.guest import ONE_CPU, PRELOAD, PRELOADED, Guest, digest, drive, filled
from lab.health.check import health
from lab.interpreter import IOSONDE
from lab.kernel import Kernel
from lab.known_time.check import known_time
from lab.power_cuts.check import power_cuts
from lab.procedure.check import procedure
from lab.purge.check import purge
from lab.raid.check import raid
from lab.walk.check import walk
from lab.write_cache.check import write_cache

MIB: Final = 1 << 20
POLLING: Final = frozenset({"busy-by-design", "polling-refused"})
ENGINE: Final = Path(__file__).parents[1] / "engine"
COMMANDS: Final = "--engine passthrough --duration 2s --warmup 500ms --queue-depth 4 --json"
# In the part that is read, and in no partition's table.
BAD_SECTOR: Final = 24 * MIB // 512
AMOUNT_TEXT: Final = "32MiB"
AMOUNT: Final = """
name = "amount"
repeats = 1
[[experiment]]
name = "amount"
pattern = "sequential"
read = 100
block_size = "16KiB"
queue_depth = 4
amount = "32MiB"
"""
SHORT: Final = """
name = "short"
repeats = 2
[[experiment]]
name = "depth"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = [1, 4]
warmup = "200ms"
duration = "2s"
"""
PROBE: Final = "--size 64MiB --duration 2s --warmup 500ms --queue-depth 4 --engine io_uring --json"


def numa(kernel: Kernel, folder: Path) -> list[str]:
    """Two nodes with a CPU each, and a drive on each: workers run on the CPU of the drive's node, where they may."""
    guest = Guest(kernel, folder, _two_nodes(folder))
    guest.run(f"""
        {PRELOAD}
        for node in 0 1; do
            disk=$(grep -lx $node /sys/block/nvme*/device/numa_node | cut -d/ -f4)
            mkfs.ext4 -q /dev/$disk; mkdir -p /mnt/$node; mount /dev/$disk /mnt/$node
            {PRELOADED} probe /mnt/$node {PROBE} > /lab/node$node.json
        done
        taskset 2 {PRELOADED} probe /mnt/0 {PROBE} > /lab/far.json
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
    return [*told, "a run limited to CPU 1 reports that the drive on node 0 is remote"]


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
    return ["with poll queues io_uring polls, busy by design", "without poll queues it does not poll, and reports this"]


def media_error(kernel: Kernel, folder: Path) -> list[str]:
    """A drive with one sector that can't be read, amid a file that fills most of it: the cell says which and where."""
    image = drive(folder / "drive.img", 256 * MIB)
    rule = folder / "rule"
    sector = 180 * MIB // 512
    fails = f'event = "none"\niotype = "read"\nerrno = "5"\nsector = "{sector}"\nonce = "off"\n'
    rule.write_text(f"[inject-error]\n{fails}")
    guest = Guest(kernel, folder, (*ONE_CPU, *_nvme(Path(f"blkdebug:{rule}:{image}"), "LAB-BAD")))
    guest.run(f"""
        mkfs.ext4 -q /dev/nvme0n1; mount /dev/nvme0n1 /mnt
        {IOSONDE} probe /mnt --size 192MiB --duration 5s --pattern sequential --block-size 64KiB --queue-depth 4 \\
            --engine io_uring --json > /lab/bad.json || test $? = 5
    """)
    document = guest.left("bad.json")
    faults = document["run"]["cells"][0]["faults"]
    assert [(each["operation"], each["kind"], each["errno_name"]) for each in faults] == [("read", "error", "ENODATA")]
    assert "io-errors" in {finding["id"] for finding in document["findings"]}
    return [f"one unreadable sector: {faults[0]['count']} reads failed with ENODATA, and the cell reports this"]


def device(kernel: Kernel, folder: Path) -> list[str]:
    """A drive with a partition and a mapped part: each is read as it is, and nothing is written, or could be."""
    image = filled(folder / "drive.img", 256 * MIB)
    before = digest(image)
    guest = Guest(kernel, folder, (*ONE_CPU, *_nvme(image, "LAB-RAW")))
    guest.run(f"""
        {PRELOAD}
        {PRELOADED} probe /dev/nvme0n1 {PROBE} > /lab/whole.json
        {PRELOADED} probe /dev/nvme0n1p1 {PROBE} > /lab/part.json
        echo "0 262144 linear /dev/nvme0n1p1 0" | dmsetup create --readonly lab
        {PRELOADED} probe /dev/dm-0 {PROBE} > /lab/mapped.json
        {PRELOADED} probe /dev/nvme0n1 {PROBE} > /lab/used.json
        for words in "--read 0" "--read 99 --trim 1" "--overwrite"; do
            {PRELOADED} probe /dev/nvme0n1 $words || test $? = 3
        done
        dmsetup remove lab
        {PRELOADED} probe /dev/nvme0n1 --duration 60s --json > /lab/gone.json 2> /lab/gone & probe=$!
        sleep 6; echo 1 > /sys/block/nvme0n1/device/device/remove
        code=0; wait $probe || code=$?; echo '{{"code": '$code'}}' > /lab/code.json; cat /lab/gone
    """)
    assert digest(image) == before
    told = []
    for name, shown in (
        ("whole", "the whole drive"),
        ("part", "its partition"),
        ("mapped", "a mapping of this partition"),
    ):
        target = guest.left(f"{name}.json")["run"]["header"]["target"]
        assert (target["kind"], target["written"]) == ("device", "unknown"), target
        told.append(f"{shown} is read: {target['device_identifier'] or 'no stable name'}")
    used = next(each for each in guest.left("used.json")["findings"] if each["id"] == "device-in-use")
    assert used["evidence"] == [["in use", "nvme0n1p1 is part of dm-0"]], used
    code = guest.left("code.json")["code"]
    assert code in {3, 5}, code
    return [
        *told,
        "the mapping above the partition is reported",
        f"removing it during the measurement ends the probe with exit code {code}",
        "not one byte of it has changed",
    ]


def passthrough(kernel: Kernel, folder: Path) -> list[str]:
    """Commands to a drive with one bad sector: what is read, counted and refused is what the block device gives."""
    image = filled(folder / "drive.img", 256 * MIB)
    before = digest(image)
    rule = folder / "rule"
    fails = f'event = "none"\niotype = "read"\nerrno = "5"\nsector = "{BAD_SECTOR}"\nonce = "off"\n'
    rule.write_text(f"[inject-error]\n{fails}")
    (folder / "shared").mkdir(exist_ok=True)
    amount = folder / "amount.toml"
    amount.write_text(AMOUNT)
    told = []
    for queues in (1, 0):
        hardware = ("-smp", "2", *_nvme(Path(f"blkdebug:{rule}:{image}"), "LAB-COMMANDS"))
        guest = Guest(kernel, folder, hardware, {"nvme": f"poll_queues={queues}"})
        guest.run(f"""
            {PRELOAD}
            IOSONDE_NVME=/dev/nvme0n1:/dev/ng0n1 {_rust_test("passthrough")} --nocapture
            # The block layer makes one request of neighbours that are handed over together, and they fail together.
            echo 2 > /sys/block/nvme0n1/queue/nomerges
            for engine in io_uring passthrough; do
                code=0
                {PRELOADED} run /dev/nvme0n1 --no-report --profile {amount} --size {AMOUNT_TEXT} --engine $engine \\
                    --out /tmp/$engine || code=$?
                test $code = 0 -o $code = 5
                {PRELOADED} report /tmp/$engine --json /lab/$engine.json
            done
            # Random reads may meet the bad sector.
            {PRELOADED} probe /dev/ng0n1 {COMMANDS} --size 64MiB > /lab/named.json || test $? = 5
            {PRELOADED} probe /dev/ng0n1 {COMMANDS} --size 64MiB --poll iopoll > /lab/polled.json || test $? = 5
            {PRELOADED} probe /dev/nvme0n1 {COMMANDS} --block-size 1MiB || test $? = 2
            {PRELOADED} probe /dev/nvme0n1p1 {COMMANDS} || test $? = 2
            {PRELOADED} probe /dev/nvme0n1 {COMMANDS} --read 50 || test $? = 3
            {PRELOADED} probe /dev/ng0n1 || test $? = 2
        """)
        counts = {engine: _counted(guest.left(f"{engine}.json")) for engine in ("io_uring", "passthrough")}
        assert counts["io_uring"] == counts["passthrough"], counts
        named, polled = (guest.left(f"{name}.json")["run"]["cells"][0]["engine"] for name in ("named", "polled"))
        assert (named["engine"], named["fixed_buffers"], named["fallbacks"]) == ("passthrough", True, []), named
        assert polled["poll_mode"] == ("iopoll" if queues else "interrupt"), polled
        told.append(f"with {queues} poll queues: with --poll iopoll, completions are found by {polled['poll_mode']}")
    assert digest(image) == before
    reads, faults = counts["passthrough"]
    assert faults, "the bad sector was not met"
    return [
        "commands read the same bytes as the block device, block by block",
        f"both engines count {reads:,} reads of {AMOUNT_TEXT}, and the same errors: {', '.join(faults)}",
        *told,
        "blocks beyond the largest transfer, partitions and writes are refused; not one byte has changed",
    ]


def clock(kernel: Kernel, folder: Path) -> list[str]:
    """The wall clock is set forward by a day and back by two, during a run and between a kill and its resumption."""
    image = drive(folder / "drive.img", 256 * MIB)
    guest = Guest(kernel, folder, ("-smp", "2", *_nvme(image, "LAB-CLOCK")))
    (folder / "shared").mkdir(parents=True, exist_ok=True)
    campaign = folder / "short.toml"
    campaign.write_text(SHORT)
    guest.run(f"""
        {PRELOAD}
        mkfs.ext4 -q /dev/nvme0n1; mount /dev/nvme0n1 /mnt
        cd /tmp
        now=$(date +%s)
        {PRELOADED} run /mnt --no-report --profile {campaign} --size 32MiB --out jumped 2> /lab/jumped & run=$!
        while ! test -s jumped/journal; do sleep 0.5; done
        sleep 2; date -s @$((now + 86400)) > /dev/null; sleep 4; date -s @$((now - 86400)) > /dev/null
        code=0; wait $run || code=$?; test $code = 0
        {PRELOADED} report jumped --json /lab/jumped.json
        {PRELOADED} run /mnt --no-report --profile {campaign} --size 32MiB --out killed 2> /dev/null & run=$!
        while ! test -s killed/journal; do sleep 0.5; done
        sleep 6; kill -KILL $run; sleep 2
        date -s @$((now - 10 * 86400)) > /dev/null
        {PRELOADED} resume killed --no-report 2> /lab/resumed
        {PRELOADED} report killed --json /lab/killed.json
        {PRELOADED} list > /lab/listed
        ls -A /mnt > /lab/names
    """)
    assert guest.text("names").split() == ["lost+found"], guest.text("names")
    told = []
    for name in ("jumped", "killed"):
        document = guest.left(f"{name}.json")
        cells = document["run"]["cells"]
        assert [cell["outcome"] for cell in cells] == ["finished"] * 4, cells
        off = [abs(cell["measured_ns"] / 2e9 - 1) for cell in cells]
        assert max(off) < 0.05, off
        findings = {finding["id"] for finding in document["findings"]}
        told.append(f"{name}: all cells measured 2 s within {max(off):.1%}; findings: {', '.join(sorted(findings))}")
    assert "wall-clock-set" in {each["id"] for each in guest.left("jumped.json")["findings"]}
    assert "Traceback" not in guest.text("jumped") + guest.text("resumed")
    return [*told, "no files are left on the drive"]


def quota(kernel: Kernel, folder: Path) -> list[str]:
    """XFS with a project quota on a directory: what does not fit is told, and nothing is left."""
    image = drive(folder / "drive.img", 512 * MIB)
    guest = Guest(kernel, folder, (*ONE_CPU, *_nvme(image, "LAB-QUOTA")))
    campaign = folder / "short.toml"
    campaign.write_text(SHORT)
    guest.run(f"""
        {PRELOAD}
        mkfs.xfs -q /dev/nvme0n1; mount -o prjquota /dev/nvme0n1 /mnt
        mkdir /mnt/project
        xfs_quota -x -c "project -s -p /mnt/project 42" /mnt > /dev/null
        limited() {{
            xfs_quota -x -c "limit -p bhard=$1 42" /mnt
            code=0
            {PRELOADED} run /mnt/project --profile {campaign} --size $2 --out /mnt/project/run 2> /lab/$3 || code=$?
            echo $code > /lab/$3.code
            ls -A /mnt/project > /lab/$3.names
            rm -rf /mnt/project/run
        }}
        limited 24m 32MiB target
        limited 16450k 16MiB journal
    """)
    told = []
    cases = (
        ("target", 3, "file of 32 MiB, quota of 24 MiB"),
        ("journal", 7, "file of 16 MiB and the run directory, quota of 66 KiB more"),
    )
    for name, expected, words in cases:
        said, code = guest.text(name), int(guest.text(f"{name}.code"))
        lines = [line for line in said.splitlines() if line.startswith(("error: ", "hint: "))]
        assert code == expected, said
        assert len(lines) == 2, said
        assert set(guest.text(f"{name}.names").split()) <= {"run"}, guest.text(f"{name}.names")
        told.append(f"{words}: exit {code}; {'; '.join(lines)}")
    return [*told, "only the run directory is left"]


CHECKS: Final[dict[str, Callable[[Kernel, Path], list[str]]]] = {
    "numa": numa,
    "polling": polling,
    "media-error": media_error,
    "device": device,
    "passthrough": passthrough,
    "clock": clock,
    "quota": quota,
    "known-time": known_time,
    "health": health,
    "faults": faults,
    "removal": removal,
    "purge": purge,
    "raid": raid,
    "guard": guard,
    "walk": walk,
    "procedure": procedure,
    "write-cache": write_cache,
    "power-cuts": power_cuts,
}
ALONE: Final = ("known-time",)
"""Those that compare latencies: no other guest runs next to theirs."""


def _counted(document: dict[str, Any]) -> tuple[int, list[str]]:
    """The reads of the one cell of a run, and what went wrong, with where that was first."""
    cell = document["run"]["cells"][0]
    faults = [
        f"{each['count']} x {each['errno_name']} from byte {each['offset_bytes_first']} on" for each in cell["faults"]
    ]
    return cell["operations"]["read"]["count"], faults


def _rust_test(name: str) -> Path:
    """A test program of the engine, built."""
    words = ["cargo", "test", "--locked", "--no-run", "--test", name, "--message-format=json"]
    built = subprocess.run(words, cwd=ENGINE, check=True, capture_output=True, text=True).stdout
    messages = [json.loads(line) for line in built.splitlines()]
    return next(
        Path(each["executable"])
        for each in messages
        if each.get("executable") and each["target"]["name"] == name and each["profile"]["test"]
    )


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
