"""The targets of a run that is resumed: where they are, and whether they may be overwritten and removed.

A run directory is untrusted input: what it says about a file is not enough. A file is treated as created by iosonde
only if it has the run's own name and mark. Such a file is overwritten and removed without --overwrite. Any other file
needs --overwrite again.
"""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from iosonde.campaign.devices import check_same_device
from iosonde.campaign.in_use import check_not_in_use
from iosonde.campaign.removal import file_of
from iosonde.campaign.target import check_same
from iosonde.errors import RecordError, TargetError
from iosonde.machine import Host, leads_nowhere
from iosonde.records import Identity, RunHeader, TargetFacts
from iosonde.safe_files import mark_of, own_file_name
from iosonde.sources import BlockDevice, ExistingFile, NewFile, NullTarget, SimulatedDrive, Target
from iosonde.units import format_size


def recorded_targets(header: RunHeader, targets: Iterable[TargetFacts]) -> tuple[Target, ...]:
    """The targets of a run as recorded when last opened. Does not access them. Raises RecordError."""
    return tuple(_recorded(header, facts, number) for number, facts in enumerate(targets))


def _recorded(header: RunHeader, facts: TargetFacts, number: int) -> Target:
    path, span_bytes = Path(facts.path), facts.span_bytes
    match facts:
        case TargetFacts(kind="file", identity=Identity() as identity):
            has_own_name = facts.created and path.name == own_file_name(header.run, number)
            return ExistingFile(
                path=path,
                span_bytes=span_bytes,
                file_system=facts.file_system,
                expected=identity,
                was_created=facts.created,
                mark=mark_of(header.run, header.plan.seed, number) if has_own_name else "",
            )
        case TargetFacts(kind="device", identity=Identity() as identity):
            return BlockDevice(
                path=path,
                span_bytes=span_bytes,
                named=path,
                expected=identity,
                identifier=facts.device_identifier,
                granted=facts.granted,
            )
        case TargetFacts(kind="simulation", simulation=drive) if drive is not None:
            return SimulatedDrive(span_bytes=span_bytes, drive=drive)
        case TargetFacts(kind="null"):
            return NullTarget(span_bytes=span_bytes)
    raise RecordError(
        f"run.json does not record the identity of the {facts.kind} {facts.path}",
        "start a new run; this run cannot be resumed",
    )


def is_own(host: Host, target: ExistingFile) -> bool:
    """Whether the mark on the file confirms that the run created it."""
    if not target.mark or target.expected is None:
        return False
    return host.is_created(str(target.path), file_of(target.expected), target.mark)


def exists(host: Host, path: Path) -> bool:
    """Whether a path exists. Raises OSError if this cannot be determined."""
    try:
        host.look(str(path))
    except OSError as error:
        if leads_nowhere(error):
            return False
        raise
    return True


def resolve_recorded(host: Host, target: Target, *, writes: bool, overwrite: bool) -> Target:
    """A recorded target as it is now, if it is still the same. If a file of the run is gone, the target is a new file.

    ``writes`` says that the run writes to it. Raises TargetError if it is a different file, or if ``overwrite`` is
    needed and was not given.
    """
    match target:
        case BlockDevice(expected=Identity() as was):
            return _device(host, target, was)
        case ExistingFile(expected=Identity() as was):
            return _file(host, target, was, writes=writes, overwrite=overwrite)
        case _:
            return target


def _file(host: Host, target: ExistingFile, was: Identity, *, writes: bool, overwrite: bool) -> ExistingFile | NewFile:
    path = target.path
    if not _is_there(host, target):
        return _new_file(host, target, was, overwrite=overwrite)
    now = replace(target, file_system=host.file_system(str(path)), is_own=is_own(host, target))
    # Checked before the engine is started; the engine checks again, on the open file.
    check_same(path, was, host.identity(str(path)).model_copy(update={"born_ns": was.born_ns}))
    if writes and not now.is_own and not overwrite:
        raise TargetError(
            f"{path} would be overwritten, but is not marked as created by this run",
            "if its contents are not needed, resume with --overwrite; otherwise start a new run",
            final=True,
        )
    return replace(now, is_alone=check_not_in_use(host, path)) if writes else now


def _is_there(host: Host, target: ExistingFile) -> bool:
    """Whether the file's path exists. Raises TargetError if it does not exist and the run did not create it."""
    try:
        host.look(str(target.path))
    except OSError as error:
        if target.was_created and isinstance(error, FileNotFoundError):
            return False
        raise TargetError(
            f"the measured file {target.path} cannot be found: {error.strerror}",
            "restore the measured file, or start a new run",
            final=True,
        ) from error
    return True


def _device(host: Host, target: BlockDevice, was: Identity) -> BlockDevice:
    # The engine checks again, on the open device.
    now, found = check_same_device(host, target, was)
    generic = Path(found.generic) if found.generic else None
    return replace(target, path=Path(found.block), expected=now, generic=generic)


def _new_file(host: Host, target: ExistingFile, was: Identity, *, overwrite: bool) -> NewFile:
    """The file that the run creates again. It must be on the same device as the one before."""
    path = target.path
    if not target.mark and not overwrite:
        raise TargetError(
            f"{path} no longer exists, and resuming would create a new file of {format_size(target.span_bytes)}",
            "to create it, resume with --overwrite; otherwise start a new run",
            final=True,
        )
    try:
        device = host.look(str(path.parent)).device_number
    except OSError as error:
        raise TargetError(
            f"the directory {path.parent} of the measured file cannot be found: {error.strerror}",
            "mount its file system again, or start a new run",
            final=True,
        ) from error
    if (os.major(device), os.minor(device)) != (was.device_major, was.device_minor):
        raise TargetError(
            f"{path.parent} was on device {was.device_major}:{was.device_minor} when the file was measured, "
            f"and is now on device {os.major(device)}:{os.minor(device)}",
            "mount the original file system there, or start a new run",
            final=True,
        )
    room = host.file_system(str(path.parent))
    if target.span_bytes > room.available_bytes:
        raise TargetError(
            f"not enough space for {format_size(target.span_bytes)}: {path.parent} has "
            f"{format_size(room.available_bytes)} free",
            "free some space; the file is created again with the same size",
        )
    return NewFile(path=path, span_bytes=target.span_bytes, file_system=room)


def recorded_target_line(host: Host, target: Target) -> str:
    """Describes a target: its path, its size, and whether the run created it."""
    size = format_size(target.span_bytes)
    if not isinstance(target, ExistingFile):
        return f"{target.name} ({size})"
    if not exists(host, target.path):
        again = "will be created, and removed at the end" if target.was_created else "missing"
        return f"{target.path} ({size}, {again})"
    ours = (
        "created by this run, will be removed"
        if is_own(host, target)
        else "not marked as created by this run, will not be removed"
    )
    return f"{target.path} ({size}, {ours})"
