"""The check: a run on an NVMe drive has its health before and after each trial, and ends at the limits of the user."""

from pathlib import Path
from typing import Any, Final

from lab.guest import MIB, ONE_CPU, PRELOAD, PRELOADED, Guest, drive
from lab.interpreter import IOSONDE
from lab.kernel import Kernel

SERIAL: Final = "LAB-HEALTH"
# QEMU 7.2 reports 323 K at all times.
CELSIUS: Final = 50
CAMPAIGN: Final = """
name = "writes"
repeats = 3
[[experiment]]
name = "writes"
pattern = "sequential"
read = 0
block_size = "64KiB"
queue_depth = 4
warmup = "0s"
duration = "2s"
"""


def health(kernel: Kernel, folder: Path) -> list[str]:
    """The health of an NVMe drive is recorded, its warnings are findings, and no limit of the user is exceeded."""
    image = drive(folder / "drive.img", 64 * MIB)
    hardware: tuple[str, ...] = (*ONE_CPU, "-drive", f"file={image},if=none,id=d,format=raw")
    hardware += ("-device", f"nvme,serial={SERIAL},drive=d")
    (folder / "shared").mkdir(parents=True, exist_ok=True)
    campaign = folder / "writes.toml"
    campaign.write_text(CAMPAIGN)
    run = f"{PRELOADED} run /dev/nvme0n1 --no-report --profile {campaign} --destroy {SERIAL}"
    guest = Guest(kernel, folder, hardware)
    guest.run(f"""
        {PRELOAD}
        limited() {{
            name=$1; shift
            code=0; {run} --out $name "$@" 2> /lab/$name.said || code=$?
            echo $code > /lab/$name.code
            {PRELOADED} report $name --json /lab/$name.json || true
        }}
        {PRELOADED} doctor /dev/nvme0n1 > /lab/doctor
        limited free
        limited hot --max-temperature {CELSIUS - 1}
        limited cool --max-temperature {CELSIUS}
        limited writes --max-writes 70MiB
        {PRELOADED} resume writes --no-report --destroy {SERIAL} --max-writes 100GB 2> /lab/resumed.said
        {PRELOADED} report writes --json /lab/resumed.json
        limited spare --min-spare 100
        mkfs.ext4 -q /dev/nvme0n1; mount /dev/nvme0n1 /mnt
        # Python itself may be in the home of root.
        chmod a+x /root
        {PRELOADED} probe /mnt --size 16MiB --duration 1s --json > /lab/file.json
        mkdir -m 777 /mnt/all
        HOME=/mnt/all setpriv --reuid nobody --clear-groups \
            {IOSONDE} probe /mnt/all --size 16MiB --duration 500ms --json > /lab/nobody.json
    """)
    return [
        *_recorded(guest.left("free.json")),
        *_limits(guest),
        *_below_a_file(guest.left("file.json"), guest.left("nobody.json")),
        f"doctor: {_line(guest.text('doctor'), 'temperature')}",
    ]


def _recorded(document: dict[str, Any]) -> list[str]:
    run = document["run"]
    (before,), (after,) = run["header"]["drives"], run["end"]["drives"]
    assert before["disk"] == after["disk"] == "nvme0n1", before
    assert before["health"]["source"] == "smart_log", before
    assert before["health"]["temperature_celsius"] == CELSIUS, before
    told = []
    for cell in (*run["preparation"], *run["cells"]):
        (state,) = cell["drives"]
        was, now = (state[when]["host_written_bytes"] for when in ("before", "health"))
        written = sum(cell[part].get("write", {}).get("bytes", 0) for part in ("operations", "warmup"))
        # The drive counts in units of 512,000 bytes, and operations in flight at the end are not in the totals.
        assert abs(now - was - written) <= 4 * MIB, (now - was, written)
        told.append(f"{now - was:,}")
    return [f"bytes written by trial, by the drive's own counter: {', '.join(told)}; as many as iosonde counts"]


def _limits(guest: Guest) -> list[str]:
    told = []
    for name, code, said in (
        ("cool", 0, ""),
        ("hot", 3, f"nvme0n1 is at {CELSIUS} °C, and the limit is {CELSIUS - 1} °C"),
        ("writes", 3, "the limit of 73400320 bytes written is reached"),
        ("spare", 3, "nvme0n1 has 0 % of its spare blocks left, and the limit is 100 %"),
    ):
        text, found = guest.text(f"{name}.said"), int(guest.text(f"{name}.code"))
        assert found == code, (name, found, text)
        assert said in text, (name, text)
        told.append(f"{name}: exit {code}{f'; {said}' if said else ''}")
    run = guest.left("writes.json")["run"]
    (first,) = run["header"]["drives"]
    states = [cell["drives"][0]["health"] for cell in (*run["preparation"], *run["cells"]) if cell["drives"]]
    written = max(each["host_written_bytes"] for each in states) - first["health"]["host_written_bytes"]
    assert written <= 74 * MIB, written
    outcomes = [cell["outcome"] for cell in guest.left("resumed.json")["run"]["cells"]]
    assert outcomes == ["finished"] * 3, outcomes
    return [*told, f"the drive counts {written:,} bytes until the limit of 70 MiB", "the run is resumed with another"]


def _below_a_file(document: dict[str, Any], of_nobody: dict[str, Any]) -> list[str]:
    (found,) = document["run"]["header"]["drives"]
    assert (found["disk"], found["health"]["source"]) == ("nvme0n1", "smart_log"), found
    (limited,) = of_nobody["run"]["header"]["drives"]
    health = limited["health"]
    assert (health["source"], health["temperature_celsius"]) == ("hwmon", CELSIUS), health
    assert "Permission denied" in health["missing"], health
    return [
        "a file on the drive has the health of the same drive",
        "without root, the kernel's sensor reports the temperature, and the rest is unknown: Permission denied",
    ]


def _line(text: str, subject: str) -> str:
    found = [" ".join(line.split()) for line in text.splitlines() if subject in line]
    assert found, text
    return found[0]
