"""The file system that a target lies on, found by device number."""

import os
import re
from contextlib import suppress
from pathlib import Path

from iosonde.machine.sysfs import read_text
from iosonde.records import FileSystemFacts

# File systems of which the same file can be open elsewhere, without this kernel knowing that it is the same.
_SHARED = (
    *("9p", "afs", "ceph", "cifs", "fuse", "gfs2", "lustre", "nfs", "ocfs2", "smb", "virtiofs"),
    *("aufs", "ecryptfs", "overlay"),
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def file_system_facts(path: Path, root: Path = Path("/")) -> FileSystemFacts:
    """The file system below ``path`` (which must exist): kind, mount and room, as the kernel tells them."""
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
    """Whether a file can be open under another identity, which this kernel does not know: on a network, say."""
    kind, _, _ = _mount(path.stat().st_dev, path, root)
    return not kind or kind.startswith(_SHARED)


def layers_below(path: Path, root: Path = Path("/")) -> tuple[Path, ...]:
    """Where a file on an overlay may lie in the layers below; empty on any other file system."""
    fields = _mountinfo_line(path.stat().st_dev, path, root)
    if not fields:
        return ()
    kind, _, options = fields[fields.index("-") + 1 :][:3]
    point, resolved = Path(_unescape(fields[4])), path.resolve()
    if kind != "overlay" or not resolved.is_relative_to(point):
        return ()
    # A bind mount shows a part of the overlay, which lies deeper in the layers.
    inside = _unescape(fields[3]).lstrip("/") / resolved.relative_to(point)
    named = dict(each.partition("=")[::2] for each in options.split(","))
    layers = [named.get("upperdir", ""), *named.get("lowerdir", "").split(":")]
    return tuple(Path(_unescape(layer)) / inside for layer in layers if layer)


def mount_source(device: int, path: Path, root: Path = Path("/")) -> str:
    """What is mounted there, such as ``/dev/sda1``; empty when the kernel does not say."""
    fields = _mountinfo_line(device, path, root)
    return _unescape(fields[fields.index("-") + 2]) if fields else ""


def mount_points(root: Path = Path("/")) -> dict[int, str]:
    """For each device that is mounted, by its number, the first place where it is, in this mount namespace.

    File systems that span devices have a number of their own: these are found by the device that was named.
    """
    found: dict[int, str] = {}
    for fields in _mountinfo(root):
        numbers = [os.makedev(*map(int, fields[2].split(":")))]
        source = _unescape(fields[fields.index("-") + 2])
        if source.startswith("/dev/"):
            # Whatever was named there may be gone by now.
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
    """The mount of that device which is nearest above the path: one device can be mounted in many places."""
    number = f"{os.major(device)}:{os.minor(device)}"
    # A subvolume of btrfs has a number of its own, which no mount has.
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
