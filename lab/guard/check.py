"""The check: one guest with emulated drives, and whether its guard let every one of them be as it was."""

import json
from pathlib import Path
from typing import Any, Final

from lab.guard.drives import DRIVES, MIB, SHARED, SIZE_BYTES
from lab.guard.rightful import RIGHTFUL
from lab.guest import ONE_CPU, Guest, drive
from lab.interpreter import PYTHON
from lab.kernel import Kernel

CHECKOUT: Final = Path(__file__).parents[2]
WAYS_MIN: Final = 80
MODULES: Final = {
    "loop": "max_part=8",
    "null_blk": "nr_devices=1 gb=1 zoned=1 zone_size=64",
    "scsi_debug": f"dev_size_mb={SIZE_BYTES // MIB} add_host=2 vpd_use_hostno=0",
    "sd_mod": "",
    "sg": "",
    "dm_crypt": "",
    "nvmet": "",
    "btrfs": "",
    "aesni_intel": "",
    "xts": "",
}


def guard(kernel: Kernel, folder: Path) -> list[str]:
    """The guard refuses drives that are in use or mistaken, no byte of them changes, and free drives can be written."""
    guest = Guest(kernel, folder, _hardware(folder), MODULES)
    guest.run(f"mount -t configfs none /sys/kernel/config\ncd {CHECKOUT}\n{PYTHON} -m lab.guard.inside")
    seen = [json.loads(line) for line in guest.text("seen.jsonl").splitlines()]
    rightful = [each for each in seen if each["name"] in RIGHTFUL]
    ways = [each for each in seen if each not in rightful]
    (folder / "guard.md").write_text(_page(ways, rightful, kernel.version))
    wrong = [each for each in ways if not (each.get("engine") and each.get("front") and each.get("unchanged"))]
    wrong += [each for each in rightful if not each.get("written")]
    assert not wrong, "\n    ".join(f"{each['name']}: {each.get('failed') or each}" for each in wrong)
    assert len(ways) >= WAYS_MIN, len(ways)
    return [
        f"{len(ways)} ways to be in use or mistaken: the engine alone refuses each, with all other consents given",
        "the front refuses each as well, and not one byte of any drive has changed (checksums before and after)",
        *(f"{each['name'].removeprefix('rightful: ')}: {each['written']:,} operations" for each in rightful),
        "results: guard.md",
    ]


def _short(each: dict[str, Any]) -> str:
    return str(each["name"]).removeprefix("rightful: ")


def _page(ways: list[dict[str, Any]], rightful: list[dict[str, Any]], version: str) -> str:
    yes = {True: "yes", False: "**no**", None: "**no**"}
    lines = [
        "# The guard, on emulated drives",
        "",
        (
            f"`make lab CHECKS=guard`, Debian's kernel {version}. Each was asked for by the engine's protocol, with "
            "all consents but that to the check, and of the front's guard. The checksums are from before and after."
        ),
        "",
        "| Way | Refused by the engine | Refused by the front | Unchanged |",
        "| --- | --- | --- | --- |",
    ]
    for each in ways:
        found = " | ".join(yes[each.get(key)] for key in ("engine", "front", "unchanged"))
        lines.append(f"| {each['name']} | {found} |")
    lines += ["", "| Rightful | Operations |", "| --- | --- |"]
    lines += [f"| {each['name'].removeprefix('rightful: ')} | {each.get('written', '**no**')} |" for each in rightful]
    return "\n".join(lines) + "\n"


def _hardware(folder: Path) -> tuple[str, ...]:
    words = [*ONE_CPU]
    for each in DRIVES:
        image = drive(folder / f"{each}.img", SIZE_BYTES)
        words += ["-drive", f"file={image},if=none,id={each},format=raw,discard=unmap"]
        words += ["-device", f"nvme,serial={each},drive={each}"]
    words += ["-device", f"nvme,id=shared,serial={SHARED}"]
    for number in (1, 2):
        image = drive(folder / f"ns{number}.img", SIZE_BYTES)
        words += ["-drive", f"file={image},if=none,id=ns{number},format=raw"]
        words += ["-device", f"nvme-ns,bus=shared,drive=ns{number},nsid={number}"]
    image = drive(folder / "pi.img", SIZE_BYTES)
    words += ["-device", "nvme,id=protected,serial=LAB-GUARD-PI"]
    words += ["-drive", f"file={image},if=none,id=pi,format=raw"]
    words += ["-device", "nvme-ns,bus=protected,drive=pi,nsid=1,ms=8,mset=0,pi=1"]
    return tuple(words)
