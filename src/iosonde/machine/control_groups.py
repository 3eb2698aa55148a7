"""The limits of this process's control groups, such as those of a container. Supports cgroups v1 and v2."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iosonde.machine.sysfs import read_int, read_text

# In version 1, "no limit" is the largest number of whole pages.
UNLIMITED_BYTES_MIN: Final = 1 << 60


def cpu_quota(root: Path = Path("/")) -> float | None:
    """The lowest CPU quota, in CPUs; None if there is none."""
    quotas = []
    for group in _groups(root, "cpu"):
        quota, _, period = read_text(group / "cpu.max").partition(" ")
        quota = quota or read_text(group / "cpu.cfs_quota_us")
        period = period or read_text(group / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(period):
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def memory_limit_bytes(root: Path = Path("/")) -> int | None:
    """The lowest memory limit, in bytes, page cache included; None if there is none."""
    limits = [
        limit
        for group in _groups(root, "memory")
        for file in ("memory.max", "memory.limit_in_bytes")
        if (limit := read_int(group / file)) is not None and limit < UNLIMITED_BYTES_MIN
    ]
    return min(limits, default=None)


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """The directories of this process's group and its parents, in every hierarchy of the controller."""
    own = dict(_own_groups(root))
    for kind, top, options in _hierarchies(root):
        name = "" if kind == "cgroup2" else controller
        if name in own and (kind == "cgroup2" or controller in options):
            folder = top / own[name].strip("/")
            while folder != top and top in folder.parents:
                yield folder
                folder = folder.parent
            # In a container the process's own group is mounted as the root, under another name than on the host.
            yield top


def _own_groups(root: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a controller (empty for version 2) and the process's group: ``1:cpu,cpuacct:/path`` and ``0::/path``."""
    for line in read_text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller, path


def _hierarchies(root: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Every mounted hierarchy: its kind, where it is, and the options that name its controllers."""
    for line in read_text(root / "proc/self/mountinfo").splitlines():
        fields = line.split()
        dash = fields.index("-") if "-" in fields else 0
        if dash and fields[dash + 1] in {"cgroup", "cgroup2"}:
            yield fields[dash + 1], root / fields[4].lstrip("/"), fields[-1].split(",")
