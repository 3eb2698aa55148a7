"""An array of Linux md is read from sysfs: its members in their order, its layout, and how far it is synchronised."""

from pathlib import Path

import pytest

from iosonde.machine.md_array import MdSync, read_md_array, read_md_sync
from iosonde.records import MdMember

ATTRIBUTES = {
    "level": "raid5",
    "raid_disks": "3",
    "metadata_version": "1.2",
    "uuid": "0d4f7a3c-8a6e-1f0b-9d2c-3b5a6c7d8e9f",
    "chunk_size": "65536",
    "layout": "2",
    "component_size": "61440",
    "degraded": "0",
    "bitmap/location": "+8",
    "consistency_policy": "bitmap",
    "reshape_position": "none",
    "sync_action": "idle",
    "sync_completed": "none",
    "resync_start": "none",
}


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """An array of three members and a spare, which the kernel does not list in their order."""
    md = tmp_path / "class/block/md0/md"
    for name, text in ATTRIBUTES.items():
        (md / name).parent.mkdir(parents=True, exist_ok=True)
        (md / name).write_text(f"{text}\n")
    (md.parent / "size").write_text("245760\n")
    for name, slot, state in (
        ("sdd", "0", "in_sync"),
        ("sdb", "2", "in_sync"),
        ("sdc", "1", "in_sync"),
        ("sde", "none", "spare"),
    ):
        (tmp_path / "devices" / name).mkdir(parents=True)
        member = md / f"dev-{name}"
        member.mkdir()
        (member / "block").symlink_to(tmp_path / "devices" / name)
        for attribute, text in (("slot", slot), ("state", state), ("offset", "2048")):
            (member / attribute).write_text(f"{text}\n")
    return tmp_path


def write(sysfs: Path, **texts: str) -> None:
    for name, text in texts.items():
        (sysfs / "class/block/md0/md" / name).write_text(f"{text}\n")


def test_the_members_stand_in_the_order_of_the_array(sysfs: Path) -> None:
    found = read_md_array("/dev/md0", sysfs)
    assert found is not None
    assert [each.path for each in found.in_place] == ["/dev/sdd", "/dev/sdc", "/dev/sdb"]
    assert MdMember(path="/dev/sde", slot=None, state="spare", offset_bytes=1 << 20) in found.members


def test_its_numbers_have_units_of_bytes(sysfs: Path) -> None:
    found = read_md_array("/dev/md0", sysfs)
    assert found is not None
    assert (found.level, found.disks, found.layout, found.metadata, found.bitmap) == ("raid5", 3, 2, "1.2", "+8")
    assert (found.chunk_bytes, found.component_bytes, found.size_bytes) == (65_536, 60 << 20, 120 << 20)


def test_a_device_of_another_driver_is_no_array(sysfs: Path) -> None:
    (sysfs / "class/block/sda").mkdir()
    assert read_md_array("/dev/sda", sysfs) is None
    assert read_md_array("", sysfs) is None


def test_an_array_that_has_not_begun_to_synchronise_is_not_done(sysfs: Path) -> None:
    assert read_md_sync("/dev/md0", sysfs) == MdSync("idle", is_clean=True, done_permille=None)
    write(sysfs, resync_start="0")
    assert not read_md_sync("/dev/md0", sysfs).is_done


def test_it_tells_how_far_it_is_synchronised(sysfs: Path) -> None:
    write(sysfs, sync_action="resync", sync_completed="30720 / 122880", resync_start="30720")
    found = read_md_sync("/dev/md0", sysfs)
    assert (found.action, found.done_permille, found.is_done) == ("resync", 250, False)


def test_a_degraded_array_is_not_done(sysfs: Path) -> None:
    write(sysfs, degraded="1")
    assert not read_md_sync("/dev/md0", sysfs).is_done


def test_stripes_without_redundancy_have_nothing_to_synchronise(sysfs: Path) -> None:
    write(sysfs, level="raid0", resync_start="0")
    (sysfs / "class/block/md0/md/sync_action").unlink()
    assert read_md_sync("/dev/md0", sysfs).is_done
