"""The targets of a plan as text: what they are, where they are, and what will become of them."""

from collections import Counter
from pathlib import Path

from iosonde.campaign import Preflight
from iosonde.machine import Host
from iosonde.printing import quoted
from iosonde.records import Plan
from iosonde.sources import BlockDevice, ExistingFile, NewFile, NullTarget, SimulatedDrive, Target
from iosonde.units import format_size


def target_lines(host: Host, target: Target, plan: Plan) -> list[str]:
    """A target and its device, which shows a mistyped mount point."""
    first = f"target    {target.name} ({format_size(plan.span_bytes)}, {_fate(target, plan)})"
    match target:
        case BlockDevice(path=path):
            return [first, *_device_lines(host, path)]
        case NewFile(path=path):
            return [first, *_file_system_lines(host, target), *orphan_lines(host, path.parent)]
        case ExistingFile(is_alone=is_alone):
            unsure = (
                "unknown   whether another program has the file open (usually only the file's owner or root can check)"
            )
            return [first, *_file_system_lines(host, target), *([] if is_alone else [unsure])]
        case SimulatedDrive() | NullTarget():
            return [first]


def _file_system_lines(host: Host, target: NewFile | ExistingFile) -> list[str]:
    mount, device = target.file_system, host.device(str(target.on))
    below = "" if device is None else f", device {device.name} {device.model}".rstrip()
    return [] if mount is None else [f"on        {mount.kind}, mounted at {mount.mount_point}{below}"]


def orphan_lines(host: Host, folder: Path) -> list[str]:
    """Test files of killed runs in a directory, and how to remove them."""
    return [
        f"leftover  {each.path} ({format_size(each.size_bytes)}) from a killed run: `iosonde resume RUN` "
        f"resumes the run, `iosonde clean {quoted(folder)}` removes the file"
        for each in host.orphans(str(folder))
    ]


def _device_lines(host: Host, path: Path) -> list[str]:
    """The drive of a device, and other users of the device."""
    device, uses = host.device(str(path)), host.uses(host.look(str(path)).device_number)
    name = "" if device is None else f"on        device {device.name} {device.model}".rstrip()
    used = f"in use    {', '.join(str(use) for use in uses)}: other I/O on this device will affect the results"
    return [*([name] if name else []), *([used] if uses else [])]


def tag_lines(ahead: Preflight) -> list[str]:
    """A line for each device that takes fewer requests in one queue than a cell keeps in flight on it."""
    targets = [each for each in ahead.targets if isinstance(each, BlockDevice | NewFile | ExistingFile)]
    paths = [each.path if isinstance(each, BlockDevice) else each.on for each in targets]
    devices = Counter(device for path in paths if (device := ahead.host.device(str(path))) is not None)
    loops = [each.workload for each in ahead.plan.cells if not each.workload.is_open_loop]
    lines = []
    for device, targets_on_it in devices.items():
        tags = device.queue_tags
        in_flight = [each.queue_depth * each.jobs * targets_on_it for each in loops]
        many = 0 if tags is None else sum(each > tags for each in in_flight)
        if many:
            cells = "1 cell has" if many == 1 else f"{many} cells have"
            lines.append(
                f"tags      {device.name} takes {tags} requests in one queue: {cells} up to {max(in_flight):,} "
                "operations in flight, and the others may wait in the kernel"
            )
    return lines


def _fate(target: Target, plan: Plan) -> str:
    match target:
        case SimulatedDrive(drive=drive):
            scale = "" if drive.scale == 1 else f", scaled to 1/{drive.scale}"
            number = len(drive.faults)
            faults = f", {number} scheduled {'fault' if number == 1 else 'faults'}" if number else ""
            state = "simulated, fresh out of box" if drive.is_ssd else "simulated"
            return f"{state}: {drive.title}{scale}{faults}"
        case NullTarget():
            return "no I/O"
        case BlockDevice():
            return "block device, its contents will be destroyed" if plan.changes else "block device, read-only"
        case NewFile():
            return "will be created, and removed at the end"
        case ExistingFile():
            return "exists and will be overwritten" if plan.changes else "exists and will only be read"
