"""Ways in which a block device can be in use, or not be the one that was meant. Each yields the path to ask for."""

import json
import mmap
import os
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.stories.loop_devices import attached, done, need_root

MIB = 1 << 20
SECTOR_BYTES = 512
SIZE_BYTES = 48 * MIB
ZFS_LABEL_BYTES = 256 << 10
# The kernel would write the rest of a lazily made file system later.
EXT4 = ("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
HOLD = "import sys; print('ready', flush=True); sys.stdin.read()"
EFI = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
Use = Callable[[Path, Path], AbstractContextManager[Path]]
"""Given a loop device and a folder, puts the device to a use, and yields the path of a device that is in use."""


@dataclass(frozen=True)
class Way:
    """A way to be in use, and the check that has to find it."""

    name: str
    use: Use
    check: str
    options: tuple[str, ...] = ()


@contextmanager
def held_by(*opening: str) -> Iterator[None]:
    """Another process that has run these statements and stays."""
    script = "; ".join([*opening, HOLD])
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.kill()


@contextmanager
def mounted(device: Path, folder: Path) -> Iterator[Path]:
    point = folder / "mounted"
    point.mkdir()
    done(*EXT4, device)
    done("mount", device, point)
    try:
        yield device
    finally:
        done("umount", point)


@contextmanager
def mounted_elsewhere(device: Path, folder: Path) -> Iterator[Path]:
    """Mounted in the mount namespace of another process only."""
    point = folder / "mounted"
    point.mkdir()
    done(*EXT4, device)
    script = f"mount {device} {point} && echo ready && cat"
    with subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield device
        finally:
            process.kill()


# The smallest swap area that mkswap makes. Behind its first page lie those that the kernel writes whenever it likes.
SWAP_BYTES = 10 * mmap.PAGESIZE


def swap_pages(disk: Path) -> list[range]:
    """The bytes of a disk that the kernel may write at any time, since they or those of a partition are swap."""
    found = []
    for line in Path("/proc/swaps").read_text(encoding="utf-8").splitlines()[1:]:
        area = Path(line.split()[0])
        if area.is_block_device() and sysfs(disk) in (sysfs(area), sysfs(area).parent):
            start = sysfs(area) / "start"
            at = int(start.read_text(encoding="ascii")) * SECTOR_BYTES if start.exists() else 0
            found.append(range(at + mmap.PAGESIZE, at + SWAP_BYTES))
    return found


def sysfs(device: Path) -> Path:
    """The directory of a block device in sysfs. That of a partition lies in that of its disk."""
    number = device.stat().st_rdev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()


@contextmanager
def swap(device: Path, _: Path) -> Iterator[Path]:
    done("mkswap", device, str(SWAP_BYTES >> 10))
    done("swapon", device)
    try:
        yield device
    finally:
        done("swapoff", device)


def opened(mode: str) -> Use:
    """Open in another process."""

    @contextmanager
    def use(device: Path, _: Path) -> Iterator[Path]:
        with held_by(f"import os; h = os.open({str(device)!r}, os.{mode})"):
            yield device

    return use


@contextmanager
def mapped(device: Path, _: Path) -> Iterator[Path]:
    """Mapped into the memory of another process, which has closed it."""
    with held_by(
        f"import mmap, os; h = os.open({str(device)!r}, os.O_RDONLY)",
        f"m = mmap.mmap(h, {mmap.PAGESIZE}, prot=mmap.PROT_READ)",
        "os.close(h)",
    ):
        yield device


@contextmanager
def below_a_loop(device: Path, _: Path) -> Iterator[Path]:
    with attached(device):
        yield device


@contextmanager
def above_a_device(device: Path, _: Path) -> Iterator[Path]:
    """The loop device over a device."""
    with attached(device) as above:
        yield above


@contextmanager
def backing_shared(device: Path, _: Path) -> Iterator[Path]:
    with attached(_backing(device)):
        yield device


@contextmanager
def backing_open(device: Path, _: Path) -> Iterator[Path]:
    with held_by(f"h = open({str(_backing(device))!r}, 'rb')"):
        yield device


def _backing(device: Path) -> Path:
    return Path(Path(f"/sys/block/{device.name}/loop/backing_file").read_text(encoding="utf-8").strip())


@contextmanager
def as_it_is(device: Path, _: Path) -> Iterator[Path]:
    yield device


def signature(at: int, magic: bytes) -> Use:
    """A magic number at a place, from the end if it is negative."""

    @contextmanager
    def use(device: Path, _: Path) -> Iterator[Path]:
        with device.open("r+b", buffering=0) as file:
            file.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
            kept = file.read(512)
            file.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
            file.write(magic + kept[len(magic) :])
            os.fsync(file.fileno())
        yield device

    return use


def made(*words: str) -> Use:
    """What a command makes of a device."""

    @contextmanager
    def use(device: Path, _: Path) -> Iterator[Path]:
        need_root(words[0])
        done(*words, device)
        yield device

    return use


def divide(device: Path, script: str | None) -> None:
    """Writes a partition table, and tells the kernel, which need not understand tables of this kind itself."""
    need_root("sfdisk", "addpart")
    words: list[str | Path] = ["sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", device]
    if script is not None:
        subprocess.run(words, input=script, text=True, check=True, capture_output=True)
    # A kernel that understands the table makes the partitions itself.
    subprocess.run(["blockdev", "--rereadpt", device], check=False, capture_output=True)
    for each in json.loads(done("sfdisk", "--json", device))["partitiontable"].get("partitions", []):
        if not Path(each["node"]).exists():
            number = each["node"].removeprefix(f"{device}p")
            done("addpart", device, number, str(each["start"]), str(each["size"]))


def partitioned(script: str, number: int, then: Use | None = None, *, whole: bool = False, copied: bool = False) -> Use:
    """Divided by sfdisk. ``then`` uses partition ``number``; asked for is that partition, or the ``whole`` disk.

    A ``copied`` disk has a table already.
    """

    @contextmanager
    def use(device: Path, folder: Path) -> Iterator[Path]:
        divide(device, None if copied else script)
        part = Path(f"{device}p{number}")
        with ExitStack() as stack:
            if then is not None:
                stack.enter_context(then(part, folder))
            yield device if whole else part

    return use


@contextmanager
def gpt_backup_only(device: Path, _: Path) -> Iterator[Path]:
    """Only the copy of the table at the end is left."""
    divide(device, "label: gpt\n")
    with device.open("r+b", buffering=0) as file:
        file.write(bytes(64 << 10))
        os.fsync(file.fileno())
    yield device


def whole_open(script: str) -> Use:
    """The whole disk is open, and one of its partitions is asked for."""

    @contextmanager
    def use(device: Path, folder: Path) -> Iterator[Path]:
        with partitioned(script, 1)(device, folder) as part, opened("O_RDONLY")(device, folder):
            yield part

    return use


def linked(then: Use) -> Use:
    """Asked for by a symbolic link."""

    @contextmanager
    def use(device: Path, folder: Path) -> Iterator[Path]:
        link = folder / "link"
        with then(device, folder) as path:
            link.symlink_to(path)
            yield link

    return use


def renamed(then: Use) -> Use:
    """Asked for by a node of another name."""

    @contextmanager
    def use(device: Path, folder: Path) -> Iterator[Path]:
        node = folder / "nvme9n9"
        with then(device, folder) as path:
            os.mknod(node, stat.S_IFBLK | 0o600, path.stat().st_rdev)
            yield node

    return use


@contextmanager
def attached_by_a_name_that_is_gone(name: Path) -> Iterator[None]:
    with attached(name):
        name.unlink()
        yield


@contextmanager
def below_a_loop_without_a_name(device: Path, folder: Path) -> Iterator[Path]:
    """Below a loop device that was set up by a node that is gone."""
    node = folder / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, device.stat().st_rdev)
    with attached_by_a_name_that_is_gone(node):
        yield device


@contextmanager
def backing_shared_by_another_name(device: Path, folder: Path) -> Iterator[Path]:
    """Its file is that of another loop device, by a name that is gone."""
    name = folder / "other name"
    name.hardlink_to(_backing(device))
    with attached_by_a_name_that_is_gone(name):
        yield device


@contextmanager
def backing_shadowed(device: Path, folder: Path) -> Iterator[Path]:
    """Another file is at the path of its file."""
    other = folder / "precious"
    other.write_bytes(b"precious")
    path = _backing(device)
    done("mount", "--bind", other, path)
    try:
        yield device
    finally:
        done("umount", path)


def in_a_thread(script: str) -> Use:
    """Open in a thread of another process that has files of its own."""

    @contextmanager
    def use(device: Path, _: Path) -> Iterator[Path]:
        script_of_thread = (
            f"import ctypes, os, threading\nready = threading.Event()\n{script.format(device=str(device))}"
        )
        begin = "threading.Thread(target=hold, daemon=True).start()"
        with held_by(f"exec({script_of_thread!r}, globals())", begin, "ready.wait()"):
            yield device

    return use


OWN_FILES = """
def hold():
    ctypes.CDLL(None).unshare(0x400)
    os.open({device!r}, os.O_RDONLY)
    ready.set()
    threading.Event().wait()
"""


@contextmanager
def partition_without_a_table(device: Path, _: Path) -> Iterator[Path]:
    """The kernel has a partition with a file system, and the disk has no table."""
    need_root("addpart")
    done("addpart", device, "1", "34816", "32768")
    done(*EXT4, Path(f"{device}p1"))
    yield device


TWO = "label: dos\nsize=16MiB\nsize=16MiB\n"
GPT = "label: gpt\nsize=16MiB\nsize=16MiB\n"
ZFS = struct.pack("<Q", 0x00BAB10C)
MD = struct.pack("<I", 0xA92B4EFC)
WAYS = (
    Way("mounted", mounted, "mounted"),
    Way("mounted in another namespace", mounted_elsewhere, "exclusive"),
    Way("swap", swap, "swap"),
    Way("open for reading", opened("O_RDONLY"), "open"),
    Way("open for writing", opened("O_RDWR"), "open"),
    Way("taken exclusively", opened("O_RDWR | os.O_EXCL"), "exclusive"),
    Way("mapped and closed", mapped, "open"),
    Way("below a loop device", below_a_loop, "exported"),
    Way("below a loop device without a name", below_a_loop_without_a_name, "exported"),
    Way("a loop device over a device", above_a_device, "format"),
    Way("its file has another loop device by a name that is gone", backing_shared_by_another_name, "below"),
    Way("another file is at the path of its file", backing_shadowed, "below"),
    Way("open in a thread with files of its own", in_a_thread(OWN_FILES), "open"),
    Way("a partition with data and no table", partition_without_a_table, "signature"),
    Way("its file is that of another loop device", backing_shared, "below"),
    Way("its file is open", backing_open, "below"),
    Way("read-only", as_it_is, "writable", ("--read-only",)),
    Way("ext4", made(*EXT4), "signature"),
    Way("swap that is not used", made("mkswap"), "signature"),
    Way("LUKS", signature(0, b"LUKS\xba\xbe\x00\x02" + bytes(64)), "signature"),
    Way("LVM", signature(512, b"LABELONE" + struct.pack("<QII", 1, 0, 32) + b"LVM2 001"), "signature"),
    Way("btrfs", made("mkfs.btrfs", "-q", "--mixed", "--nodesize", "4096"), "signature"),
    Way("XFS", signature(0, b"XFSB" + struct.pack(">I", 4096)), "signature"),
    Way("table of MS-DOS", partitioned(TWO, 1, whole=True), "signature"),
    Way("GPT", partitioned(GPT, 1, whole=True), "signature"),
    Way("backup GPT", gpt_backup_only, "signature"),
    *(
        Way(f"ZFS label {number}", signature(at + ZFS_LABEL_BYTES // 2, ZFS), "signature")
        for number, at in enumerate((0, ZFS_LABEL_BYTES, -2 * ZFS_LABEL_BYTES, -ZFS_LABEL_BYTES))
    ),
    Way("md 0.90", signature(-64 << 10, MD), "signature"),
    Way("md 1.0", signature(-8 << 10, MD), "signature"),
    Way("md 1.1", signature(0, MD), "signature"),
    Way("md 1.2", signature(4096, MD), "signature"),
    Way("a partition is mounted", partitioned(TWO, 2, mounted, whole=True), "mounted"),
    Way("a partition is swap", partitioned(TWO, 2, swap, whole=True), "swap"),
    Way("a partition is open", partitioned(TWO, 2, opened("O_RDONLY"), whole=True), "open"),
    Way("a partition that is mounted", partitioned(TWO, 1, mounted), "mounted"),
    Way("a partition with ext4", partitioned(TWO, 1, made(*EXT4)), "signature"),
    Way("a partition of a disk that is open", whole_open(TWO), "open"),
    Way("an EFI system partition", partitioned(f"label: gpt\nsize=16MiB, type={EFI}\n", 1), "system"),
    Way("a link to a mounted device", linked(mounted), "mounted"),
    Way("another node of a mounted device", renamed(mounted), "mounted"),
    Way("a link to a device with data", linked(made(*EXT4)), "signature"),
    Way("another node of a device with data", renamed(made("mkswap")), "signature"),
    Way("another node of an open device", renamed(opened("O_RDONLY")), "open"),
)
