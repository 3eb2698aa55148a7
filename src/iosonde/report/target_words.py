"""Descriptions of targets, one line each: path, test region, access and identity."""

from iosonde.records import RunHeader, TargetFacts
from iosonde.units import format_size


def targets_text(header: RunHeader) -> str:
    """The paths of the targets, or their kinds if they have no path."""
    return ", ".join(target.path or target.kind for target in header.targets)


def span_text(header: RunHeader) -> str:
    """The size of the test region."""
    each = "" if len(header.targets) == 1 else " per target"
    return f"{format_size(header.plan.span_bytes)}{each}"


def access_text(header: RunHeader) -> str:
    """Direct, buffered, simulated or no I/O."""
    if header.is_simulated:
        return "no I/O" if header.target.simulation is None else "simulated I/O"
    return "direct I/O" if header.target.direct else "buffered I/O"


def identity_text(target: TargetFacts) -> str:
    """What identifies the target: model and serial number, device number and inode, or the drive model and its seed."""
    parts: list[str] = []
    if target.device is not None:
        names = (target.device.model, f"serial {target.device.serial}" if target.device.serial else "")
        parts.extend(name for name in names if name)
    if target.identity is not None:
        identity = target.identity
        inode = "" if target.kind == "device" else f", inode {identity.inode}"
        parts.append(f"device {identity.device_major}:{identity.device_minor}{inode}")
    if target.device_identifier:
        parts.append(target.device_identifier)
    if target.kind == "null":
        parts.append("null target (no I/O, no device)")
    if target.simulation is not None:
        drive = target.simulation
        scale = "" if drive.scale == 1 else f", scale 1/{drive.scale:,}"
        parts.append(f"simulated, model {drive.model}{scale}, seed {drive.seed}")
    return ", ".join(parts) or "unknown"
