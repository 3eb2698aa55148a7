"""The terminal shows what the purge of an array destroys, and the command that creates it again."""

from io import StringIO

from rich.console import Console, RenderableType

from iosonde.records import (
    DeviceIdentity,
    DeviceInspection,
    PurgePlan,
    PurgeSurvey,
    ReachedDevice,
)
from iosonde.records.purge import DiscardLimits
from iosonde.report.terminal.array import render_array_plan, render_members
from iosonde.vocabulary import PurgeMethod
from tests.md_arrays import MEMBERS as ARRAY_MEMBERS
from tests.md_arrays import RAID5

ARRAY = RAID5.model_copy(update={"level": "raid1", "disks": 2, "members": ARRAY_MEMBERS[:2], "size_bytes": 1 << 30})
SURVEY = PurgeSurvey(
    size_bytes=1 << 30,
    is_partition=False,
    discard=DiscardLimits(max_bytes=1 << 20, granularity_bytes=4096),
    nvme=None,
    nvme_error=None,
)


def reached(path: str, name: str) -> ReachedDevice:
    identity = DeviceIdentity(name=name, kind="serial", size_bytes=1 << 30)
    return ReachedDevice(path=path, inspection=DeviceInspection(name=path, identity=identity, refusals=()))


MEMBERS = (reached("/dev/sda", "S1"), reached("/dev/sdb", "S2"))


def shown(what: RenderableType) -> str:
    console = Console(width=120, file=StringIO(), record=True)
    console.print(what)
    return console.export_text()


def test_the_plan_names_each_member_with_its_identity_and_the_way_back() -> None:
    plans = [
        PurgePlan(method=PurgeMethod.SCSI_SANITIZE_CRYPTO, survey=SURVEY, devices=(each,), places=256)
        for each in MEMBERS
    ]
    command = ("mdadm", "--create", "/dev/md0")
    text = shown(render_array_plan(reached("/dev/md0", ARRAY.uuid), ARRAY, plans, command))
    assert "/dev/md0, raid1 of 2 members, 1 GiB" in text
    assert [line.split()[-1] for line in text.splitlines() if line.startswith("destroys")] == ["S1", "S2"]
    assert "mdadm --create /dev/md0" in text


def test_members_without_a_common_method_are_listed_all_the_same() -> None:
    text = shown(render_members(ARRAY, [(each, SURVEY) for each in MEMBERS], ""))
    assert "/dev/sdb" in text
    assert "no method that all members support" in text


def test_an_array_that_cannot_be_created_again_says_why() -> None:
    text = shown(render_members(ARRAY, [(each, SURVEY) for each in MEMBERS], "it has spares (/dev/sdc)"))
    assert "the array could not be created again: it has spares (/dev/sdc)" in text
