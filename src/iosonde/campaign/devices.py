"""Block devices as targets: they are read as they are, and never written."""

import os
from collections.abc import Iterable
from pathlib import Path

from iosonde.errors import TargetError, UsageError
from iosonde.machine import Host, PathFacts
from iosonde.records import Identity, Plan
from iosonde.sources import BlockDevice, Target
from iosonde.units import exact_size, format_size


def check_device(path: Path, facts: PathFacts, *, writer: str, way_to_read: str, overwrite: bool) -> None:
    """Raises TargetError for a device that would be written, or can't be read.

    ``writer`` is what asks for writes, empty where nothing does; ``way_to_read`` is what asks for reads only.
    """
    if overwrite:
        raise TargetError(
            f"--overwrite would write {path}, and block devices are only read",
            "leave --overwrite away; to measure writes, mount the device and name a directory on it",
        )
    if writer:
        raise TargetError(
            f"{path} is a block device, which is only read, and {writer} would write it",
            f"{way_to_read} only reads; to measure writes, mount the device and name a directory on it",
        )
    if not facts.may_read:
        raise TargetError(f"{path} may not be read", "run as root, or as a member of the group that may (often disk)")


def device_span_bytes(facts: PathFacts, size_bytes: int | None, least_bytes: int, step_bytes: int) -> int:
    """How much of a device is read, in whole steps: all of it, or ``size_bytes`` from its start. Raises TargetError."""
    path, size = facts.block, facts.size_bytes
    if size is None:
        raise TargetError(f"the size of {path} is unknown: sysfs has no such device", "mount /sys, then run again")
    if not size:
        raise TargetError(f"{path} has no medium, or nothing behind it", "put one in, or set the device up first")
    span = (size if size_bytes is None else size_bytes) // step_bytes * step_bytes
    if span > size:
        raise TargetError(
            f"--size {exact_size(span)} is beyond the end of {path} ({exact_size(size)})",
            "leave --size away: then all of it is read",
        )
    if span < least_bytes:
        raise TargetError(
            f"{path} has {exact_size(size)}, too little to measure", f"use one of {format_size(least_bytes)} or more"
        )
    return span


def check_commands(target: Target, *, asked: bool) -> None:
    """Raises UsageError where commands of NVMe should go to what takes none, or only they would reach what is named."""
    block, generic = (target.path, target.generic) if isinstance(target, BlockDevice) else (None, None)
    if asked and generic is None:
        raise UsageError(
            f"--engine passthrough sends commands to a whole namespace of NVMe, and {target.name} is none",
            "name one, such as /dev/nvme0n1, or use --engine io_uring",
        )
    if not asked and generic is not None and target.name == str(generic):
        raise UsageError(
            f"{target.name} takes commands of NVMe only", f"add --engine passthrough, or name the block device, {block}"
        )


def check_permits(plan: Plan, targets: Iterable[Target]) -> None:
    """Raises UnpermittedWriteError where a plan would write to a device for which there is no permit."""
    for target in targets:
        if plan.changes and isinstance(target, BlockDevice):
            target.check_permit()


def check_same_device(host: Host, target: BlockDevice, was: Identity) -> tuple[Identity, PathFacts]:
    """The identity that the device has now, if it is the one that it was, and more of it. Raises TargetError.

    What has a name of its own may have another number by now: numbers are given out anew at each start of the machine.
    """
    path = target.named
    try:
        found = host.look(str(path))
    except OSError as error:
        raise _other(path, f"it can't be found: {error.strerror}") from error
    if found.kind != "device":
        raise _other(path, "it is no block device any more")
    now = Identity(
        device_major=os.major(found.device_number),
        device_minor=os.minor(found.device_number),
        inode=0,
        size_bytes=found.size_bytes or 0,
    )
    if found.identifier != target.identifier:
        known = found.identifier or "without one"
        raise _other(path, f"that was {target.identifier or 'without a name'}, this is {known}")
    if now.size_bytes != was.size_bytes:
        raise _other(path, f"that had {was.size_bytes} bytes, this has {now.size_bytes}")
    numbers = [(each.device_major, each.device_minor) for each in (was, now)]
    if not found.identifier and numbers[0] != numbers[1]:
        told = [f"{major}:{minor}" for major, minor in numbers]
        raise _other(path, f"it was device {told[0]}, and is {told[1]} now")
    return now, found


def _other(path: Path, difference: str) -> TargetError:
    return TargetError(
        f"{path} is not the device that was measured: {difference}",
        "have that very device at that place again, or start a new run",
        final=True,
    )
