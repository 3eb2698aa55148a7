"""Shows the members of an array: how each can be purged, and what the purge of all of them destroys."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.records import MdArray, PurgePlan, PurgeSurvey, ReachedDevice
from iosonde.report.terminal.purge import METHODS, named, offered_methods, render_plan, rows_of
from iosonde.units import format_size
from iosonde.vocabulary import PurgeMethod

AGAIN: Final = "with the same level, layout, chunk, UUID and place of data, by mdadm; then it is synchronised"


def render_members(
    array: MdArray, members: Sequence[tuple[ReachedDevice, PurgeSurvey]], why_not: str
) -> RenderableType:
    """The members of an array with their identities, and the methods that all of them support."""
    rows = [(device.path, f"{format_size(survey.size_bytes)}, {named(device)}") for device, survey in members]
    common = [
        method
        for method in PurgeMethod
        if method is not PurgeMethod.DISCARD and all(method in offered_methods(survey) for _, survey in members)
    ]
    methods = [(str(method), f"{METHODS[method]}; of each member, and the array is created again") for method in common]
    if why_not:
        methods = [("none", f"the array could not be created again: {why_not}")]
    return Group(
        Text(f"Members of the array ({array.level})", style="bold underline"),
        rows_of(rows),
        Text(),
        Text("Methods for its members", style="bold underline"),
        rows_of(methods or [("none", "no method that all members support")]),
    )


def render_array_plan(
    device: ReachedDevice, array: MdArray, members: Sequence[PurgePlan], command: Sequence[str]
) -> RenderableType:
    """What the purge of an array would do. ``command`` creates it again, if this is interrupted."""
    head = [
        ("array", f"{device.path}, {array.level} of {array.disks} members, {format_size(array.size_bytes)}"),
        ("identity", named(device)),
        ("stopped", "while its members are purged"),
        ("created again", AGAIN),
        ("if interrupted", " ".join(command)),
    ]
    together = members[0].model_copy(update={"devices": tuple(each.devices[0] for each in members)})
    return Group(rows_of(head), Text(), render_plan(together))
