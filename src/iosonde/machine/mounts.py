"""The file system that a target is on, found by device number."""

import os
import re
from contextlib import suppress
from pathlib import Path

from iosonde.machine.sysfs import read_text
from iosonde.records import FileSystemFacts

# File systems on which a file can be open elsewhere, or under another identity, unknown to this kernel.
_SHARED = (
    *("9p", "afs", "ceph", "cifs", "fuse", "gfs2", "lustre", "nfs", "ocfs2", "smb", "virtiofs"),
    *("aufs", "ecryptfs", "overlay"),
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def file_system_facts(path: Path, root: Path = Path("/")) -> FileSystemFacts:
    """The file system of ``path``, which must exist: type, mount point and free space, from the kernel."""
    facts = path.stat()
    room = os.statvfs(path)
    kind, mount_point, options = _mount(facts.st_dev, path, root)
    return FileSystemFacts(
        kind=kind,
        mount_point=mount_point,
        mount_options=options,
        size_bytes=room.f_blocks * room.f_frsize,
        available_bytes=room.f_bavail * room.f_frsize,
    )


def is_shared(path: Path, root: Path = Path("/")) -> bool:
    """Whether a file can be open under another identity, unknown to this kernel, as on a network file system."""
    kind, _, _ = _mount(path.stat().st_dev, path, root)
    return not kind or kind.startswith(_SHARED)


def layers_below(path: Path, root: Path = Path("/")) -> tuple[Path, ...]:
    """The paths that a file on an overlay may have in the lower layers; empty on any other file system."""
    fields = _mountinfo_line(path.stat().st_dev, path, root)
    if not fields:
        return ()
    kind, _, options = fields[fields.index("-") + 1 :][:3]
    point, resolved = Path(_unescape(fields[4])), path.resolve()
    if kind != "overlay" or not resolved.is_relative_to(point):
        return ()
    # A bind mount shows a subdirectory of the overlay, which is deeper in the layers.
    inside = _unescape(fields[3]).lstrip("/") / resolved.relative_to(point)
    named = dict(each.partition("=")[::2] for each in options.split(","))
    layers = [named.get("upperdir", ""), *named.get("lowerdir", "").split(":")]
    return tuple(Path(_unescape(layer)) / inside for layer in layers if layer)


def mount_source(device: int, path: Path, root: Path = Path("/")) -> str:
    """The source of a mount, such as ``/dev/sda1``; empty if the kernel does not report one."""
    fields = _mountinfo_line(device, path, root)
    return _unescape(fields[fields.index("-") + 2]) if fields else ""


def mount_points(root: Path = Path("/")) -> dict[int, str]:
    """The first mount point of each mounted device, by device number, in this mount namespace.

    File systems on several devices have a device number of their own. They are found by the device named at the mount.
    """
    found: dict[int, str] = {}
    for fields in _mountinfo(root):
        numbers = [os.makedev(*map(int, fields[2].split(":")))]
        source = _unescape(fields[fields.index("-") + 2])
        if source.startswith("/dev/"):
            # The named device may be gone.
            with suppress(OSError):
                numbers.append(Path(source).stat().st_rdev)
        for number in numbers:
            found.setdefault(number, _unescape(fields[4]))
    return found


def _mount(device: int, path: Path, root: Path) -> tuple[str, str, str]:
    fields = _mountinfo_line(device, path, root)
    if not fields:
        return "", "", ""
    dash = fields.index("-")
    return fields[dash + 1], _unescape(fields[4]), fields[5]


def _mountinfo_line(device: int, path: Path, root: Path) -> list[str]:
    """The mount of that device with the longest prefix of the path: a device can have many mount points."""
    number = f"{os.major(device)}:{os.minor(device)}"
    # A btrfs subvolume has its own device number, which is not that of a mount.
    mounts = [fields for fields in _mountinfo(root) if fields[2] == number] or _mountinfo(root)
    resolved = str(path.resolve())

    def nearness(fields: list[str]) -> int:
        point = _unescape(fields[4]).rstrip("/")
        above = resolved == point or resolved.startswith(f"{point}/")
        return len(point) if above else -1

    return max(mounts, key=nearness, default=[])


def _mountinfo(root: Path) -> list[list[str]]:
    lines = [line.split() for line in read_text(root / "proc/self/mountinfo").splitlines()]
    return [fields for fields in lines if "-" in fields]


def _unescape(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match.group(1), 8)), text)
