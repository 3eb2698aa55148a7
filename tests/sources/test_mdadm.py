"""An array is created again by the words that made it, or refused with a reason."""

import pytest

from iosonde.records import MdArray, MdMember
from iosonde.sources.purge_tools import create_words, why_not
from tests.md_arrays import MEMBERS, RAID5


def changed(**fields: object) -> MdArray:
    return RAID5.model_copy(update=fields)


def test_all_that_makes_it_the_same_array_is_given() -> None:
    assert create_words(RAID5) == (
        *("mdadm", "--create", "/dev/md0", "--run", "--level=5", "--raid-devices=3", "--metadata=1.2"),
        *("--chunk=64K", "--layout=left-symmetric", "--size=61440", "--bitmap=none", "--data-offset=1024K"),
        "--uuid=0d4f7a3c-8a6e-1f0b-9d2c-3b5a6c7d8e9f",
        *("/dev/sdc", "/dev/sdb", "/dev/sdd"),
    )
    assert why_not(RAID5) == ""


@pytest.mark.parametrize(
    ("array", "word"),
    [
        (changed(level="raid10", layout=0x102), "--layout=n2"),
        (changed(level="raid10", layout=0x201), "--layout=f2"),
        (changed(level="raid10", layout=0x10201), "--layout=o2"),
        (changed(level="raid6", layout=4), "--layout=parity-first"),
        (changed(bitmap="+8"), "--bitmap=internal"),
    ],
)
def test_layouts_and_bitmaps_have_the_names_of_mdadm(array: MdArray, word: str) -> None:
    assert word in create_words(array)
    assert why_not(array) == ""


def test_what_a_level_does_not_have_is_left_out() -> None:
    stripes = create_words(changed(level="raid0", layout=-1))
    assert not [word for word in stripes if word.startswith(("--layout", "--size", "--bitmap"))]
    mirror = create_words(changed(level="raid1", chunk_bytes=0, layout=0))
    assert not [word for word in mirror if word.startswith(("--layout", "--chunk"))]


def test_old_metadata_has_no_place_of_data_and_an_unknown_uuid_is_not_given() -> None:
    members = tuple(each.model_copy(update={"offset_bytes": 0}) for each in MEMBERS)
    words = create_words(changed(metadata="0.90", uuid="", members=members))
    assert not [word for word in words if word.startswith(("--data-offset", "--uuid"))]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("host:home", ("--homehost=host", "--name=home")),
        ("home", ("--homehost=any", "--name=home")),
        ("", ()),
    ],
)
def test_the_name_keeps_its_host(name: str, words: tuple[str, ...]) -> None:
    made = create_words(changed(name=name))
    assert tuple(word for word in made if word.startswith(("--homehost", "--name"))) == words
    assert not [word for word in create_words(changed(name=name, metadata="0.90")) if word.startswith("--name")]


def test_zones_of_members_of_several_sizes_keep_their_order() -> None:
    assert "--layout=alternate" in create_words(changed(level="raid0", layout=2))
    assert not [word for word in create_words(changed(level="raid0", layout=-1)) if word.startswith("--layout")]


def test_the_uuid_of_old_metadata_is_given_in_words() -> None:
    assert "--uuid=3c7a4f0d:0b1f6e8a:5a3b2c9d:9f8e7d6c" in create_words(changed(metadata="0.90"))


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (changed(level="linear"), "its level is linear"),
        (changed(metadata="external:imsm"), "its metadata is external:imsm"),
        (changed(degraded=1), "it is degraded"),
        (changed(members=MEMBERS[:2]), "it is degraded"),
        (
            changed(members=(*MEMBERS, MdMember(path="/dev/sde", slot=None, state="spare", offset_bytes=0))),
            "it has spares (/dev/sde)",
        ),
        (changed(reshape="2048"), "it is being reshaped"),
        (changed(bitmap="file"), "its bitmap is in a file"),
        (changed(policy="ppl"), "it has a ppl"),
        (changed(layout=16), "its layout is 16"),
        (changed(level="raid10", layout=0x202), "its layout is 0x202"),
        (changed(disks=1, members=MEMBERS[1:2]), "it has one member only"),
        (changed(path="/dev/md_home"), "its device is called /dev/md_home"),
        (
            changed(members=(*MEMBERS[:2], MEMBERS[2].model_copy(update={"state": "in_sync,write_mostly"}))),
            "special states (in_sync, in_sync,write_mostly)",
        ),
        (
            changed(members=(*MEMBERS[:2], MEMBERS[2].model_copy(update={"offset_bytes": 2 << 20}))),
            "different places of its members",
        ),
    ],
)
def test_what_cannot_be_created_again_is_refused(array: MdArray, reason: str) -> None:
    assert reason in why_not(array)
