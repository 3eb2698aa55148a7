"""Whether this process is in a container, and in which kind of one."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.machine.sysfs import read_text

# The inodes of the first namespaces of the kernel (include/linux/proc_ns.h). A container has others.
FIRST_NAMESPACES: Final = {"pid": 0xEFFFFFFC, "cgroup": 0xEFFFFFFB}
# Parts of the names of control groups, for containers that share the namespaces of their host.
GROUPS: Final = {"kubepods": "Kubernetes", "docker": "docker", "libpod": "podman", "lxc": "lxc"}
UNNAMED: Final = "unnamed"


def container_of(root: Path = Path("/")) -> str:
    """The kind of container that this process is in; empty outside of any."""
    groups = read_text(root / "proc/self/cgroup")
    by_group = next((name for part, name in GROUPS.items() if part in groups), "")
    return (_named(root) or by_group or UNNAMED) if _has_own_namespaces(root) else by_group


def _has_own_namespaces(root: Path) -> bool:
    for kind, first in FIRST_NAMESPACES.items():
        with suppress(OSError):
            if str((root / f"proc/self/ns/{kind}").readlink()) != f"{kind}:[{first}]":
                return True
    return False


def _named(root: Path) -> str:
    """The name that a container leaves for its processes. A machine image that was a container may have it as well."""
    if (root / "var/run/secrets/kubernetes.io").exists():
        return GROUPS["kubepods"]
    if (root / "run/.containerenv").exists():
        return GROUPS["libpod"]
    if (root / ".dockerenv").exists():
        return GROUPS["docker"]
    return read_text(root / "run/systemd/container")
