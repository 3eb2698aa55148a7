"""The check: errors, delays, limits and lies of known kind and place."""

from pathlib import Path
from typing import Any, Final

from lab.guest import FIND_DRIVE, MIB, ONE_CPU, PRELOAD, PRELOADED, Guest, drive
from lab.kernel import Kernel

SECTOR_BYTES: Final = 512
SIZE_BYTES: Final = 64 * MIB
BAD_BYTES: Final = 40 * MIB
LIMIT_IOPS: Final = 500
DELAY_NS: Final = 20_000_000
DELAY_MS: Final = DELAY_NS // 1_000_000
# dm-delay counts in ticks of the kernel (CONFIG_HZ is 250 in Debian), and the first of them may be about to end.
TICK_NS: Final = 4_000_000
SHORTEST_MS: Final = (DELAY_NS - TICK_NS) // 1_000_000
LIES: Final = (4 * MIB, 9 * MIB, 50 * MIB)
BLOCK_BYTES: Final = 4096
MODULES: Final = {"dm_mod": "", "dm_delay": "", "dm_flakey": ""}
AMOUNT: Final = """
name = "amount"
repeats = 1
[[experiment]]
name = "amount"
pattern = "sequential"
read = 100
block_size = "4KiB"
queue_depth = 1
amount = "64MiB"
"""
SEALED: Final = """
name = "sealed"
repeats = 1
verify = true
[[experiment]]
name = "sealed"
pattern = "permutation"
read = 0
block_size = "4KiB"
queue_depth = 4
amount = "64MiB"
"""


def faults(kernel: Kernel, folder: Path) -> list[str]:
    """Each fault is reported as what it is, with its place and its number, and nothing that did not happen."""
    (folder / "shared").mkdir(parents=True, exist_ok=True)
    files = {"reads": AMOUNT, "sealed": SEALED}
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    guest = Guest(kernel, folder, _hardware(folder), MODULES)
    guest.run(_script(folder))
    return [
        *_media_errors(guest),
        *_limited(guest.left("limited.json")),
        *_delayed(guest.left("delayed.json")),
        *_flaky(guest),
        *_lies(guest),
    ]


def _hardware(folder: Path) -> tuple[str, ...]:
    words = [*ONE_CPU]
    for name in ("read", "write"):
        rule = folder / f"{name}.rule"
        sector = BAD_BYTES // SECTOR_BYTES
        fails = f'event = "none"\niotype = "{name}"\nerrno = "5"\nsector = "{sector}"\nonce = "off"\n'
        rule.write_text(f"[inject-error]\n{fails}")
        image = drive(folder / f"{name}.img", SIZE_BYTES)
        words += _nvme(name, f"file=blkdebug:{rule}:{image}")
    for name in ("mapped", "lies"):
        words += _nvme(name, f"file={drive(folder / f'{name}.img', SIZE_BYTES)}")
    image = drive(folder / "limited.img", SIZE_BYTES)
    words += _nvme("limited", f"file={image},throttling.iops-total={LIMIT_IOPS}")
    return tuple(words)


def _nvme(name: str, source: str) -> list[str]:
    return ["-drive", f"{source},if=none,id={name},format=raw", "-device", f"nvme,serial=LAB-{name},drive={name}"]


def _script(folder: Path) -> str:
    return f"""
        {PRELOAD}
        {FIND_DRIVE}
        reads() {{ awk '{{print $1}}' /sys/block/$1/stat; }}
        measure() {{
            name=$1; target=$2; profile=$3; shift 3
            code=0; {PRELOADED} run $target --no-report --profile {folder}/$profile.toml --out /tmp/$name "$@" \\
                2> /lab/$name.said || code=$?
            echo $code > /lab/$name.code
            {PRELOADED} report /tmp/$name --json /lab/$name.json > /dev/null 2>&1
        }}
        measure read /dev/$(disk read) reads
        code=0; {PRELOADED} probe /dev/$(disk write) --read 0 --pattern sequential --warmup 0s --duration 20s \
            --destroy LAB-write --json > /lab/write.json 2> /lab/write.said || code=$?; echo $code > /lab/write.code
        {PRELOADED} probe /dev/$(disk limited) --warmup 3s --duration 6s --queue-depth 8 --json > /lab/limited.json

        mapped=$(disk mapped); sectors=$(cat /sys/block/$mapped/size)
        echo "0 $sectors delay /dev/$mapped 0 {DELAY_MS}" | dmsetup create --readonly slow
        {PRELOADED} probe /dev/dm-0 --warmup 500ms --duration 4s --queue-depth 4 --json > /lab/delayed.json
        dmsetup remove --retry slow
        echo "0 $sectors flakey /dev/$mapped 0 1 1" | dmsetup create --readonly flaky
        reads $mapped > /lab/before
        {PRELOADED} probe /dev/dm-0 --rate 100 --warmup 0s --duration 8s --json > /lab/flaky.json || true
        reads $mapped > /lab/after
        dmsetup remove --retry flaky

        lies=/dev/$(disk lies)
        measure sealed $lies sealed --destroy LAB-lies
        code=0; {PRELOADED} verify /tmp/sealed > /lab/true.said 2>&1 || code=$?; echo $code > /lab/true.code
        for at in {" ".join(str(at // BLOCK_BYTES) for at in LIES)}; do
            dd if=/dev/urandom of=$lies bs={BLOCK_BYTES} count=1 seek=$at oflag=direct conv=notrunc 2> /dev/null
        done
        code=0; {PRELOADED} verify /tmp/sealed > /lab/lies.said 2>&1 || code=$?; echo $code > /lab/lies.code

    """


def _cell(document: dict[str, Any]) -> dict[str, Any]:
    (cell,) = document["run"]["cells"]
    return dict(cell)


def _media_errors(guest: Guest) -> list[str]:
    told = []
    for name in ("read", "write"):
        document = guest.left(f"{name}.json")
        cell = _cell(document)
        assert "io-errors" in {each["id"] for each in document["findings"]}
        (fault,) = cell["faults"]
        assert (fault["operation"], fault["kind"]) == (name, "error"), fault
        assert fault["offset_bytes_first"] == BAD_BYTES, fault
        told.append(f"media error on {name}: {fault['count']} x {fault['errno_name']}, first at byte {BAD_BYTES:,}")
    return told


def _limited(document: dict[str, Any]) -> list[str]:
    cell = _cell(document)
    iops = cell["operations"]["read"]["count"] * 1e9 / cell["measured_ns"]
    assert abs(iops / LIMIT_IOPS - 1) <= 0.03, iops
    return [f"drive limited to {LIMIT_IOPS} IOPS: {iops:.1f} IOPS"]


def _delayed(document: dict[str, Any]) -> list[str]:
    reads = _cell(document)["operations"]["read"]
    assert reads["latency_ns_min"] >= DELAY_NS - TICK_NS, reads["latency_ns_min"]
    mean_ns = reads["latency_ns_sum"] / reads["count"]
    assert "device-counts-differ" not in {each["id"] for each in document["findings"]}
    text = (
        f"dm-delay of {DELAY_MS} ms: {reads['count']} reads, mean {mean_ns / 1e6:.2f} ms, none below {SHORTEST_MS} ms"
    )
    return [f"{text}; the kernel counts as many"]


def _flaky(guest: Guest) -> list[str]:
    cell = _cell(guest.left("flaky.json"))
    good = sum(cell[part].get("read", {}).get("count", 0) for part in ("operations", "warmup"))
    bad = sum(fault["count"] for fault in cell["faults"])
    reached = int(guest.text("after")) - int(guest.text("before"))
    late = cell["censored"]["count"]
    assert bad > 0, cell["faults"]
    assert good <= reached <= good + late, (good, late, reached)
    return [f"dm-flakey: {bad:,} reads failed and {good:,} completed; the drive counts {reached:,} ({late} at the end)"]


def _lies(guest: Guest) -> list[str]:
    assert int(guest.text("true.code")) == 0, guest.text("true.said")
    assert int(guest.text("lies.code")) != 0, guest.text("lies.said")
    found = guest.text("lies.said").replace(",", "")
    missing = [at for at in LIES if str(at) not in found]
    assert not missing, (missing, found)
    return [f"{len(LIES)} blocks edited behind the drive's back: each is found, at its offset"]
