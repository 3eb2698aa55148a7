"""Inside the guest: mounts what a power cut left, and resumes the run. Leaves archives from before and after.

It resumes with the functions of ``iosonde resume``. The report, which that command writes afterwards, takes minutes in
an emulated machine, so the host writes it.
"""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from iosonde.campaign import NullObserver, find_remaining, resume
from iosonde.errors import IosondeError
from iosonde.machine.local_host import LocalHost
from lab.guest import SECTOR_BYTES
from lab.power_cuts.stage import RUN

LEFT: Final = Path("/lab")
MOUNTED: Final = Path("/mnt")


def main(disk: str, system: str, size_bytes: int, cuts: int) -> None:
    """Cut N is the Nth part of the disk, of ``size_bytes``."""
    sectors = size_bytes // SECTOR_BYTES
    for cut in range(cuts):
        table = f"0 {sectors} linear {disk} {cut * sectors}"
        subprocess.run(["dmsetup", "create", "cut"], input=table, text=True, check=True)
        mounted = subprocess.run(
            ["mount", "-t", system, "/dev/dm-0", MOUNTED], stderr=subprocess.PIPE, text=True, check=False
        )
        (LEFT / f"{cut}.mount").write_text(mounted.stderr)
        if mounted.returncode and system == "ext4":
            mounted = _repaired(cut)
        if not mounted.returncode:
            _keep(f"{cut}.before.tar")
            code, said = _resumed(MOUNTED / RUN)
            (LEFT / f"{cut}.said").write_text(said)
            (LEFT / f"{cut}.code").write_text(str(code))
            _keep(f"{cut}.after.tar")
            subprocess.run(["umount", MOUNTED], check=True)
        subprocess.run(["dmsetup", "remove", "--retry", "cut"], check=True)


def _repaired(cut: int) -> subprocess.CompletedProcess[str]:
    """Mounts a file system again after e2fsck, as a host does at its start.

    The superblock of ext4 has two sectors here, and one of them may be lost.
    """
    # Its exit code 1 says that it has corrected errors.
    checked = subprocess.run(["e2fsck", "-fy", "/dev/dm-0"], capture_output=True, text=True, check=False)
    (LEFT / f"{cut}.repaired").write_text(checked.stdout + checked.stderr)
    return subprocess.run(["mount", "-t", "ext4", "/dev/dm-0", MOUNTED], stderr=subprocess.PIPE, text=True, check=False)


def _keep(name: str) -> None:
    subprocess.run(["tar", "-cf", LEFT / name, "-C", MOUNTED, "."], check=True)


def _resumed(run: Path) -> tuple[int, str]:
    """The exit code, and the lines about an error."""
    try:
        resume(run, find_remaining(run, LocalHost(), failed_again=False), NullObserver(), datetime.now(UTC))
    except IosondeError as error:
        return error.exit_code, f"error: {error.message}\nhint: {error.hint}\n"
    return 0, ""


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
