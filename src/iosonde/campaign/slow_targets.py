"""Detects targets whose IOPS are too low for a campaign of minutes, before anything is measured."""

from typing import Final

from iosonde.machine import Host
from iosonde.plans.models.kinds import KINDS
from iosonde.records import DeviceFacts
from iosonde.sources import NullTarget, SimulatedDrive, StoredTarget, Target
from iosonde.units import SECOND_NS

SLOW_IOPS: Final = 2000
"""Below this, the first repeats of a campaign of minutes have too few operations for a p99."""

VIRTUAL: Final = ("vd", "xvd")
"""Prefixes of virtual disks. Many report themselves as rotational whatever storage backs them."""

CARDS: Final = ("mmcblk",)


def why_slow(host: Host, targets: tuple[Target, ...]) -> str:
    """Why a target is expected to stay below ``SLOW_IOPS``, as part of a sentence; empty if none is."""
    return next((found for target in targets if (found := _why_slow(host, target))), "")


def _why_slow(host: Host, target: Target) -> str:
    match target:
        case SimulatedDrive(drive=drive):
            return _why_model(dict(drive.table))
        case StoredTarget():
            device = host.device(str(target.on))
            return "" if device is None else why_device(device)
        case NullTarget():
            return ""


def why_device(device: DeviceFacts) -> str:
    """Why a device is slow, by what it reports about itself; empty if it is not."""
    if device.name.startswith(VIRTUAL):
        return ""
    if device.rotational:
        return f"{device.name} is a rotating disk"
    return f"{device.name} is a memory card" if device.name.startswith(CARDS) else ""


def _why_model(table: dict[str, object]) -> str:
    kind = str(table["kind"])
    model = KINDS[kind].table.model_validate(table)
    if kind == "disk":
        return "the model simulates a rotating disk"
    controller = getattr(model, "controller", None)
    if controller is None or not controller.command_ns:
        return ""
    most = controller.cores * SECOND_NS / controller.command_ns
    return f"the model's controller processes at most {most:,.0f} commands per second" if most < SLOW_IOPS else ""
