"""An array of Linux md, and one that was created again after the purge of its members."""

from typing import Annotated

from pydantic import Field

from iosonde.records.base import Record

Count = Annotated[int, Field(ge=0, lt=1 << 64)]


class MdMember(Record):
    """A member of an array. ``slot`` is its place, None for a spare; its data begins at ``offset_bytes``, if known."""

    path: str
    slot: Count | None
    state: str
    offset_bytes: Count | None


class MdArray(Record):
    """How an array is made of its members.

    ``layout`` is the kernel's number, and ``component_bytes`` what each member gives to the array. ``uuid`` is empty if
    the kernel does not tell it. ``bitmap`` is ``none``, ``file`` or a place in the superblock, and ``policy`` says how
    the array becomes consistent after a crash. ``reshape`` is ``none`` unless it is being reshaped. ``name`` is the
    array's name in the superblock (``HOST:NAME`` or ``NAME``), empty if it was not read.
    """

    path: str
    level: str
    disks: Count
    members: tuple[MdMember, ...]
    metadata: str
    uuid: str
    chunk_bytes: Count
    layout: int
    component_bytes: Count
    size_bytes: Count
    degraded: Count
    bitmap: str
    policy: str
    reshape: str
    name: str = ""

    @property
    def in_place(self) -> tuple[MdMember, ...]:
        """The members that have a place in the array, in its order."""
        return tuple(sorted((each for each in self.members if each.slot is not None), key=lambda each: each.slot or 0))


class RebuiltArray(Record):
    """An array that was stopped, so that its members could be purged, and created again by ``command``.

    ``path`` is the target that the user specified. ``synchronised_ns`` is the duration of the initial resync, during
    which the kernel writes to the members.
    """

    path: str
    array: MdArray
    command: tuple[str, ...]
    synchronised_ns: Count
