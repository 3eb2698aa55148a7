"""What is checked before the members of an array are purged: that the user named them, and that nothing uses them."""

from collections.abc import Sequence
from typing import Final

from iosonde.campaign.preparing import PurgeRequest, preparation
from iosonde.errors import TargetError
from iosonde.machine import Host, UnpermittedWriteError, permit_for
from iosonde.printing import quoted
from iosonde.records import PurgePlan, ReachedDevice

IN_USE: Final = frozenset({"held", "exclusive", "signature", "open", "below"})
"""What the guard finds on a member because its array is active. Each is looked at again once the array is stopped."""
OF_ARRAY: Final = ("linux_raid_member", "md superblock")
"""How the guard names the superblock of a member."""


def check_named(request: PurgeRequest, array: ReachedDevice, members: Sequence[ReachedDevice]) -> None:
    """Raises UnpermittedWriteError if --destroy lacks the array or a member, or if one of them is in use."""
    permit_for(request.target, array.inspection, request.destroy, request.consents)
    named = {each.path: each.inspection.identity for each in members}
    left = [
        f"{path} ({identity.name if identity else 'without an identity'})"
        for path, identity in named.items()
        if identity is None or identity.name not in request.destroy
    ]
    if left:
        raise UnpermittedWriteError(
            f"the purge of {request.target} destroys its members, and --destroy does not name {', '.join(left)}",
            f"add --destroy IDENTITY for each of them (`iosonde prepare {quoted(request.target)}` lists them)",
            final=True,
        )
    for each in members:
        others = tuple(refusal for refusal in each.inspection.refusals if refusal.check not in IN_USE)
        free = each.inspection.model_copy(update={"refusals": others})
        permit_for(each.path, free, request.destroy, request.consents)


def check_free(host: Host, request: PurgeRequest, array: ReachedDevice, members: Sequence[PurgePlan]) -> None:
    """Raises TargetError if a member, whose array is stopped now, is another drive or must not be written."""
    with preparation(host) as prepared:
        for each in members:
            device, _ = prepared.survey(each.devices[0].path)
            same_drive(each.devices[0], device)
            permit_for(device.path, device.inspection, request.destroy, consents_for(request, array, device))


def same_drive(planned: ReachedDevice, found: ReachedDevice, *, after_purge: bool = False) -> None:
    """Raises TargetError if another drive has the name of a member. A purge may have changed the number of the disk."""
    was, now = planned.inspection.identity, found.inspection.identity
    is_same = was is not None and now is not None and (was.name, was.size_bytes) == (now.name, now.size_bytes)
    if not is_same or (not after_purge and was is not None and now is not None and was.diskseq != now.diskseq):
        raise TargetError(
            f"{planned.path} is no longer the drive that was a member of the array",
            "run again with the names as they are",
        )


def consents_for(request: PurgeRequest, array: ReachedDevice, member: ReachedDevice) -> tuple[str, ...]:
    """What is consented to for a member: its superblock is that of an array which the user named.

    A signature that the user consented to on the array may be seen on a member as well, where the data of the array
    begins at the start of the member. The consent covers no other signature.
    """
    others = tuple(each for each in request.consents if each != "signature")
    on_array = {each.evidence for each in array.inspection.refusals if each.check == "signature"}
    known = on_array if "signature" in request.consents else set()
    found = [each.evidence for each in member.inspection.refusals if each.check == "signature"]
    if found and all(each in known or any(name in each for name in OF_ARRAY) for each in found):
        return (*others, "signature")
    return others
