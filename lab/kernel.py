"""Debian's stock kernel, unpacked and never installed, and what has to be loaded before a guest has a root."""

import gzip
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGE: Final = "linux-image-amd64"
# What a guest needs to reach its root and its drives; the kernel's own table says what those need in turn.
MODULES: Final = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "nvme", "ext4", "xfs", "crc32c_generic", "dm_mod")
BUSYBOX: Final = Path("/bin/busybox")

# A checkout in /tmp is hidden by the guest's own, and is put back.
CHECKOUT: Final = Path(__file__).parents[1]
KERNEL_FOLDER: Final = CHECKOUT / "build/lab/kernel"
INIT: Final = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in $(cat /modules/order); do insmod /modules/$module $(cat /modules/$module.options 2>/dev/null); done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=262144 host /lower
mount -t tmpfs fresh /fresh; mkdir /fresh/upper /fresh/work
mount -t overlay -o lowerdir=/lower,upperdir=/fresh/upper,workdir=/fresh/work root /new
mkdir -p /new/lab /new/mnt
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 lab /new/lab
mount -t proc proc /new/proc; mount -t sysfs sys /new/sys; mount -t devtmpfs dev /new/dev
mkdir -p /new/dev/shm; mount -t tmpfs shm /new/dev/shm; mount -t tmpfs tmp /new/tmp
[ -d "/new{checkout}" ] || {{ mkdir -p "/new{checkout}"; mount -o bind "/lower{checkout}" "/new{checkout}"; }}
chroot /new /bin/sh /lab/script > /new/lab/output 2>&1
echo $? > /new/lab/code
sync; poweroff -f
"""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel: its image, and the folder that its modules are in."""

    image: Path
    modules: Path

    @property
    def version(self) -> str:
        """Such as ``6.1.0-56-amd64``."""
        return self.modules.name


def modules_of(folder: Path) -> Path:
    """The modules of the kernel that is unpacked in a folder."""
    return next((folder / "root" / "lib" / "modules").iterdir())


def fetch_kernel(folder: Path) -> Kernel:
    """Debian's current kernel, downloaded and unpacked into a folder, unless it is there already."""
    if not any(folder.glob("root/boot/vmlinuz-*")):
        folder.mkdir(parents=True, exist_ok=True)
        depends = subprocess.run(
            ["apt-cache", "depends", "--important", PACKAGE], check=True, capture_output=True, text=True
        ).stdout
        name = next(line.split()[-1] for line in depends.splitlines() if "Depends: linux-image" in line)
        subprocess.run(["apt-get", "download", "--quiet=2", name], check=True, cwd=folder)
        subprocess.run(["dpkg-deb", "--extract", next(folder.glob("linux-image-*.deb")), folder / "root"], check=True)
        modules = modules_of(folder)
        subprocess.run(["depmod", "--basedir", folder / "root", modules.name], check=True)
    return Kernel(next(folder.glob("root/boot/vmlinuz-*")), modules_of(folder))


def make_initramfs(kernel: Kernel, folder: Path, options: dict[str, str]) -> Path:
    """What the guest starts from; ``options`` are those of modules, by their names, which are loaded with the rest."""
    tree = folder / "initramfs"
    for name in ("bin", "proc", "sys", "dev", "modules", "lower", "fresh", "new"):
        (tree / name).mkdir(parents=True, exist_ok=True)
    (tree / "bin/busybox").write_bytes(BUSYBOX.read_bytes())
    (tree / "init").write_text(INIT.format(checkout=CHECKOUT))
    for program in (tree / "bin/busybox", tree / "init"):
        program.chmod(0o755)
    order = _in_order(kernel, options)
    for module in order:
        (tree / "modules" / module.name).write_bytes(module.read_bytes())
    for name, text in options.items():
        (tree / "modules" / f"{name}.ko.options").write_text(text)
    (tree / "modules/order").write_text("\n".join(module.name for module in order))
    names = "\n".join(str(path.relative_to(tree)) for path in [tree, *sorted(tree.rglob("*"))])
    archive = subprocess.run(
        ["cpio", "--create", "--format=newc", "--quiet"],
        cwd=tree,
        input=names.encode(),
        check=True,
        capture_output=True,
    ).stdout
    packed = folder / "initramfs.gz"
    packed.write_bytes(gzip.compress(archive, compresslevel=1))
    return packed


def _in_order(kernel: Kernel, more: Iterable[str]) -> list[Path]:
    """The modules, each after those that it needs."""
    found: dict[Path, None] = {}
    base = str(kernel.modules.parents[2])
    for name in (*MODULES, *more):
        words = ["modprobe", "--dirname", base, "--set-version", kernel.version, "--show-depends", name]
        for line in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
            if line.startswith("insmod"):
                found[Path(line.split()[1])] = None
    return list(found)
