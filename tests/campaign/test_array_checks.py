"""Members of an array are purged only if the user named each, nothing else uses them, and they are the same drives."""

import pytest

from iosonde.campaign.array_checks import check_named, consents_for, same_drive
from iosonde.campaign.preparing import PurgeRequest
from iosonde.errors import TargetError
from iosonde.records import DeviceIdentity, DeviceInspection, ReachedDevice, Refusal
from iosonde.vocabulary import PurgeMethod

SUPERBLOCK = Refusal(check="signature", evidence="a signature of linux_raid_member")
EXT4 = Refusal(check="signature", evidence="a signature of ext4")
LVM = Refusal(check="signature", evidence="a signature of LVM2_member")
HELD = Refusal(check="held", evidence="sda is part of md0")


def device(path: str, name: str, *refusals: Refusal, diskseq: int = 1, size_bytes: int = 1 << 30) -> ReachedDevice:
    identity = DeviceIdentity(name=name, kind="serial", size_bytes=size_bytes, diskseq=diskseq)
    return ReachedDevice(path=path, inspection=DeviceInspection(name=path, identity=identity, refusals=refusals))


ARRAY = device("/dev/md0", "UUID")
MEMBERS = (device("/dev/sda", "S1", HELD, SUPERBLOCK), device("/dev/sdb", "S2", HELD, SUPERBLOCK))


def request(*destroy: str, consents: tuple[str, ...] = ()) -> PurgeRequest:
    return PurgeRequest("/dev/md0", PurgeMethod.FORMAT, destroy, consents)


def test_the_array_and_every_member_must_be_named() -> None:
    check_named(request("UUID", "S1", "S2"), ARRAY, MEMBERS)
    for named in (("S1", "S2"), ("UUID", "S1"), ("UUID",), ()):
        with pytest.raises(TargetError):
            check_named(request(*named), ARRAY, MEMBERS)


def test_what_is_not_due_to_the_array_speaks_against_a_member() -> None:
    for check in ("mounted", "swap", "exported", "system", "format", "paths", "writable", "identity"):
        odd = device("/dev/sdb", "S2", HELD, Refusal(check=check, evidence="something else"))
        with pytest.raises(TargetError, match="something else"):
            check_named(request("UUID", "S1", "S2"), ARRAY, (MEMBERS[0], odd))


@pytest.mark.parametrize(
    ("given", "on_array", "on_member", "expected"),
    [
        ((), (), (SUPERBLOCK,), ("signature",)),
        ((), (), (SUPERBLOCK, LVM), ()),
        # Consent to what is on the array is none to what else is on a member.
        (("signature",), (EXT4,), (SUPERBLOCK, LVM), ()),
        (("signature",), (EXT4,), (SUPERBLOCK, EXT4), ("signature",)),
        ((), (EXT4,), (SUPERBLOCK, EXT4), ()),
        (("open", "signature"), (EXT4,), (SUPERBLOCK,), ("open", "signature")),
        (("open",), (), (), ("open",)),
    ],
)
def test_naming_an_array_consents_to_its_superblocks_only(
    given: tuple[str, ...], on_array: tuple[Refusal, ...], on_member: tuple[Refusal, ...], expected: tuple[str, ...]
) -> None:
    array, member = device("/dev/md0", "UUID", *on_array), device("/dev/sda", "S1", *on_member)
    assert consents_for(request(consents=given), array, member) == expected


def test_another_drive_of_the_same_name_is_refused() -> None:
    planned = MEMBERS[0]
    same_drive(planned, device("/dev/sda", "S1"))
    same_drive(planned, device("/dev/sda", "S1", diskseq=2), after_purge=True)
    for other in (
        device("/dev/sda", "S9"),
        device("/dev/sda", "S1", size_bytes=1 << 31),
        device("/dev/sda", "S1", diskseq=2),
    ):
        with pytest.raises(TargetError, match="no longer the drive"):
            same_drive(planned, other)
    with pytest.raises(TargetError):
        same_drive(planned, device("/dev/sda", "S9"), after_purge=True)
