"""Ways to be in use or mistaken that are no use of one drive."""

import os
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from iosonde.sources import find_engine
from lab.forked import command, forked
from lab.guard.asking import Engine, checksum, claim_of, open_with, refused
from lab.guard.drives import DRIVES, SHARED, by_serial, namespaces
from tests.stories.devices_in_use import EFI, TWO, divide, gpt_backup_only, held_by, mounted, partitioned, whole_open
from tests.stories.loop_devices import done

DRIVER: Final = Path("/sys/bus/pci/drivers/nvme")
LOGICAL: Final = "label: dos\n/dev/x1 : size=34MiB, type=E\n/dev/x5 : size=16MiB\n"
LIBRARY: Final = "libblkid.so.1"
NODE_S_MAX: Final = 30
CAMPAIGN: Final = """
name = "long"
repeats = 3
warmup = "0s"
duration = "20s"
[[experiment]]
name = "writes"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 1
"""


def _functions() -> list[str]:
    """The PCI functions of both drives, in the order of their names."""
    paths = sorted(by_serial(each) for each in DRIVES)
    return [(Path("/sys/class/block") / path.name / "device/device").resolve().name for path in paths]


def _wait_for(path: Path) -> None:
    until = time.monotonic() + NODE_S_MAX
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.1)


def swap_names() -> None:
    """Removes both drives, and adds them in the other order: each has the name of the other."""
    paths, functions = sorted(by_serial(each) for each in DRIVES), _functions()
    for each in functions:
        (DRIVER / "unbind").write_text(each)
    for each in reversed(functions):
        (DRIVER / "bind").write_text(each)
        time.sleep(1)
    for path in paths:
        _wait_for(path)


def _refusal(answer: dict[str, Any], word: str, *, unchanged: bool) -> dict[str, Any]:
    told = answer.get("message", "")
    return {
        "engine": answer.get("kind") == "device_write" and word in told,
        "front": True,
        "unchanged": unchanged,
        "told": told,
    }


def swapped(engine: Engine) -> dict[str, Any]:
    """Another drive has the name since the inspection."""
    path, other = by_serial(DRIVES[0]), by_serial(DRIVES[1])
    claim = claim_of(engine, path)
    before = checksum(other)
    swap_names()
    try:
        return _refusal(open_with(engine, path, claim), "(identity)", unchanged=checksum(path) == before)
    finally:
        swap_names()


def returned(engine: Engine) -> dict[str, Any]:
    """The drive was removed and returned since the inspection."""
    path = by_serial(DRIVES[0])
    claim, before = claim_of(engine, path), checksum(path)
    swap_names()
    swap_names()
    return _refusal(open_with(engine, path, claim), "was removed", unchanged=checksum(path) == before)


def mounted_since(engine: Engine) -> dict[str, Any]:
    """Mounted between the guard and the opening."""
    path = by_serial(DRIVES[0])
    claim = claim_of(engine, path)
    with tempfile.TemporaryDirectory() as folder, mounted(path, Path(folder)):
        before = checksum(path)
        return _refusal(open_with(engine, path, claim), "(mounted)", unchanged=checksum(path) == before)


def _in(folder: Path, *words: str | Path) -> None:
    """A command in a folder."""
    os.chdir(folder)
    command(*words)


def resumed_on_another(_engine: Engine) -> dict[str, Any]:
    """Another drive has the name at the resumption."""
    path, other = by_serial(DRIVES[0]), by_serial(DRIVES[1])
    named = ("--destroy", DRIVES[0])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "long.toml").write_text(CAMPAIGN, encoding="utf-8")
        with forked(lambda: _in(folder, "run", path, "--profile", "long.toml", "--out", "run", *named)) as process:
            until = time.monotonic() + 120
            while not (folder / "run/journal").exists() and process.code() is None and time.monotonic() < until:
                time.sleep(0.2)
            time.sleep(5)
            process.send(signal.SIGINT)
            code = process.wait()
        assert code == 130, process.ended().stderr
        before = checksum(other)
        swap_names()
        try:
            with forked(lambda: _in(folder, "resume", "run", *named)) as process:
                process.wait()
            ended = process.ended()
            unchanged = checksum(path) == before
        finally:
            swap_names()
    refused = ended.returncode == 3 and "is not the device that was measured" in ended.stderr
    return {"engine": refused, "front": refused, "unchanged": unchanged, "told": ended.stderr[-300:]}


def backup_gpt(engine: Engine) -> dict[str, Any]:
    """Only the backup of a GPT is left."""
    disk = by_serial(DRIVES[0])
    with gpt_backup_only(disk, Path("/tmp")) as path:  # noqa: S108 - the guest is gone afterwards
        return refused(engine, path, "signature", disk)


def efi(engine: Engine) -> dict[str, Any]:
    """An EFI system partition."""
    disk = by_serial(DRIVES[0])
    with partitioned(f"label: gpt\nsize=16MiB, type={EFI}\n", 1)(disk, Path("/tmp")) as path:  # noqa: S108
        return refused(engine, path, "system", disk)


def logical(engine: Engine) -> dict[str, Any]:
    """The container of a mounted logical partition."""
    disk = by_serial(DRIVES[0])
    divide(disk, LOGICAL)
    with tempfile.TemporaryDirectory() as folder, mounted(Path(f"{disk}p5"), Path(folder)):
        return refused(engine, disk, "mounted", disk)


def disk_open(engine: Engine) -> dict[str, Any]:
    """A partition of a disk that is open."""
    disk = by_serial(DRIVES[0])
    with whole_open(TWO)(disk, Path("/tmp")) as path:  # noqa: S108
        return refused(engine, path, "open", disk)


def generic_open(engine: Engine) -> dict[str, Any]:
    """Its generic NVMe node is open."""
    disk = by_serial(DRIVES[0])
    node = disk.with_name(disk.name.replace("nvme", "ng"))
    with held_by(f"import os; h = os.open({str(node)!r}, os.O_RDONLY)"):
        return refused(engine, disk, "open", disk)


def read_only(engine: Engine) -> dict[str, Any]:
    """Set read-only."""
    disk = by_serial(DRIVES[0])
    done("blockdev", "--setro", disk)
    try:
        return refused(engine, disk, "writable", disk)
    finally:
        done("blockdev", "--setrw", disk)


def one_of_btrfs(engine: Engine) -> dict[str, Any]:
    """The second device of a mounted btrfs."""
    first, second = (by_serial(each) for each in DRIVES)
    # One device of the smallest size is too little for two; a sparse loop device is the first.
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        point = folder / "mounted"
        point.mkdir()
        done("mkfs.btrfs", "-q", "-f", "-m", "single", "-d", "single", "--mixed", first, second)
        done("btrfs", "device", "scan", first, second)
        done("mount", first, point)
        stack.callback(done, "umount", point)
        return refused(engine, second, "mounted", second)


def without_library(_: Engine) -> dict[str, Any]:
    """Libblkid is missing, so signatures cannot be checked."""
    disk = by_serial(DRIVES[0])
    found = next(line.split("=> ")[1] for line in done("ldconfig", "-p").splitlines() if LIBRARY in line)
    # In a mount namespace of its own: mount and umount need the library as well.
    script = f"mount --bind /dev/null {found}; exec {find_engine()}"
    engine = Engine(("unshare", "--mount", "sh", "-c", script))
    claim = claim_of(engine, disk) | {"consents": ["open", "below"]}
    before = checksum(disk)
    return _refusal(open_with(engine, disk, claim), "(signature)", unchanged=checksum(disk) == before)


def shared_serial(engine: Engine) -> dict[str, Any]:
    """A namespace named by the serial number that it shares."""
    first, _second = namespaces(SHARED)
    claim, before = claim_of(engine, first), checksum(first)
    assert claim["identity"] != SHARED, claim
    return _refusal(
        open_with(engine, first, claim | {"identity": SHARED}), "(identity)", unchanged=checksum(first) == before
    )


def zoned(engine: Engine) -> dict[str, Any]:
    """A zoned device."""
    disk = Path("/dev/nullb0")
    return refused(engine, disk, "format", namespaces(SHARED)[0])


def protected(engine: Engine) -> dict[str, Any]:
    """A namespace with protection information."""
    disk = by_serial("LAB-GUARD-PI")
    return refused(engine, disk, "format", disk)


def two_paths(engine: Engine) -> dict[str, Any]:
    """One of two paths to a SCSI disk."""
    disks = sorted(
        path for path in Path("/sys/block").glob("sd*") if "scsi_debug" in (path / "device/model").read_text()
    )
    disk = Path("/dev") / disks[0].name
    return refused(engine, disk, "paths", disk)


MISTAKEN: Final[dict[str, Callable[[Engine], dict[str, Any]]]] = {
    "Another drive has the name since the inspection": swapped,
    "The drive was removed and returned since the inspection": returned,
    "Mounted between the guard and the opening": mounted_since,
    "Another drive has the name at the resumption": resumed_on_another,
    "Only the backup of a GPT is left": backup_gpt,
    "An EFI system partition": efi,
    "The container of a mounted logical partition": logical,
    "A partition of a disk that is open": disk_open,
    "Its generic NVMe node is open": generic_open,
    "Set read-only": read_only,
    "The second device of a mounted btrfs": one_of_btrfs,
    "Libblkid is missing, so signatures cannot be checked": without_library,
    "A namespace named by the serial number that it shares": shared_serial,
    "A zoned device": zoned,
    "A namespace with protection information": protected,
    "One of two paths to a SCSI disk": two_paths,
}
