"""The purges that are tried, each with the outcome that it must have."""

import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iosonde.sources import EngineSource
from iosonde.vocabulary import PurgeMethod
from lab.guard.asking import Engine, checksum, claim_of, open_with
from lab.guard.drives import DRIVES, SHARED, by_serial, mapping, namespaces
from lab.guard.mistaken import swap_names
from lab.kernel import KERNEL_FOLDER, modules_of
from lab.purge.asking import Setting, purged
from lab.purge.drives import DEAF, HIDDEN, LEAVING
from tests.stories.devices_in_use import TWO, divide, mounted
from tests.stories.loop_devices import done

SANITIZES: Final = "sanitize=7 sanitize_s=2"
LEAVES_AFTER_S: Final = 2


@dataclass(frozen=True)
class Attempt:
    """A purge, and its outcome. ``says`` has to be in what the purge says."""

    name: str
    outcome: str
    run: Callable[[], dict[str, Any]]
    says: str = ""


def head(serial: str) -> Path:
    """The multipath head of the first namespace of a subsystem. Its paths have no node."""
    for folder in sorted(Path("/sys/block").glob("nvme*n*")):
        found = (folder / "device/serial").read_text(encoding="utf-8").strip()
        if found == serial and Path("/dev", folder.name).exists():
            return Path("/dev", folder.name)
    raise FileNotFoundError(serial)


def identity(path: Path) -> str:
    """The identity of a device, as its inspection prints it."""
    source = EngineSource()
    try:
        found = source.inspect(path).identity
    finally:
        source.end()
    assert found is not None
    return found.name


def simple(method: PurgeMethod, settings: str = "", serial: str = DRIVES[0], **options: Any) -> Callable[[], Any]:
    """The purge of a drive with one namespace."""
    return lambda: purged(by_serial(serial), method, serial, setting=Setting(settings, options=options))


def one_of_two() -> dict[str, Any]:
    """A format of one of two namespaces."""
    first, second = namespaces(SHARED)
    return purged(first, PurgeMethod.FORMAT, identity(first), setting=Setting(others=(second,)))


def second_of_two() -> dict[str, Any]:
    """The other one, whose ID is not 1."""
    first, second = namespaces(SHARED)
    return purged(second, PurgeMethod.FORMAT, identity(second), setting=Setting(others=(first,)))


def misleading_link() -> dict[str, Any]:
    """A link with the name of the second namespace leads to the first."""
    first, second = namespaces(SHARED)
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / second.name
        link.symlink_to(first)
        return purged(link, PurgeMethod.FORMAT, identity(first), setting=Setting(others=(second,)))


def wrong_identity() -> dict[str, Any]:
    """The identity of the other namespace."""
    first, second = namespaces(SHARED)
    return purged(first, PurgeMethod.FORMAT, identity(second), setting=Setting(others=(first, second)))


def swapped() -> dict[str, Any]:
    """Another drive has the name since the plan was made."""
    paths = tuple(by_serial(each) for each in DRIVES)
    try:
        return purged(paths[0], PurgeMethod.FORMAT, DRIVES[0], setting=Setting(between=swap_names))
    finally:
        swap_names()


def both(method: PurgeMethod, settings: str) -> Callable[[], dict[str, Any]]:
    """A method that reaches both namespaces, each of them named."""

    def run() -> dict[str, Any]:
        first, second = namespaces(SHARED)
        return purged(first, method, identity(first), identity(second), setting=Setting(settings))

    return run


def unnamed(method: PurgeMethod, settings: str) -> Callable[[], dict[str, Any]]:
    """A method that reaches both namespaces, only one of them named."""

    def run() -> dict[str, Any]:
        first, second = namespaces(SHARED)
        return purged(first, method, identity(first), setting=Setting(settings, (first, second)))

    return run


def in_use(method: PurgeMethod, settings: str) -> Callable[[], dict[str, Any]]:
    """A method that reaches both namespaces, each of them named, and one of them mounted."""

    def run() -> dict[str, Any]:
        first, second = namespaces(SHARED)
        names = (identity(first), identity(second))
        with tempfile.TemporaryDirectory() as folder, mounted(second, Path(folder)):
            return purged(first, method, *names, setting=Setting(settings, (first, second)))

    return run


def unattached(method: PurgeMethod, settings: str) -> Callable[[], dict[str, Any]]:
    """A drive with a namespace that no device leads to."""

    def run() -> dict[str, Any]:
        path = head(HIDDEN)
        others = () if method is PurgeMethod.FORMAT and "fna=0" in settings else (path,)
        return purged(path, method, identity(path), setting=Setting(settings, others))

    return run


def partitioned() -> dict[str, Any]:
    """A drive with partitions, with consent. They must be gone for the kernel as well."""
    path = by_serial(DRIVES[0])
    divide(path, TWO)
    found = purged(path, PurgeMethod.FORMAT, DRIVES[0], setting=Setting(options={"consents": ("signature",)}))
    left = [each.name for each in Path(f"/sys/block/{path.name}").glob(f"{path.name}p*")]
    return {**found, "told": f"{found['told']}partitions left: {left}"}


def last_quarter(disk: Path) -> AbstractContextManager[Path]:
    """A mapping of the last quarter of a drive, to which the kernel passes commands for all of the drive."""
    sectors = int(done("blockdev", "--getsz", disk))
    return mapping("LAB-part", f"0 {sectors // 4} linear {disk} {sectors - sectors // 4}")


def through_mapping(method: PurgeMethod) -> Callable[[], dict[str, Any]]:
    """The purge of a mapping of a part of a drive."""

    def run() -> dict[str, Any]:
        disk = by_serial(DRIVES[0])
        with last_quarter(disk) as path:
            return purged(path, method, "LAB-part", setting=Setting(others=(disk,)))

    return run


def through_mapping_by_engine(method: str | None) -> Callable[[], dict[str, Any]]:
    """The same, of the engine alone; None is a method of another program."""

    def run() -> dict[str, Any]:
        disk = by_serial(DRIVES[0])
        before = checksum(disk)
        with last_quarter(disk) as path:
            engine = Engine()
            opened = open_with(engine, path, claim_of(engine, path))
            assert opened["type"] == "opened", opened
            answer = engine.ask(command="sample", method=method, places=16, seed=1)
            engine.ask(command="close")
            engine.end()
        outcome = "refused" if answer.get("kind") == "purge_refused" else str(answer)
        return {"outcome": outcome, "told": answer.get("message", ""), "unchanged": checksum(disk) == before}

    return run


@contextmanager
def scsi(options: str) -> Iterator[Path]:
    """A disk of scsi_debug."""
    module = next(modules_of(KERNEL_FOLDER).rglob("scsi_debug.ko"))
    subprocess.run(["rmmod", "scsi_debug"], check=False, capture_output=True)
    subprocess.run(["insmod", module, "dev_size_mb=36", "delay=0", *options.split()], check=True, capture_output=True)
    try:
        for _ in range(100):
            found = [
                each for each in Path("/sys/block").glob("sd*") if "scsi_debug" in (each / "device/model").read_text()
            ]
            if found and Path("/dev", found[0].name).exists():
                break
            time.sleep(0.1)
        yield Path("/dev") / found[0].name
    finally:
        subprocess.run(["rmmod", "scsi_debug"], check=False, capture_output=True)


def scsi_disk(options: str, method: PurgeMethod = PurgeMethod.DISCARD) -> Callable[[], dict[str, Any]]:
    """The purge of a SCSI disk."""

    def run() -> dict[str, Any]:
        with scsi(options) as path:
            return purged(path, method, identity(path))

    return run


def leaving() -> dict[str, Any]:
    """The drive is removed while it is formatted."""
    path = by_serial(LEAVING)
    function = (Path("/sys/class/block") / path.name / "device/device").resolve() / "remove"

    def remove() -> None:
        time.sleep(LEAVES_AFTER_S)
        function.write_text("1")

    thread = threading.Thread(target=remove)
    found = purged(path, PurgeMethod.FORMAT, LEAVING, setting=Setting("format_s=6 lie=1", when_purging=thread.start))
    thread.join()
    return found


ATTEMPTS: Final = (
    Attempt("discard, NVMe", "purged", simple(PurgeMethod.DISCARD)),
    Attempt("discard, NVMe, all of it read", "purged", simple(PurgeMethod.DISCARD, places=None)),
    Attempt("discard, NVMe that ignores it", "not-verified", simple(PurgeMethod.DISCARD, serial=DEAF)),
    Attempt("discard, SCSI, blocks read as zeros", "purged", scsi_disk("lbpu=1 lbprz=1")),
    Attempt("discard, SCSI, blocks read as ones", "purged", scsi_disk("lbpu=1 lbprz=2")),
    Attempt("discard, SCSI, blocks return old data", "not-verified", scsi_disk("lbpu=1 lbprz=0")),
    Attempt("discard, SCSI without discards", "refused", scsi_disk("lbpu=0"), "does not support discards"),
    Attempt(
        "scsi-sanitize-block, SCSI without Sanitize",
        "not-purged",
        scsi_disk("lbpu=1", PurgeMethod.SCSI_SANITIZE_BLOCK),
        "sg_sanitize failed",
    ),
    Attempt(
        "scsi-format, SCSI without Format Unit",
        "not-purged",
        scsi_disk("lbpu=1", PurgeMethod.SCSI_FORMAT),
        "sg_format failed",
    ),
    Attempt(
        "ata-secure-erase, SCSI",
        "refused",
        scsi_disk("lbpu=1", PurgeMethod.ATA_SECURE_ERASE),
        "does not report ATA security",
    ),
    Attempt("format of a mapping of a part of a drive", "refused", through_mapping(PurgeMethod.FORMAT), "is not one"),
    Attempt(
        "format of a mapping of a part of a drive, by the engine alone",
        "refused",
        through_mapping_by_engine("format"),
        "is built on nvme",
    ),
    Attempt(
        "sg_format of a mapping of a part of a drive, by the engine alone",
        "refused",
        through_mapping_by_engine(None),
        "is built on nvme",
    ),
    Attempt("format, NVMe", "purged", simple(PurgeMethod.FORMAT)),
    Attempt("format, NVMe that ignores discards", "purged", simple(PurgeMethod.FORMAT, serial=DEAF)),
    Attempt("format of a drive with partitions", "purged", partitioned, "partitions left: []"),
    Attempt("format of one of two namespaces", "purged", one_of_two),
    Attempt("format of the second of two namespaces", "purged", second_of_two),
    Attempt("format by a link named like the other namespace", "purged", misleading_link),
    Attempt("format with the identity of the other namespace", "refused", wrong_identity, "is not its identity"),
    Attempt("format, another drive has the name since the plan", "refused", swapped, "(identity)"),
    Attempt("format next to a namespace that is not attached", "purged", unattached(PurgeMethod.FORMAT, "fna=0")),
    Attempt("crypto-format, not supported", "refused", simple(PurgeMethod.CRYPTO_FORMAT), "does not support"),
    Attempt("sanitize-block, not supported", "refused", simple(PurgeMethod.SANITIZE_BLOCK), "does not support"),
    Attempt("crypto-format, stand-in", "purged", simple(PurgeMethod.CRYPTO_FORMAT, "fna=4")),
    Attempt("sanitize-block, stand-in", "purged", simple(PurgeMethod.SANITIZE_BLOCK, SANITIZES)),
    Attempt("sanitize-crypto, stand-in", "purged", simple(PurgeMethod.SANITIZE_CRYPTO, f"{SANITIZES} noise=1")),
    Attempt("sanitize-overwrite, stand-in", "purged", simple(PurgeMethod.SANITIZE_OVERWRITE, SANITIZES)),
    Attempt("sanitize of both namespaces, stand-in", "purged", both(PurgeMethod.SANITIZE_BLOCK, SANITIZES)),
    Attempt(
        "format that reaches both namespaces and erases one, stand-in", "not-purged", both(PurgeMethod.FORMAT, "fna=2")
    ),
    Attempt("sanitize, the other namespace is not named", "refused", unnamed(PurgeMethod.SANITIZE_BLOCK, SANITIZES)),
    Attempt(
        "sanitize, the other namespace is mounted",
        "refused",
        in_use(PurgeMethod.SANITIZE_BLOCK, SANITIZES),
        "is mounted",
    ),
    Attempt("format of all namespaces, one is mounted", "refused", in_use(PurgeMethod.FORMAT, "fna=1"), "is mounted"),
    Attempt(
        "sanitize, a namespace is not attached",
        "refused",
        unattached(PurgeMethod.SANITIZE_BLOCK, SANITIZES),
        "namespace 2",
    ),
    Attempt("format that erases nothing", "not-purged", simple(PurgeMethod.FORMAT, "lie=1")),
    Attempt("sanitize that erases one half", "not-purged", simple(PurgeMethod.SANITIZE_BLOCK, f"{SANITIZES} half=1")),
    Attempt("sanitize that fails", "not-purged", simple(PurgeMethod.SANITIZE_BLOCK, f"{SANITIZES} fail=2")),
    Attempt("format that the drive refuses", "not-purged", simple(PurgeMethod.FORMAT, "fail=1")),
    Attempt("format of a drive that is removed in the meantime", "not-verified", leaving),
)
