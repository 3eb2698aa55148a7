"""An array of md for tests: three members, of which the kernel does not list the first one first."""

from iosonde.records import MdArray, MdMember

MEMBERS = tuple(
    MdMember(path=f"/dev/sd{letter}", slot=slot, state="in_sync", offset_bytes=1 << 20)
    for letter, slot in (("b", 1), ("c", 0), ("d", 2))
)
RAID5 = MdArray(
    path="/dev/md0",
    level="raid5",
    disks=3,
    members=MEMBERS,
    metadata="1.2",
    uuid="0d4f7a3c-8a6e-1f0b-9d2c-3b5a6c7d8e9f",
    chunk_bytes=65_536,
    layout=2,
    component_bytes=60 << 20,
    size_bytes=120 << 20,
    degraded=0,
    bitmap="none",
    policy="resync",
    reshape="none",
)
