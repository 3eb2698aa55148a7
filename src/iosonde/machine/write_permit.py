"""The permit to write to a block device. Code that writes needs it as an argument, so no check can be forgotten."""

from collections.abc import Collection
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from iosonde.errors import TargetError, UsageError
from iosonde.printing import quoted
from iosonde.records import DeviceInspection, Refusal

NAMED_MAX: Final = 3
"""The most identities in a message."""

HINT_DESTROY: Final = (
    "--destroy IDENTITY permits to destroy the contents of a device; `iosonde doctor DEVICE` prints its identity"
)
CONSENTABLE: Final = ("open", "below", "signature")
"""The checks whose findings a user may accept. What the others find would be destroyed while it is in use."""

WAYS_OUT: Final = MappingProxyType(
    {
        "identity": "name the device by what `iosonde doctor` prints now",
        "writable": "use a device that can be written",
        "mounted": "unmount it (umount), or use another device",
        "swap": "stop using it as swap space (swapoff), or use another device",
        "held": "remove what is built on it (dmsetup, vgchange, mdadm --stop), or specify that device instead",
        "exclusive": "stop what uses it, or use another device",
        "open": "stop that process, or consent with --consent open if it only watches the device",
        "exported": "detach the loop device (losetup -d) or remove the export first",
        "below": "stop the other users of what it is built on, or consent with --consent below",
        "paths": "specify the multipath device above its paths",
        "signature": "if the data is not needed, erase it (wipefs --all), or consent with --consent signature",
        "system": "use another device: this machine runs from this one",
        "format": "use a device without zones and protection information, or format it without them",
    }
)
"""What to do about a finding of each check."""


class UnpermittedWriteError(TargetError):
    """A block device without a permit would have been written. Nothing was written."""


@dataclass(frozen=True, init=False)
class WritePermit:
    """The permit to write to one block device. Only ``permit_for`` creates one.

    The engine makes all checks again on its own handle of the device, so a permit alone does not write.
    """

    identity: str
    size_bytes: int
    diskseq: int | None
    backing: str | None
    consents: tuple[str, ...]

    def __init__(self, *_: object, **__: object) -> None:
        """Raises UnpermittedWriteError."""
        raise UnpermittedWriteError("a write permit for a block device cannot be created", HINT_DESTROY, final=True)


def check_permit(device: str, permit: WritePermit | None) -> None:
    """Raises UnpermittedWriteError without a permit."""
    if not isinstance(permit, WritePermit):
        raise UnpermittedWriteError(
            f"{device} is a block device, and writing to it is not permitted", HINT_DESTROY, final=True
        )


def check_consents(consents: Collection[str]) -> None:
    """Raises UsageError for a check that does not exist, or whose findings cannot be accepted."""
    for each in consents:
        if each not in CONSENTABLE:
            known = "does not exist" if each not in WAYS_OUT else "cannot be consented to"
            raise UsageError(f"the check {each!r} {known}", f"checks that can be: {', '.join(CONSENTABLE)}")


def permit_for(
    device: str,
    inspection: DeviceInspection,
    destroy: Collection[str],
    consents: Collection[str],
    *,
    only_setting: str = "",
) -> WritePermit:
    """The permit to write to an inspected device, if the user named it and nothing else speaks against it.

    ``only_setting`` is the setting of the drive that would be changed if its data would not be: the error says so.

    Raises UnpermittedWriteError that names the check, what it found, and the way out.
    """
    check_consents(consents)
    identity = inspection.identity
    if identity is not None and identity.name not in destroy:
        raise _unnamed(device, destroy, only_setting)
    left = [each for each in inspection.refusals if each.check not in consents]
    if left or identity is None:
        raise _refused(device, left)
    permit = object.__new__(WritePermit)
    backing = identity.backing or None
    values = (identity.name, identity.size_bytes, identity.diskseq, backing, tuple(consents))
    for field, value in zip(("identity", "size_bytes", "diskseq", "backing", "consents"), values, strict=True):
        object.__setattr__(permit, field, value)
    return permit


def _unnamed(device: str, destroy: Collection[str], only_setting: str) -> UnpermittedWriteError:
    """The error for a device that --destroy does not name."""
    what = f"{device} would be written"
    hint = f"`iosonde doctor {quoted(device)}` prints the identity that --destroy needs"
    if only_setting:
        what = f"the {only_setting} of {device} would be changed (none of its data)"
        hint = f"{hint}; to keep the {only_setting} as it is, omit --{only_setting.replace(' ', '-')}"
    return UnpermittedWriteError(f"{what}, and {_named(destroy)}", hint, final=True)


def _named(destroy: Collection[str]) -> str:
    """What --destroy names instead of the device."""
    if not destroy:
        return "that needs --destroy"
    shown = ", ".join(list(destroy)[:NAMED_MAX])
    more = f" and {len(destroy) - NAMED_MAX} more" if len(destroy) > NAMED_MAX else ""
    return f"--destroy names {shown}{more}, which is not its identity"


def _refused(device: str, refusals: list[Refusal]) -> UnpermittedWriteError:
    if not refusals:
        return UnpermittedWriteError(f"{device} has no identity", "use another device", final=True)
    evidence = "; ".join(f"{each.evidence} (check {each.check})" for each in refusals)
    ways = dict.fromkeys(WAYS_OUT.get(each.check, "use another device") for each in refusals)
    return UnpermittedWriteError(f"{device} must not be written: {evidence}", "; ".join(ways), final=True)
