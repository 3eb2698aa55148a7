"""Opening targets, knowing them again, and giving them up."""

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from iosonde.campaign.answering import ANSWER_S_MAX
from iosonde.campaign.places import Place
from iosonde.campaign.removal import BUSY_S_MAX, LOST_S_MAX, CreatedFiles, numbers_of
from iosonde.errors import EngineError, TargetError, UsageError
from iosonde.machine import cpus_near, device_identifier, uses_of
from iosonde.records import DeviceFacts, Identity, TargetFacts
from iosonde.safe_files import mark_on, path_handle
from iosonde.sources import KeptLedger, MadeTarget, OpenTarget, Source, TargetRequest


@dataclass(frozen=True)
class Opening:
    """How a target is opened: whether it will be filled, past the page cache, trimmed, and with which account.

    ``passes`` says that commands of NVMe will be sent to it, ``mark`` is what a file that the run makes carries.
    """

    fill: bool
    direct: bool
    trims: bool = False
    ledger: KeptLedger | None = None
    passes: bool = False
    mark: str = ""


def open_target(source: Source, place: Place, how: Opening, made: CreatedFiles) -> TargetFacts:
    """Opens or makes the target and says what it is. Raises TargetError. A file of the run's own goes among ``made``.

    A file that is only read must have been written: blocks that never were say nothing of a drive. A plan that
    trims leaves holes in what it has written. Of a block device nobody knows what was written.
    """
    assert not (place.is_device and (how.fill or place.make)), "a device would be written"
    device = place.device()
    near = cpus_near(None if device is None else device.numa_node)
    request = TargetRequest(
        path=place.path,
        write=how.fill,
        create_bytes=place.span_bytes if place.make else None,
        direct=how.direct,
        mark=how.mark,
        null_bytes=place.span_bytes,
        simulation=place.drive,
        cpus_near=near,
        ledger=how.ledger,
        is_device=place.is_device,
        generic=place.generic if how.passes else None,
    )

    def on_made(found: MadeTarget) -> None:
        assert place.path is not None, "what has no path is not made"
        made.add_new(place.path.absolute(), found, how.mark)

    try:
        opened = source.open(request, on_made)
    except EngineError as error:
        if not source.is_lost:
            _take_untold(place, how, made, error)
        raise
    except UsageError as error:
        # Only a model can be refused as such, and the engine does not know whose it is.
        raise UsageError(f"{place.name}: {error.message}", error.hint) from error
    if place.expected is not None and opened.identity is not None:
        check_same(place, opened.identity)
        if place.inherited and place.path is not None:
            made.add(place.path.absolute(), opened.identity, how.mark)
    if place.path is None:
        return _facts(opened, place, device, "filled" if how.fill and place.drive is not None else "unknown")
    if place.written and opened.holes and not how.trims:
        raise TargetError(
            f"parts of {place.path} are unwritten that this run had written: it was cut and made longer again",
            "start a new run: what is left would be measured on another file than what is there",
            final=True,
        )
    if not how.fill and opened.holes:
        raise TargetError(
            f"parts of {place.path} were never written, and reading them says nothing of a drive",
            "--overwrite lets iosonde write the file first; or name a directory",
        )
    written: Literal["filled", "data", "unknown"] = "filled" if how.fill else "data"
    facts = _facts(opened, place, device, "unknown" if place.is_device else written)
    return facts.model_copy(update={"cpus_near": near})


def _take_untold(place: Place, how: Opening, made: CreatedFiles, error: EngineError) -> None:
    """Looks after a file that the engine had made and died before it could say so."""
    path, is_ours = place.path, False
    if not place.make or path is None or made.has(path.absolute()) or not os.path.lexists(path):
        return
    with suppress(OSError), path_handle(path) as seen:
        is_ours = mark_on(seen) == how.mark
    if is_ours:
        made.add(path.absolute(), numbers_of(path), how.mark)
    else:
        error.message += f"; {path} is there, and may be its work"


def give_up(source: Source, made: CreatedFiles, *, is_cut: bool) -> None:
    """Removes the files that this run made, in this session or an earlier one, and closes all targets.

    They are removed while the engine has them open: as long as that is so, no other file can have their numbers. The
    engine may be gone or busy; its handles go with it, and the files are removed all the same. Where a target does not
    answer any more, nobody waits for it: neither where it may be the reason why the run was cut (``is_cut``).
    """
    if source.is_lost:
        source.kill()
    if is_cut or source.is_lost:
        made.remove(dict, LOST_S_MAX if source.is_lost else BUSY_S_MAX)
        return
    if made.remove(source.handles, ANSWER_S_MAX):
        # What it may fail at is the target's, and everything has been measured.
        with suppress(EngineError, TargetError):
            source.close()
    else:
        source.kill()


def check_same(place: Place, found: Identity) -> None:
    """Raises TargetError when a file is not the one that an earlier session had, and says in what they differ."""
    was = place.expected
    assert was is not None
    if found.born_ns is None:
        # Nobody says when a file was made, here; elsewhere one of which that is not known is another file.
        was = was.model_copy(update={"born_ns": None})
    if was != found:
        raise TargetError(
            f"{place.path} is not the file that was measured: {_difference(was, found)}",
            "put that very file back, or start a new run",
            final=True,
        )


def _difference(was: Identity, now: Identity) -> str:
    if (was.device_major, was.device_minor) != (now.device_major, now.device_minor):
        return (
            f"it lay on device {was.device_major}:{was.device_minor}, this one on {now.device_major}:{now.device_minor}"
        )
    if was.inode != now.inode:
        return f"that was inode {was.inode}, this is {now.inode}"
    if was.size_bytes != now.size_bytes:
        return f"that had {was.size_bytes} bytes, this has {now.size_bytes}"
    if was.born_ns is None:
        return "nobody knows when that was made, and the file system keeps it"
    return "it was made later, under the same number"


def _facts(
    opened: OpenTarget, place: Place, device: DeviceFacts | None, written: Literal["filled", "data", "unknown"]
) -> TargetFacts:
    path = place.path
    number = path.stat().st_rdev if path is not None and place.is_device else None
    return TargetFacts(
        kind=place.kind,
        path=_path_kept(place),
        created=opened.created or place.inherited,
        direct=opened.direct,
        written=written,
        span_bytes=place.span_bytes,
        identity=opened.identity,
        alignment=opened.alignment,
        file_system=place.file_system,
        device=device,
        simulation=place.drive,
        device_identifier="" if number is None else device_identifier(number),
        uses=() if number is None else uses_of(number),
        namespace=opened.namespace,
    )


def _path_kept(place: Place) -> str:
    """Where the target is found again. A link to a device says which one is meant; what it leads to may change."""
    if place.path is None:
        return place.name
    return str((place.named or place.path).absolute() if place.is_device else place.path.resolve())
