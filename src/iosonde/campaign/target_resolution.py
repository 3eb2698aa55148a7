"""Resolves the names of targets that the user gave. Changes nothing."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from iosonde.campaign.devices import check_device, device_span_bytes
from iosonde.campaign.in_use import check_not_in_use
from iosonde.campaign.recorded_targets import exists
from iosonde.campaign.responsiveness import check_answers
from iosonde.campaign.simulated import is_simulated, simulated_drive
from iosonde.errors import TargetError, UsageError
from iosonde.machine import Host, PathFacts, leads_nowhere
from iosonde.plans.preconditioning import LARGE_FILL_BLOCK_BYTES, LARGE_SPAN_BYTES
from iosonde.printing import encodable, quoted
from iosonde.safe_files import own_file_name
from iosonde.sources import (
    NULL_WORD,
    BlockDevice,
    ExistingFile,
    NewFile,
    NullTarget,
    SimulatedDrive,
    StoredTarget,
    Target,
)
from iosonde.store import HEADER_NAME, JOURNAL_NAME
from iosonde.units import exact_size, format_size
from iosonde.workload_keys.bounds import TARGETS_MAX

DEVICES: Final = Path("/dev")
SHARED_MEMORY: Final = DEVICES / "shm"
"""A file system in memory that users know to be one. Nothing else in /dev is a place for files."""

MIB: Final = 1 << 20
GIB: Final = 1 << 30
# Large enough that random I/O rarely hits a block twice in one cell, small enough to be written in a few seconds.
DEFAULT_SPAN_BYTES: Final = 8 * GIB
QUICK_SPAN_BYTES: Final = 1 * GIB
# A nearly full file system performs differently from the user's.
SHARE_OF_ROOM: Final = 4
SPAN_BYTES_MIN: Final = 16 * MIB


@dataclass(frozen=True)
class TargetRequest:
    """The requested targets (``words``, as typed) and the flags about them. ``seed`` is the run's.

    ``writer`` describes what requests writes. ``way_to_read`` is the option for reads only. ``names_file`` says that
    the words are names of files, with or without a suffix. ``destroy`` has the identities of block devices whose
    contents may be destroyed, and ``consents`` the checks whose findings the user accepts. A run that
    is ``only_planned`` needs neither.
    """

    words: tuple[str, ...]
    size_bytes: int | None
    overwrite: bool
    buffered: bool
    writes: bool
    quick: bool
    seed: int = 0
    writer: str = "the requested workload"
    way_to_read: str = "--read 100"
    names_file: bool = False
    destroy: tuple[str, ...] = ()
    consents: tuple[str, ...] = ()
    only_planned: bool = False


def default_span_bytes(available_bytes: int, *, quick: bool) -> int:
    """The size of a file when the user names none: 8 GiB (quick: 1 GiB), but at most a quarter of the free space."""
    wanted = QUICK_SPAN_BYTES if quick else DEFAULT_SPAN_BYTES
    return max(min(wanted, available_bytes // SHARE_OF_ROOM // MIB * MIB), SPAN_BYTES_MIN)


def resolve_targets(host: Host, request: TargetRequest, run: str) -> tuple[Target, ...]:
    """Determines what the targets are, and refuses targets that cannot be measured, before any of them is opened.

    The test region has the same size on all targets: that of the smallest one.
    """
    if request.size_bytes is not None and request.size_bytes < SPAN_BYTES_MIN:
        raise UsageError(
            f"--size {exact_size(request.size_bytes)} is too small", f"use at least {format_size(SPAN_BYTES_MIN)}"
        )
    _check_words(host, request)
    check_answers(host, (Path(word) for word in request.words if _is_path(word)))
    names = [own_file_name(run, number) for number in range(len(request.words))]
    targets = [
        _simulated(request, word, number) if is_simulated(word) else _resolve_one(host, request, word, name)
        for number, (word, name) in enumerate(zip(request.words, names, strict=True))
    ]
    _check_together(host, request, targets)
    span = min(target.span_bytes for target in targets)
    return tuple(replace(target, span_bytes=span) for target in targets)


def _is_path(word: str) -> bool:
    return bool(word.strip()) and word != NULL_WORD and not is_simulated(word)


def _check_words(host: Host, request: TargetRequest) -> None:
    for word in request.words:
        check_text(host, word)
    if len(request.words) > TARGETS_MAX:
        raise UsageError(
            f"too many targets: {len(request.words)} (at most {TARGETS_MAX})", "measure fewer targets at a time"
        )
    if len(request.words) > 1 and NULL_WORD in request.words:
        raise UsageError(
            "null: cannot be combined with other targets",
            "measure the null target (`null:`) separately, or specify only files and directories",
        )
    simulated = [word for word in request.words if is_simulated(word)]
    others = [word for word in request.words if not is_simulated(word)]
    if simulated and others:
        raise UsageError(
            f"{simulated[0]} and {others[0]} cannot be measured together: simulated drives run in virtual time",
            "specify only simulated drives, or only files and directories",
        )
    if simulated and request.buffered:
        raise UsageError(f"--buffered uses the page cache, which {simulated[0]} does not have", "omit --buffered")


def _check_together(host: Host, request: TargetRequest, targets: list[Target]) -> None:
    """Raises UsageError or TargetError for targets that cannot be combined."""
    stored = [target for target in targets if isinstance(target, StoredTarget)]
    seen: set[str | int] = set()
    for target in stored:
        # Several device nodes can belong to one device.
        resolved = host.resolved(str(target.path))
        key = host.look(str(target.path)).device_number if isinstance(target, BlockDevice) else resolved
        if key in seen:
            raise UsageError(f"{resolved} is specified twice", "specify each target only once")
        seen.add(key)
    made = [target for target in stored if isinstance(target, NewFile)]
    kept = [target for target in stored if not isinstance(target, NewFile)]
    device = next((target for target in stored if isinstance(target, BlockDevice)), None)
    if made and device is not None and not (request.destroy or request.only_planned):
        raise TargetError(
            f"preconditioning the new file {made[0].path} would also write to the block device {device.path}",
            "specify only devices and existing files, or only new files and directories, or add --destroy IDENTITY",
        )
    if made and kept and not request.overwrite:
        # New files are preconditioned before they are read, and preconditioning writes all targets.
        raise TargetError(
            f"preconditioning the new file {made[0].path} would also overwrite {kept[0].path}",
            "specify only existing files, or only new files and directories, or add --overwrite",
        )
    _check_room(made)


def _check_room(made: list[NewFile]) -> None:
    """Raises TargetError for files that fit individually, but not together."""
    rooms = {target.file_system.mount_point: target.file_system for target in made if target.file_system is not None}
    for mount, file_system in rooms.items():
        here = [target for target in made if target.file_system and target.file_system.mount_point == mount]
        wanted, room = sum(target.span_bytes for target in here), file_system.available_bytes
        if wanted > room:
            raise TargetError(
                f"not enough space for {len(here)} files of {format_size(here[0].span_bytes)}: {mount} has "
                f"{format_size(room)} free",
                "use a smaller --size, or specify other directories",
            )


def _resolve_one(host: Host, request: TargetRequest, word: str, name: str) -> Target:
    if word == NULL_WORD:
        return NullTarget(span_bytes=request.size_bytes or GIB)
    if not word.strip():
        raise UsageError("the target name is empty", "check for an unset variable; use `.` for the current directory")
    path = Path(word)
    try:
        facts = host.look(word)
    except FileNotFoundError:
        return _new_file(host, request, path, is_named=True)
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror}", "specify a file or directory that you can access") from error
    match facts.kind:
        case "directory":
            _check_no_run(host, path)
            return _new_file(host, request, path / name, is_named=False)
        case "device":
            return _device(request, path, facts)
        case "file":
            return _existing_file(host, request, path, facts)
        case "other":
            raise TargetError(
                f"{path} is not a file, directory or block device",
                "specify a file, a directory or a block device",
            )


def _check_no_run(host: Host, path: Path) -> None:
    """Raises TargetError for the directory of an earlier run, which the user probably wants to see or resume."""
    is_run = False
    # A directory without search permission gets a better message later.
    with suppress(OSError):
        is_run = all(exists(host, path / name) for name in (HEADER_NAME, JOURNAL_NAME))
    if is_run:
        raise TargetError(
            f"{path} is a run directory, not a target",
            f"`iosonde show {quoted(path)}` prints its results, and `iosonde resume {quoted(path)}` continues an "
            "interrupted run",
        )


def _device(request: TargetRequest, path: Path, facts: PathFacts) -> BlockDevice:
    permitted = request.destroy or request.only_planned
    writer = request.writer if request.writes and not permitted else ""
    overwrite = request.overwrite and not permitted
    check_device(path, facts, writer=writer, way_to_read=request.way_to_read, overwrite=overwrite)
    span = device_span_bytes(facts, request.size_bytes, SPAN_BYTES_MIN, MIB)
    generic = Path(facts.generic) if facts.generic else None
    return BlockDevice(path=Path(facts.block), span_bytes=span, generic=generic, named=path)


def _simulated(request: TargetRequest, word: str, number: int) -> SimulatedDrive:
    drive, size = simulated_drive(word, request.seed, number)
    wanted = request.size_bytes or size
    step = LARGE_FILL_BLOCK_BYTES if wanted >= LARGE_SPAN_BYTES else MIB
    span = wanted // step * step
    if span > size:
        raise UsageError(
            f"--size {exact_size(span)} exceeds the size of {word} ({exact_size(size)})",
            "omit --size, or use a larger model",
        )
    return SimulatedDrive(span_bytes=span, drive=drive)


def _new_file(host: Host, request: TargetRequest, path: Path, *, is_named: bool) -> NewFile:
    """A new file in a directory. ``is_named`` says that the user named the file, not the directory."""
    parent = path.parent
    directory = _directory(host, parent)
    if is_named and path.is_relative_to(DEVICES) and not path.is_relative_to(SHARED_MEMORY):
        hint = "list the block devices with lsblk; a file in /dev would be in memory, not on a drive"
        raise TargetError(f"{path} does not exist", hint)
    if directory is not None and is_named and not path.suffix and not request.names_file:
        # This is more likely a mistyped directory name, or the value of a forgotten flag.
        raise TargetError(
            f"{path} does not exist",
            f"specify an existing directory, or add a suffix to create a new file, such as {path.name}.data",
        )
    if directory is None:
        raise TargetError(f"{parent} is not a directory", "specify a file in an existing directory")
    if directory.is_read_only:
        raise TargetError(
            f"{parent} is on a read-only file system", "specify a directory on a file system that is mounted read-write"
        )
    if not directory.may_create:
        raise TargetError(
            f"no permission to write to {parent}", "specify a directory that you can write to, or an existing file"
        )
    room = host.file_system(str(parent))
    if request.size_bytes is None and room.available_bytes < SPAN_BYTES_MIN * SHARE_OF_ROOM:
        raise TargetError(
            f"{parent} has only {format_size(room.available_bytes)} free",
            f"free some space, specify another directory, or choose the size with --size (at least "
            f"{format_size(SPAN_BYTES_MIN)})",
        )
    span = (request.size_bytes or default_span_bytes(room.available_bytes, quick=request.quick)) // MIB * MIB
    if span > room.available_bytes:
        raise TargetError(
            f"not enough space for {format_size(span)}: {parent} has {format_size(room.available_bytes)} free",
            "use a smaller --size, or specify another directory",
        )
    return NewFile(path=path, span_bytes=span, file_system=room)


def _directory(host: Host, path: Path) -> PathFacts | None:
    try:
        facts = host.look(str(path))
    except OSError as error:
        if leads_nowhere(error):
            return None
        raise
    return facts if facts.kind == "directory" else None


def check_text(host: Host, word: str) -> None:
    """Raises UsageError for a path that is not UTF-8, which neither the record nor the protocol supports."""
    try:
        word.encode()
        host.absolute(word).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the path {encodable(word)} is not valid UTF-8", "rename it, or use a symbolic link with a UTF-8 path"
        ) from error


def _existing_file(host: Host, request: TargetRequest, path: Path, facts: PathFacts) -> ExistingFile:
    if request.writes and not request.overwrite:
        raise TargetError(
            f"{path} exists, and writing would destroy its contents",
            "specify a directory or a new file, or use --overwrite to overwrite this file",
        )
    size = facts.size_bytes or 0
    span = (request.size_bytes or size) // MIB * MIB
    if span > size:
        raise TargetError(
            f"--size {exact_size(span)} exceeds the size of {path} ({exact_size(size)})",
            "omit --size, or specify a new file",
        )
    if span < SPAN_BYTES_MIN:
        raise TargetError(
            f"{path} is too small to measure: {exact_size(size)}",
            f"use a file of at least {format_size(SPAN_BYTES_MIN)}",
        )
    alone = check_not_in_use(host, path) if request.writes else True
    return ExistingFile(path=path, span_bytes=span, file_system=host.file_system(str(path)), is_alone=alone)
