"""``make lab``: boots emulated machines and checks what iosonde does there. Names of checks run those alone."""

import os
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.checks import ALONE, CHECKS
from lab.guest import GuestError
from lab.interpreter import make_environment
from lab.kernel import CHECKOUT, KERNEL_FOLDER, Kernel, fetch_kernel

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
    "mdadm": "mdadm",
}
RESULTS: Final = Path(__file__).parent / "results"
FOLDER: Final = KERNEL_FOLDER.parent
GUESTS: Final = 3
"""The number of checks that run at the same time. A guest keeps one CPU busy most of the time."""


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


@dataclass(frozen=True)
class Ran:
    """A check that has ended: how long it took, what it told, and whether it holds."""

    took_s: float
    told: list[str]
    holds: bool


def run(name: str, kernel: Kernel) -> Ran:
    """Runs a check to its end, whatever that is."""
    folder = FOLDER / name
    # The page of an earlier run is no result of this one.
    for page in folder.glob("*.md"):
        page.unlink()
    print(f"{name} ...", file=sys.stderr, flush=True)
    since_s = time.monotonic()
    try:
        told, holds = CHECKS[name](kernel, folder), True
    except (AssertionError, GuestError) as error:
        told, holds = [f"FAILED: {error}"], False
    except Exception:  # noqa: BLE001 - the other checks are run all the same
        told, holds = [f"FAILED: {traceback.format_exc()}"], False
    took_s = time.monotonic() - since_s
    print(f"{name}: {'holds' if holds else 'FAILED'} after {took_s:.0f} s", file=sys.stderr, flush=True)
    return Ran(took_s, told, holds)


def result(names: Sequence[str], ran: dict[str, Ran], kernel: Kernel, took_s: float) -> str:
    """All results in the order of the checks. Those that did not run, and those that failed, are named."""
    lines = [f"Debian's kernel {kernel.version}, emulated"]
    for name in names:
        if name in ran:
            lines += [f"{name}, {ran[name].took_s:.0f} s", *(f"  {line}" for line in ran[name].told)]
        else:
            lines += [name, "  NOT RUN"]
    failed = [name for name in names if name in ran and not ran[name].holds]
    hold = sum(each.holds for each in ran.values())
    # The CPU time tells a slow lab from a busy host.
    used_s = sum(os.times()[2:4])
    spent = f"{took_s / 60:.1f} minutes on {os.cpu_count()} CPUs, with {used_s / 60:.1f} minutes of CPU time"
    lines.append(f"{hold} of {len(names)} checks hold, in {spent}")
    if failed:
        lines.append(f"FAILED: {', '.join(failed)}")
    # What a failed check tells may name files; the result is kept for readers on other machines.
    return "\n".join(lines).replace(f"{CHECKOUT}/", "") + "\n"


def run_all(names: Sequence[str], kernel: Kernel, note: Callable[[str, Ran], None]) -> None:
    """Runs checks three at a time, those that compare times by themselves; ``note`` has each as it ends."""
    # Those that take longest first, lest one is left over at the end.
    together = sorted((name for name in names if name not in ALONE), key=list(CHECKS).index, reverse=True)
    with ThreadPoolExecutor(GUESTS) as pool:
        for done in as_completed(pool.submit(lambda name: (name, run(name, kernel)), name) for name in together):
            note(*done.result())
    for name in ALONE:
        if name in names:
            note(name, run(name, kernel))


def main(names: list[str]) -> int:
    """Runs checks, all of them where none is named; 1 when one does not hold."""
    lacking = missing_packages()
    if lacking and not install(lacking):
        print(f"the lab needs: apt-get install --no-install-recommends {' '.join(lacking)}", file=sys.stderr)
        return 1
    make_environment()
    kernel, since_s = fetch_kernel(KERNEL_FOLDER), time.monotonic()
    chosen, ran = names or list(CHECKS), dict[str, Ran]()

    def note(name: str, each: Ran) -> None:
        ran[name] = each
        # What is known so far is kept if the rest is interrupted.
        if not names:
            (RESULTS / "lab.txt").write_text(result(chosen, ran, kernel, time.monotonic() - since_s))
            for page in (FOLDER / name).glob("*.md"):
                shutil.copy(page, RESULTS)

    run_all(chosen, kernel, note)
    print(result(chosen, ran, kernel, time.monotonic() - since_s), end="")
    return 0 if all(each.holds for each in ran.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
