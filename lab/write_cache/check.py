"""The check: one guest with drives of each kind, and whether each attempt showed what it must."""

import json
from pathlib import Path
from typing import Final

from lab.guest import Guest
from lab.interpreter import PYTHON
from lab.kernel import CHECKOUT, Kernel
from lab.write_cache.attempts import ATTEMPTS
from lab.write_cache.drives import MODULES, hardware

LASTS_S_MAX: Final = 2400
"""Some forty commands, each of which takes up to half a minute on a busy host."""


def write_cache(kernel: Kernel, folder: Path) -> list[str]:
    """The write cache is set, restored however a run ends, and refused where it is none of the device."""
    guest = Guest(kernel, folder, hardware(folder), MODULES, limit_s=LASTS_S_MAX)
    guest.run(f"cd {CHECKOUT}\n{PYTHON} -m lab.write_cache.inside")
    seen = {each["name"]: each["wrong"] for each in map(json.loads, guest.text("seen.jsonl").splitlines())}
    (folder / "write-cache.md").write_text(_page(seen, kernel.version))
    wrong = [f"{each.name}: {seen.get(each.name, 'not run')}" for each in ATTEMPTS if seen.get(each.name, "not run")]
    assert not wrong, "\n    ".join(wrong)
    refused = sum(each.shows == "refused" for each in ATTEMPTS)
    return [
        f"{len(ATTEMPTS) - refused} attempts take effect and are restored, {refused} are refused",
        "a drive that no run names does not change",
        "results: write-cache.md",
    ]


def _page(seen: dict[str, str], version: str) -> str:
    lines = [
        "# The write cache as a setting, on emulated drives",
        "",
        (
            f"`make lab CHECKS=write-cache`, Debian's kernel {version}, QEMU's NVMe, SCSI, SATA and virtio drives. The "
            "cache of a drive is read by another program than iosonde: Get Features 06h by the ioctl of the NVMe "
            "driver, sg_modes for SCSI and SATA, the attribute of the driver for virtio. What the kernel takes it for "
            "is `queue/write_cache`, and flushes are those that the kernel counts for the drive."
        ),
        "",
        (
            "*Takes effect*: drive and kernel have both settings, at no time is the cache on without flushes of the "
            "kernel, with the cache off no fdatasync reaches the drive, and start and end of the record have the "
            "setting before. *Restored*: drive and kernel are as before, and no state file is left."
        ),
        "",
        "| Attempt | Shows | Seen |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {each.name} | {each.shows} | {_seen(seen.get(each.name, 'not run'))} |" for each in ATTEMPTS]
    return "\n".join(lines) + "\n"


def _seen(wrong: str) -> str:
    return f"**no**: {' '.join(wrong.split())[:200]}" if wrong else "yes"
