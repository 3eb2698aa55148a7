"""Arrays of Linux md: how one is made of its members, and how far it is synchronised, from sysfs.

The attributes are those of the kernel's Documentation/admin-guide/md.rst.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.machine.sysfs import read_int, read_text
from iosonde.records import MdArray, MdMember

SECTOR_BYTES: Final = 512
SYSFS: Final = Path("/sys")


@dataclass(frozen=True)
class MdSync:
    """What an array does to become consistent: ``idle`` if nothing, empty if it has no redundancy.

    ``is_clean`` says that nothing is left to be made consistent. ``done_permille`` is None if it is not told.
    """

    action: str
    is_clean: bool
    done_permille: int | None

    @property
    def is_done(self) -> bool:
        """Whether the array is consistent, and nothing goes on."""
        return self.is_clean and self.action in {"", "idle"}


def read_md_array(block: str, sysfs: Path = SYSFS) -> MdArray | None:
    """The array that a block device is; None if it is none, or one whose driver is not md."""
    disk = sysfs / "class/block" / Path(block).name
    md = disk / "md"
    if not read_text(md / "level"):
        return None
    members = tuple(sorted(_members(md), key=lambda each: each.path))
    return MdArray(
        path=block,
        level=read_text(md / "level"),
        disks=read_int(md / "raid_disks") or len(members),
        members=members,
        metadata=read_text(md / "metadata_version"),
        uuid=read_text(md / "uuid"),
        chunk_bytes=read_int(md / "chunk_size") or 0,
        layout=read_int(md / "layout") or 0,
        # In units of 1 KiB.
        component_bytes=(read_int(md / "component_size") or 0) * 1024,
        size_bytes=(read_int(disk / "size") or 0) * SECTOR_BYTES,
        degraded=read_int(md / "degraded") or 0,
        bitmap=read_text(md / "bitmap/location") or "none",
        policy=read_text(md / "consistency_policy"),
        reshape=read_text(md / "reshape_position") or "none",
    )


def read_md_sync(block: str, sysfs: Path = SYSFS) -> MdSync:
    """How far an array is synchronised."""
    md = sysfs / "class/block" / Path(block).name / "md"
    # Between creation and synchronisation nothing goes on yet, but the place where that will begin is set.
    begins = read_text(md / "resync_start")
    return MdSync(
        action=read_text(md / "sync_action"),
        is_clean=read_text(md / "level") == "raid0" or (begins == "none" and not read_int(md / "degraded")),
        done_permille=_permille(read_text(md / "sync_completed")),
    )


def _permille(text: str) -> int | None:
    """The part of ``done / all``, in sectors."""
    done, _, whole = text.partition("/")
    try:
        return int(done) * 1000 // int(whole)
    except (ValueError, ZeroDivisionError):
        return None


def _members(md: Path) -> Iterator[MdMember]:
    for folder in md.glob("dev-*"):
        slot = read_text(folder / "slot")
        offset = read_int(folder / "offset")
        yield MdMember(
            path=f"/dev/{(folder / 'block').resolve().name}",
            slot=int(slot) if slot.isdecimal() else None,
            state=read_text(folder / "state"),
            offset_bytes=None if offset is None else offset * SECTOR_BYTES,
        )
