"""Targets that complete too few operations a second for a campaign of minutes: told before anything is measured."""

from typing import Final

from iosonde.campaign.places import Place
from iosonde.plans.models.kinds import KINDS
from iosonde.records import DeviceFacts
from iosonde.units import SECOND_NS

SLOW_IOPS: Final = 2000
"""Below so many, the first repeats of a campaign of minutes have too few operations for a p99."""

VIRTUAL: Final = ("vd", "xvd")
"""Names of disks that a hypervisor shows: many call themselves rotational, whatever is behind them."""

CARDS: Final = ("mmcblk",)


def why_slow(places: tuple[Place, ...]) -> str:
    """Why a target is expected to stay below ``SLOW_IOPS``, as the end of a sentence; empty where none is."""
    return next((found for place in places if (found := _why_slow(place))), "")


def _why_slow(place: Place) -> str:
    if place.drive is not None:
        return _why_model(dict(place.drive.table))
    device = place.device()
    return "" if device is None else why_device(device)


def why_device(device: DeviceFacts) -> str:
    """What a device says of itself that makes it slow."""
    if device.name.startswith(VIRTUAL):
        return ""
    if device.rotational:
        return f"{device.name} is a rotating disk"
    return f"{device.name} is a memory card" if device.name.startswith(CARDS) else ""


def _why_model(table: dict[str, object]) -> str:
    kind = str(table["kind"])
    model = KINDS[kind].table.model_validate(table)
    if kind == "disk":
        return "the model is that of a rotating disk"
    controller = getattr(model, "controller", None)
    if controller is None or not controller.command_ns:
        return ""
    most = controller.cores * SECOND_NS / controller.command_ns
    return f"the model's controller does {most:,.0f} commands a second" if most < SLOW_IOPS else ""
