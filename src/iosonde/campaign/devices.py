"""Block devices as targets. They are read, and written only with a permit."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from iosonde.campaign.write_caches import check_cache
from iosonde.errors import TargetError, UsageError
from iosonde.machine import Host, PathFacts, WritePermit, permit_for
from iosonde.records import Identity, Plan
from iosonde.sources import BlockDevice, EngineSource, Target, find_engine, survey_cache
from iosonde.store import stopped_array
from iosonde.units import exact_size, format_size
from iosonde.vocabulary import EngineChoice


def check_device(path: Path, facts: PathFacts, *, writer: str, way_to_read: str, overwrite: bool) -> None:
    """Raises TargetError for a device that would be written, or cannot be read.

    ``writer`` names the option that requests writes, empty if none does. ``way_to_read`` names the one for reads only.
    """
    if overwrite:
        raise TargetError(
            f"--overwrite applies to files, and {path} is a block device",
            f"omit it; --destroy IDENTITY permits to destroy the contents of a device (`iosonde doctor {path}`)",
        )
    if writer:
        raise TargetError(
            f"{writer} would destroy the contents of {path}",
            f"use {way_to_read} to only read it; if its contents are not needed, add --destroy IDENTITY with the "
            f"identity that `iosonde doctor {path}` prints",
        )
    if not facts.may_read:
        raise TargetError(
            f"no permission to read {path}", "run as root, or as a member of the device's group (often disk)"
        )


def device_span_bytes(facts: PathFacts, size_bytes: int | None, least_bytes: int, step_bytes: int) -> int:
    """The test region of a device, in bytes and in whole steps: all of it, or its first ``size_bytes``.

    Raises TargetError.
    """
    path, size = facts.block, facts.size_bytes
    if size is None:
        raise TargetError(f"the size of {path} is unknown: sysfs has no entry for it", "mount /sys, then run again")
    if not size:
        raise TargetError(f"{path} has no media, or is not set up", "insert media, or set up the device first")
    span = (size if size_bytes is None else size_bytes) // step_bytes * step_bytes
    if span > size:
        raise TargetError(
            f"--size {exact_size(span)} exceeds the size of {path} ({exact_size(size)})",
            "omit --size to use the whole device",
        )
    if span < least_bytes:
        raise TargetError(
            f"{path} is too small to measure: {exact_size(size)}",
            f"use a device of at least {format_size(least_bytes)}",
        )
    return span


def check_commands(target: Target, *, asked: bool) -> None:
    """Raises UsageError for passthrough on a target without NVMe commands, and for a target that needs passthrough."""
    block, generic = (target.path, target.generic) if isinstance(target, BlockDevice) else (None, None)
    if asked and generic is None:
        raise UsageError(
            f"--engine passthrough requires a whole NVMe namespace, and {target.name} is not one",
            "specify a namespace, such as /dev/nvme0n1, or use --engine io_uring",
        )
    if not asked and generic is not None and target.name == str(generic):
        raise UsageError(
            f"{target.name} accepts only NVMe commands", f"add --engine passthrough, or use the block device {block}"
        )


def check_engine(plan: Plan, targets: Iterable[Target], engine: EngineChoice) -> None:
    """Raises UsageError for an engine that may not write to a device, or cannot trim one."""
    device = next((each for each in targets if isinstance(each, BlockDevice)), None)
    if device is None or not plan.changes:
        return
    if engine is EngineChoice.FIO:
        raise UsageError(
            f"--engine fio cannot write to {device.name}: the engine's guard does not hold fio's own handles",
            "use --engine io_uring or psync to write to a device, or --read 100 with fio",
        )
    if engine is not EngineChoice.PSYNC and any(cell.workload.trim_percent for cell in plan.cells):
        raise UsageError(f"trims of {device.name} are discards, which require psync", "add --engine psync")


def permitted(
    prefix: Sequence[str], plan: Plan, targets: Sequence[Target], destroy: Collection[str], consents: Collection[str]
) -> tuple[Target, ...]:
    """The targets, with a permit for each block device.

    Raises TargetError for one that must not be written, or whose write cache cannot be set as the plan asks for.
    """
    devices = [each for each in targets if isinstance(each, BlockDevice)]
    if not devices:
        return tuple(targets)
    source = EngineSource([*prefix, find_engine()])
    only_setting = "" if plan.changes else "write cache"
    permits = {}
    try:
        for each in devices:
            inspection = source.inspect(each.path)
            if plan.sets_write_cache:
                check_cache(each.name, inspection, survey_cache(source, each.path))
            permits[each.path] = permit_for(each.name, inspection, destroy, consents, only_setting=only_setting)
    finally:
        source.end()
    for each in devices:
        _check_as_granted(each, permits[each.path])
    return tuple(
        replace(each, permit=permits[each.path]) if isinstance(each, BlockDevice) else each for each in targets
    )


def without_cache_reason(prefix: Sequence[str], targets: Sequence[Target]) -> str:
    """Why the write cache of one of these devices cannot be set, such as a drive without one; empty if all can."""
    devices = [each for each in targets if isinstance(each, BlockDevice)]
    source = EngineSource([*prefix, find_engine()])
    try:
        for each in devices:
            try:
                check_cache(each.name, source.inspect(each.path), survey_cache(source, each.path))
            except TargetError as error:
                return error.message
    finally:
        source.end()
    return ""


def _check_as_granted(device: BlockDevice, permit: WritePermit) -> None:
    """Raises TargetError if a resumed run wrote to a device of another identity, or over another file."""
    was = device.granted
    if was is None:
        return
    if (was.name, was.size_bytes) != (permit.identity, permit.size_bytes):
        raise _other(device.named, f"its identity was {was.name}, and is now {permit.identity}")
    if was.backing and was.backing != permit.backing:
        raise _other(device.named, "it is set up over another file, or another part of it")


def check_permits(plan: Plan, targets: Iterable[Target]) -> None:
    """Raises UnpermittedWriteError if a plan would write to a device without a permit."""
    for target in targets:
        if plan.needs_grant and isinstance(target, BlockDevice):
            target.check_permit()


def check_same_device(host: Host, target: BlockDevice, was: Identity) -> tuple[Identity, PathFacts]:
    """The device's present identity and facts, if it is the same device. Raises TargetError.

    A device with an identifier may have another device number now: the kernel assigns numbers at each boot.
    """
    path = target.named
    try:
        found = host.look(str(path))
    except OSError as error:
        way_back = stopped_array(str(path))
        if way_back:
            raise TargetError(f"{path} cannot be found: a purge has left this array stopped", way_back) from error
        raise _other(path, f"it cannot be found: {error.strerror}") from error
    if found.kind != "device":
        raise _other(path, "it is no longer a block device")
    now = Identity(
        device_major=os.major(found.device_number),
        device_minor=os.minor(found.device_number),
        inode=0,
        size_bytes=found.size_bytes or 0,
    )
    if found.identifier != target.identifier:
        known = found.identifier or "none"
        raise _other(path, f"its identifier was {target.identifier or 'none'}, and is now {known}")
    if now.size_bytes != was.size_bytes:
        raise _other(path, f"its size was {was.size_bytes} bytes, and is now {now.size_bytes}")
    numbers = [(each.device_major, each.device_minor) for each in (was, now)]
    if not found.identifier and numbers[0] != numbers[1]:
        description = [f"{major}:{minor}" for major, minor in numbers]
        raise _other(path, f"its device number was {description[0]}, and is now {description[1]}")
    return now, found


def _other(path: Path, difference: str) -> TargetError:
    return TargetError(
        f"{path} is not the device that was measured: {difference}",
        "reconnect the measured device at the same path, or start a new run",
        final=True,
    )
