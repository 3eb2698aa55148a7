"""One boot of an emulated machine: a script goes in, what it printed and its exit code come out."""

import hashlib
import json
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lab.interpreter import PYTHON
from lab.kernel import CHECKOUT, Kernel, make_initramfs

# A boot takes 10 to 20 s without hardware virtualisation; a busy host takes its time.
BOOT_S_MAX: Final = 600
MIB: Final = 1 << 20
# The same command without the time to load its modules: a client of ``lab.preloaded``, which PRELOAD starts.
PRELOADED: Final = Path("/tmp/iosonde")  # noqa: S108 - the guest's own
REQUESTS: Final = Path("/tmp/iosonde-requests")  # noqa: S108 - the guest's own
PRELOAD: Final = f"""
mkfifo {REQUESTS}
cat > {PRELOADED} << 'END'
#!/bin/sh
mkfifo {REQUESTS}.$$
echo $$ > {REQUESTS}
read code < {REQUESTS}.$$
exit $code
END
chmod +x {PRELOADED}
(cd {CHECKOUT}; {PYTHON} -m lab.preloaded || kill $$) &
"""
SECTOR_BYTES: Final = 512
# Hardware virtualisation is not asked for: where it is offered it may hang, and behaviour is the same.
MACHINE: Final = (
    *("qemu-system-x86_64", "-accel", "tcg,thread=multi", "-machine", "q35", "-cpu", "max", "-m", "2G"),
    *("-nographic", "-no-reboot", "-nic", "none"),
)
# One CPU, with room for a second. QEMU 7.2 omits memory barriers if a machine can never have more than one CPU. A
# doorbell write to an emulated NVMe drive can then be lost, and the I/O does not complete until the kernel's timeout.
ONE_CPU: Final = ("-smp", "1,maxcpus=2")
# NumPy's sort for AVX2 crashes on the CPU that QEMU 7.2 emulates.
NUMPY: Final = "NPY_DISABLE_CPU_FEATURES=X86_V3"
# What the command sets for itself, before it loads modules.
LOADING: Final = "OPENBLAS_NUM_THREADS=1 PYDANTIC_DISABLE_PLUGINS=__all__"
# For scripts: the name of the drive with the serial number LAB-$1.
FIND_DRIVE: Final = 'disk() { basename $(dirname $(dirname $(grep -lx "LAB-$1 *" /sys/block/nvme*/device/serial))); }'
# How often a guest is looked at that is to be killed.
LOOK_S: Final = 0.05


class GuestError(Exception):
    """A guest that did not come to its end, with the last that it said."""


@dataclass(frozen=True)
class Guest:
    """A machine: ``hardware`` are further words for QEMU, ``modules`` options of kernel modules by name.

    ``boot`` are further words for the kernel. It must end within ``limit_s``.

    Its root is that of this host, read-only, and what it writes is forgotten at its end. ``folder`` is the only
    place that both see, as ``/lab`` in the guest.
    """

    kernel: Kernel
    folder: Path
    hardware: tuple[str, ...] = ("-smp", "2")
    modules: dict[str, str] = field(default_factory=dict)
    boot: str = ""
    limit_s: float = BOOT_S_MAX

    def run(self, script: str) -> str:
        """Boots, runs a shell script as root, and powers off. Raises GuestError where it fails, with its output."""
        words, console = self._prepared(script)
        with console.open("wb") as said:
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=self.limit_s, check=False)
        output = self.text("output")
        if self.text("code").strip() != "0":
            raise GuestError(f"{_read(console)[-2000:]}\n{output[-4000:]}")
        return output

    def run_until(self, script: str, is_due: Callable[[], bool]) -> None:
        """Boots, runs a shell script as root, and kills the machine once ``is_due``. Raises GuestError at its end."""
        words, console = self._prepared(script)
        with (
            console.open("wb") as said,
            subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said) as it,
        ):
            ends_s = time.monotonic() + self.limit_s
            try:
                while not is_due():
                    if it.poll() is not None or time.monotonic() > ends_s:
                        message = f"the guest was to be killed: {_read(console)[-2000:]}\n{self.text('output')[-4000:]}"
                        raise GuestError(message)
                    time.sleep(LOOK_S)
            finally:
                it.kill()

    def _prepared(self, script: str) -> tuple[list[str], Path]:
        """The words that start QEMU with a script, and the file for its console."""
        shared = self.folder / "shared"
        shutil.rmtree(shared, ignore_errors=True)
        shared.mkdir(parents=True)
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        (shared / "script").write_text(f"set -eu\nexport PATH={path} HOME=/tmp {NUMPY} {LOADING}\ncd /tmp\n{script}\n")
        initramfs = make_initramfs(self.kernel, self.folder, self.modules)
        words = [
            *(*MACHINE, *self.hardware, "-kernel", str(self.kernel.image), "-initrd", str(initramfs)),
            *("-append", f"console=ttyS0 panic=-1 quiet {self.boot}"),
            *_folder("host", "path=/,readonly=on,multidevs=remap"),
            *_folder("lab", f"path={shared}"),
        ]
        return words, self.folder / "console"

    def text(self, name: str) -> str:
        """A file that the last script left in ``/lab``."""
        return _read(self.folder / "shared" / name)

    def left(self, name: str) -> dict[str, Any]:
        """A JSON document that the last script left in ``/lab``."""
        document: dict[str, Any] = json.loads((self.folder / "shared" / name).read_text())
        return document


def drive(image: Path, size_bytes: int) -> Path:
    """An empty image of that size."""
    image.parent.mkdir(parents=True, exist_ok=True)
    with image.open("wb") as file:
        file.truncate(size_bytes)
    return image


def filled(image: Path, size_bytes: int) -> Path:
    """An image of random bytes, with a partition from 1 MiB on up to its middle."""
    image.parent.mkdir(parents=True, exist_ok=True)
    start, sectors = MIB // SECTOR_BYTES, size_bytes // 2 // SECTOR_BYTES
    entry = bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + start.to_bytes(4, "little") + sectors.to_bytes(4, "little")
    with image.open("wb") as file:
        for _ in range(size_bytes // MIB):
            file.write(random.randbytes(MIB))
        file.seek(446)
        file.write(entry + bytes(48) + b"\x55\xaa")
    return image


def digest(image: Path) -> str:
    """What is in an image, as one number."""
    with image.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder(tag: str, options: str) -> tuple[str, ...]:
    """A folder of this host that the guest can mount. Its bus is named, lest it is plugged into one for drives."""
    device = f"virtio-9p-pci,fsdev={tag},mount_tag={tag},bus=pcie.0"
    return ("-fsdev", f"local,id={tag},security_model=none,{options}", "-device", device)


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
