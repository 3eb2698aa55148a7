"""Opens targets, checks that they are the same as before, and closes them."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from iosonde.campaign.removal import BUSY_S_MAX, LOST_S_MAX, CreatedFiles
from iosonde.campaign.responsiveness import ANSWER_S_MAX
from iosonde.errors import EngineError, TargetError, UsageError
from iosonde.machine import Host
from iosonde.records import Identity, TargetFacts
from iosonde.sources import (
    BlockDevice,
    ExistingFile,
    MadeTarget,
    NewFile,
    NullTarget,
    OpenRequest,
    OpenTarget,
    SimulatedDrive,
    Source,
    StoredTarget,
    Target,
)


def open_target(
    host: Host, source: Source, request: OpenRequest, made: CreatedFiles, *, trims: bool = False
) -> TargetFacts:
    """Opens or creates a target and returns its facts. A file that the run created is added to ``made``.

    A file that is only read must have been written, because reads of unwritten blocks do not reach the drive. A plan
    that ``trims`` leaves holes in what it has written. The write history of a block device is unknown.

    Raises TargetError.
    """
    target = request.target
    device = host.device(str(target.on)) if isinstance(target, StoredTarget) else None
    near = host.cpus_near(None if device is None else device.numa_node)
    opened = _opened(host, source, replace(request, cpus_near=near), made)
    match target:
        case SimulatedDrive(drive=drive):
            facts = _facts(opened, target, _written(request))
            return facts.model_copy(update={"simulation": drive})
        case NullTarget():
            return _facts(opened, target, "unknown")
        case NewFile() | ExistingFile():
            _check_same_file(host, target, opened, request, made)
            _check_written(target, opened, request, trims=trims)
            facts = _facts(opened, target, "filled" if request.write else "data")
            more: dict[str, object] = {"path": host.resolved(str(target.path)), "file_system": target.file_system}
            more |= {"created": opened.created or (isinstance(target, ExistingFile) and target.is_own)}
        case BlockDevice():
            if target.expected is not None and opened.identity is not None:
                check_same(target.path, target.expected, opened.identity)
            facts = _facts(opened, target, "unknown")
            found = host.look(str(target.path))
            # The record keeps the link that the user named: the device node behind it may change.
            more = {"path": host.absolute(str(target.named)), "device_identifier": found.identifier}
            more |= {"uses": host.uses(found.device_number), "granted": opened.granted}
            if request.is_granted and target.permit is not None:
                more |= {"consents": target.permit.consents}
            if request.write:
                more |= {"written": _written(request)}
    return facts.model_copy(update={"device": device, "cpus_near": near, **more})


def _opened(host: Host, source: Source, request: OpenRequest, made: CreatedFiles) -> OpenTarget:
    target = request.target

    def on_made(found: MadeTarget) -> None:
        if isinstance(target, NewFile):
            made.add_new(Path(host.absolute(str(target.path))), found, request.mark)

    try:
        return source.open(request, on_made)
    except EngineError as error:
        if isinstance(target, NewFile) and not source.is_lost:
            _adopt_unreported(host, target.path, request.mark, made, error)
        raise
    except UsageError as error:
        # Only a model causes a UsageError, and the engine does not know which target it belongs to.
        raise UsageError(f"{target.name}: {error.message}", error.hint) from error


def _check_same_file(
    host: Host, target: NewFile | ExistingFile, opened: OpenTarget, request: OpenRequest, made: CreatedFiles
) -> None:
    """Raises TargetError for a different file than in an earlier session. A file of the run's own will be removed."""
    if isinstance(target, NewFile) or target.expected is None or opened.identity is None:
        return
    check_same(target.path, target.expected, opened.identity)
    if target.is_own:
        made.add(Path(host.absolute(str(target.path))), opened.identity, request.mark)


def _check_written(target: NewFile | ExistingFile, opened: OpenTarget, request: OpenRequest, *, trims: bool) -> None:
    """Raises TargetError for a file that will be read and has blocks that were never written."""
    if isinstance(target, ExistingFile) and target.is_written and opened.holes and not trims:
        raise TargetError(
            f"parts of {target.path} that this run wrote are now holes: another program changed the file",
            "start a new run; the remaining trials would measure a different file",
            final=True,
        )
    if not request.write and opened.holes:
        raise TargetError(
            f"parts of {target.path} were never written, and reads of holes do not reach the drive",
            "use --overwrite to write the whole file first, or specify a directory",
        )


def _adopt_unreported(host: Host, path: Path, mark: str, made: CreatedFiles, error: EngineError) -> None:
    """Takes over a file that the engine created and did not report before it died."""
    absolute = Path(host.absolute(str(path)))
    if made.has(absolute):
        return
    try:
        identity = host.marked(str(path), mark)
    except OSError:
        return
    if identity is None:
        error.message += f"; {path} exists, and the engine may have created it"
    else:
        made.add(absolute, identity, mark)


def close_targets(source: Source, made: CreatedFiles, *, is_cut: bool) -> None:
    """Removes the files that this run created, in this session or an earlier one, and closes all targets.

    The files are removed while the engine has them open, so that no other file can have their inode numbers. They are
    also removed if the engine is gone or busy. The wait is short for a target that no longer responds, and after an
    interruption (``is_cut``), because an unresponsive target may be its reason.
    """
    if source.is_lost:
        source.kill()
    if is_cut or source.is_lost:
        made.remove(LOST_S_MAX if source.is_lost else BUSY_S_MAX, None)
        return
    if made.remove(ANSWER_S_MAX, source.pid):
        # An error here is one of the target, and all measurements are done.
        with suppress(EngineError, TargetError):
            source.close()
    else:
        source.kill()


def check_same(path: Path, was: Identity, found: Identity) -> None:
    """Raises TargetError if a file is not the one of an earlier session, and names the difference."""
    if found.born_ns is None:
        # This file system records no birth times. If it recorded one, a file without it is a different file.
        was = was.model_copy(update={"born_ns": None})
    if was != found:
        raise TargetError(
            f"{path} is not the file that was measured: {_difference(was, found)}",
            "restore the measured file, or start a new run",
            final=True,
        )


def _difference(was: Identity, now: Identity) -> str:
    if (was.device_major, was.device_minor) != (now.device_major, now.device_minor):
        before, after = (f"{each.device_major}:{each.device_minor}" for each in (was, now))
        return f"it was on device {before}, and is now on device {after}"
    if was.inode != now.inode:
        return f"its inode number was {was.inode}, and is now {now.inode}"
    if was.size_bytes != now.size_bytes:
        return f"its size was {was.size_bytes} bytes, and is now {now.size_bytes}"
    if was.born_ns is None:
        return "its birth time was not recorded, although this file system stores birth times"
    return "it was created later and reuses the inode number"


def _written(request: OpenRequest) -> Literal["filled", "purged", "unknown"]:
    """What this run does to a drive before it measures it."""
    if request.is_purged:
        return "purged"
    return "filled" if request.write else "unknown"


def _facts(opened: OpenTarget, target: Target, written: Literal["filled", "data", "purged", "unknown"]) -> TargetFacts:
    """The facts that are known of every open target."""
    return TargetFacts(
        kind=target.kind,
        path=target.name,
        created=opened.created,
        direct=opened.direct,
        written=written,
        span_bytes=target.span_bytes,
        identity=opened.identity,
        alignment=opened.alignment,
        file_system=None,
        device=None,
        namespace=opened.namespace,
    )
