"""The guests of the check: one in which a run is recorded, others that boot after a power cut."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.guest import FIND_DRIVE, MIB, ONE_CPU, PRELOAD, PRELOADED, Guest, drive
from lab.interpreter import IOSONDE, PYTHON
from lab.kernel import CHECKOUT, Kernel

LIMIT_S: Final = 1800
TARGET_BYTES: Final = 64 * MIB
LOG_BYTES: Final = 1024 * MIB
CELLS: Final = 6
# The last trial is long enough for the journal to be flushed during it. The fixed rate leaves CPU time to other guests.
CAMPAIGN: Final = """
name = "cells"
repeats = 1
[[experiment]]
name = "short"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = [1, 2, 4, 8, 16]
rate = 200
warmup = "200ms"
duration = "1s"
[[experiment]]
name = "long"
pattern = "sequential"
read = 100
block_size = "4KiB"
queue_depth = 1
rate = 200
warmup = "200ms"
duration = "10s"
"""
MODULES: Final = {"dm_mod": "", "dm_log_writes": ""}
RUN: Final = "run"


@dataclass(frozen=True)
class FileSystem:
    """A file system for the run directory. Neither command discards, so that the log has writes only.

    ``options`` are for `iosonde run`. The run on one file system writes a report, so that some power cuts hit it.
    """

    name: str
    make: str
    size_bytes: int
    options: str = ""


EXT4: Final = FileSystem("ext4", "mkfs.ext4 -q -E nodiscard", 64 * MIB)
# The minimum size that mkfs.xfs accepts.
XFS: Final = FileSystem("xfs", "mkfs.xfs -q -K", 304 * MIB, "--no-report")
FINISHED: Final = "finished-"
"""Prefix of the marks in the write log, one for each trial that was reported as finished."""


def record(kernel: Kernel, folder: Path, systems: Sequence[FileSystem]) -> Guest:
    """Runs the campaign once on each file system.

    The write log is ``log.img`` in a folder with the name of the file system. The complete run is ``complete.tar`` in
    the same folder of the guest's shared folder.
    """
    campaign = _campaign(folder)
    images = {"target": drive(folder / "target.img", TARGET_BYTES)}
    for each in systems:
        images[f"{each.name}-runs"] = drive(folder / each.name / "runs.img", each.size_bytes)
        images[f"{each.name}-log"] = drive(folder / each.name / "log.img", LOG_BYTES)
    guest = _guest(kernel, folder, images)
    guest.run(f"""
        {FIND_DRIVE}
        {PRELOAD}
        mark() {{ dmsetup message logged 0 mark "$1"; }}
        record() {{
            name=$1; make=$2; options=$3
            runs=$(disk $name-runs); mkdir /lab/$name
            echo "0 $(cat /sys/block/$runs/size) log-writes /dev/$runs /dev/$(disk $name-log)" | dmsetup create logged
            $make /dev/dm-0; mount -t $name /dev/dm-0 /mnt; sync
            mark started
            ({PRELOADED} run /dev/$(disk target) $options --profile {campaign} --out /mnt/{RUN} 2>&1 > /dev/null
                echo "exit $?") |
                while read line; do
                    echo "$line"
                    case "$line" in
                        "["*) set -- ${{line#[}}; mark {FINISHED}$1;;
                    esac
                done > /lab/$name/said
            grep -qx "exit 0" /lab/$name/said
            mark ended
            sync; tar -cf /lab/$name/complete.tar -C /mnt {RUN}
            umount /mnt; dmsetup remove --retry logged
        }}
        {"; ".join(f"record {each.name} '{each.make}' '{each.options}'" for each in systems)}
    """)
    return guest


def revive(kernel: Kernel, folder: Path, system: FileSystem, cuts: int) -> Guest:
    """Mounts what is left in ``cuts.img`` after power cuts, and resumes each run. Leaves archives of both."""
    images = {"target": drive(folder / "target.img", TARGET_BYTES), "cuts": folder / "cuts.img"}
    guest = _guest(kernel, folder, images)
    guest.run(_inside("cuts", system, cuts))
    return guest


def kill(kernel: Kernel, folder: Path, is_due: Callable[[Guest], bool]) -> Guest:
    """Begins a run, and kills the machine once ``is_due``."""
    sizes = {"target": TARGET_BYTES, "runs": EXT4.size_bytes}
    campaign = _campaign(folder)
    guest = _guest(kernel, folder, {name: drive(folder / f"{name}.img", size) for name, size in sizes.items()})
    guest.run_until(
        f"""
        {FIND_DRIVE}
        {EXT4.make} /dev/$(disk runs); mount /dev/$(disk runs) /mnt; sync
        {IOSONDE} run /dev/$(disk target) --no-report --profile {campaign} --out /mnt/{RUN} 2> /lab/said > /dev/null
        """,
        lambda: is_due(guest),
    )
    return guest


def reboot(kernel: Kernel, folder: Path) -> Guest:
    """Boots again from the same images, and resumes the run. Leaves archives from before and after."""
    guest = _guest(kernel, folder, {name: folder / f"{name}.img" for name in ("target", "runs")})
    guest.run(_inside("runs", EXT4, 1))
    return guest


def _inside(disk: str, system: FileSystem, cuts: int) -> str:
    """The script that resumes the runs on a drive, one after another."""
    words = f"{system.name} {system.size_bytes} {cuts}"
    return f"{FIND_DRIVE}\ncd {CHECKOUT}\n{PYTHON} -m lab.power_cuts.inside /dev/$(disk {disk}) {words}"


def _guest(kernel: Kernel, folder: Path, images: dict[str, Path]) -> Guest:
    """A machine with drives over these images. Their serial numbers contain the names."""
    words = [*ONE_CPU]
    for name, image in images.items():
        words += ["-drive", f"file={image},if=none,id={name},format=raw"]
        words += ["-device", f"nvme,serial=LAB-{name},drive={name}"]
    return Guest(kernel, folder, tuple(words), MODULES, limit_s=LIMIT_S)


def _campaign(folder: Path) -> Path:
    campaign = folder / "cells.toml"
    folder.mkdir(parents=True, exist_ok=True)
    campaign.write_text(CAMPAIGN)
    return campaign
