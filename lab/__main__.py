"""``make lab``: boots emulated machines and checks what iosonde does there. Names of checks run those alone."""

import shutil
import sys
from pathlib import Path
from typing import Final

from lab.checks import CHECKS
from lab.guest import GuestError
from lab.kernel import fetch_kernel

NEEDED: Final = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "modprobe": "kmod",
}
RESULT: Final = Path(__file__).parent / "results/lab.txt"
FOLDER: Final = Path(__file__).parents[1] / "build/lab"


def main(names: list[str]) -> int:
    """Runs checks, all of them where none is named; 1 when one does not hold."""
    lacking = sorted(package for program, package in NEEDED.items() if shutil.which(program) is None)
    if lacking:
        print(f"the lab needs: apt-get install --no-install-recommends {' '.join(lacking)}", file=sys.stderr)
        return 1
    kernel = fetch_kernel(FOLDER / "kernel")
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
        RESULT.write_text("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
