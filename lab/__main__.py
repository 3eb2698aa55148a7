"""``make lab``: boots emulated machines and checks what iosonde does there. Names of checks run those alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from lab.checks import CHECKS
from lab.guest import GuestError
from lab.kernel import KERNEL_FOLDER, fetch_kernel

NEEDED: Final = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "dmsetup": "dmsetup",
    "modprobe": "kmod",
    "mkfs.xfs": "xfsprogs",
    "fio": "fio",
    "bpftrace": "bpftrace",
    "mkfs.btrfs": "btrfs-progs",
    "sfdisk": "fdisk",
    "cc": "gcc",
    "hdparm": "hdparm",
    "sg_sanitize": "sg3-utils",
}
RESULTS: Final = Path(__file__).parent / "results"
FOLDER: Final = KERNEL_FOLDER.parent


def missing_packages() -> list[str]:
    """The packages of programs that are not there."""
    return sorted(package for program, package in NEEDED.items() if shutil.which(program) is None)


def install(packages: list[str]) -> bool:
    """Installs Debian packages where that can be done, and says so; False where it can't, or did not help."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    print(f"installing {' '.join(packages)} ...", file=sys.stderr, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        if subprocess.run(["apt-get", "--quiet=2", *words], check=False, env=environment).returncode:
            return False
    return not missing_packages()


def main(names: list[str]) -> int:
    """Runs checks, all of them where none is named; 1 when one does not hold."""
    lacking = missing_packages()
    if lacking and not install(lacking):
        print(f"the lab needs: apt-get install --no-install-recommends {' '.join(lacking)}", file=sys.stderr)
        return 1
    kernel = fetch_kernel(KERNEL_FOLDER)
    lines = [f"Debian's kernel {kernel.version}, emulated"]
    failed = 0
    for name in names or list(CHECKS):
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            told = CHECKS[name](kernel, FOLDER / name)
        except (AssertionError, GuestError) as error:
            failed += 1
            told = [f"FAILED: {error}"]
        lines += [name, *(f"  {line}" for line in told)]
    print("\n".join(lines))
    if not names:
        (RESULTS / "lab.txt").write_text("\n".join(lines) + "\n")
        for page in FOLDER.glob("*/*.md"):
            shutil.copy(page, RESULTS)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
