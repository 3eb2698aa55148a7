"""What the engine's guard found on a block device: its identity, and what speaks against writing to it."""

from typing import Annotated, Literal

from pydantic import Field

from iosonde.records.base import Record

IdentityKind = Literal["serial", "wwid", "dm-uuid", "md-uuid", "backing-file", "partition", "number"]


class DeviceIdentity(Record):
    """The identity of a block device, which a user names in order to write to it.

    ``name`` is its serial number, else its world-wide name, the UUID of device mapper or md, the backing file of a loop
    device, or its number and size: the first that no other disk of the host has. A partition has its UUID, start and
    size. ``diskseq`` is the number of the disk since boot; None before Linux 5.15. ``backing`` is the file of a loop
    device and its place in it (``254:0/131@0+0``), empty for any other device.
    """

    name: str
    kind: IdentityKind
    size_bytes: Annotated[int, Field(ge=0, lt=1 << 64)]
    diskseq: Annotated[int, Field(ge=0, lt=1 << 64)] | None = None
    backing: str = ""


class Refusal(Record):
    """Something that a check of the guard found, or why the check could not be made."""

    check: str
    evidence: str


class DeviceInspection(Record):
    """A block device as the guard sees it. ``name`` is the kernel's; ``identity`` is None if it is unknown."""

    name: str
    identity: DeviceIdentity | None
    refusals: tuple[Refusal, ...]
