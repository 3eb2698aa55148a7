"""From the word that the user gave to an open target."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from iosonde.errors import EngineError, TargetError, UsageError
from iosonde.machine import device_facts, file_system_facts
from iosonde.records import FileSystemFacts, Identity, TargetFacts
from iosonde.sources import EngineSource, OpenTarget, TargetRequest
from iosonde.units import format_size

NULL_WORD: Final = "null:"
MIB: Final = 1 << 20
GIB: Final = 1 << 30
# Large enough that random blocks are rarely met twice in one cell, small enough to be written in a few seconds.
DEFAULT_SPAN_BYTES: Final = 8 * GIB
QUICK_SPAN_BYTES: Final = 1 * GIB
# A file system that is filled to the brim behaves unlike the one that the user has.
SHARE_OF_ROOM: Final = 4
SPAN_BYTES_MIN: Final = 16 * MIB


@dataclass(frozen=True)
class TargetWish:
    """What the user said: the target's word, and the flags about it."""

    word: str
    size_bytes: int | None
    overwrite: bool
    buffered: bool
    writes: bool
    quick: bool


@dataclass(frozen=True)
class Place:
    """Where the target is or will be. ``path`` is None for the null target; ``make`` says that it will be made.

    ``expected`` is the file that an earlier session of the same run had, and ``inherited`` says that it had made it.
    """

    path: Path | None
    make: bool
    span_bytes: int
    file_system: FileSystemFacts | None
    expected: Identity | None = None
    inherited: bool = False


def default_span_bytes(available_bytes: int, *, quick: bool) -> int:
    """The size of a file when the user names none: 8 GiB (quick: 1 GiB), but at most a quarter of the free space."""
    wanted = QUICK_SPAN_BYTES if quick else DEFAULT_SPAN_BYTES
    return max(min(wanted, available_bytes // SHARE_OF_ROOM // MIB * MIB), SPAN_BYTES_MIN)


def survey(wish: TargetWish, run: str) -> Place:
    """Finds out what the target is, and refuses what can't be measured, before anything is touched."""
    if wish.size_bytes is not None and wish.size_bytes < SPAN_BYTES_MIN:
        raise UsageError(
            f"--size {format_size(wish.size_bytes)} is too small", f"use {format_size(SPAN_BYTES_MIN)} or more"
        )
    if wish.word == NULL_WORD:
        return Place(path=None, make=False, span_bytes=wish.size_bytes or GIB, file_system=None)
    if not wish.word.strip():
        raise UsageError("the target's name is empty", "is a variable unset? `.` names the current directory")
    path = Path(wish.word)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return _new_file(wish, path)
    except OSError as error:
        raise TargetError(f"{path}: {error.strerror}", "name a file or directory that you may use") from error
    if stat.S_ISDIR(mode):
        return _new_file(wish, path / f"iosonde-{run}.data")
    if not stat.S_ISREG(mode):
        what = "a block device" if stat.S_ISBLK(mode) else "neither a regular file nor a directory"
        raise TargetError(
            f"{path} is {what}", "name a file or a directory; block devices can't be measured yet, mount one instead"
        )
    return _existing_file(wish, path)


def _new_file(wish: TargetWish, path: Path) -> Place:
    parent = path.parent
    if not parent.is_dir():
        raise TargetError(f"{parent} is not a directory", "name a file in a directory that exists")
    if os.statvfs(parent).f_flag & os.ST_RDONLY:
        raise TargetError(f"{parent} is on a read-only file system", "name a place that is mounted for writing")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise TargetError(f"{parent} can't be written", "name a directory of your own, or a file that exists")
    room = file_system_facts(parent)
    if wish.size_bytes is None and room.available_bytes < SPAN_BYTES_MIN * SHARE_OF_ROOM:
        raise TargetError(
            f"{parent} has only {format_size(room.available_bytes)} of room", "make room, or name another place"
        )
    span = (wish.size_bytes or default_span_bytes(room.available_bytes, quick=wish.quick)) // MIB * MIB
    if span > room.available_bytes:
        raise TargetError(
            f"{format_size(span)} do not fit: {parent} has {format_size(room.available_bytes)} of room",
            "ask for a smaller file with --size, or name another place",
        )
    return Place(path=path, make=True, span_bytes=span, file_system=room)


def _existing_file(wish: TargetWish, path: Path) -> Place:
    if wish.writes and not wish.overwrite:
        raise TargetError(
            f"{path} exists, and writing would destroy what is in it",
            "name a directory or a new file, or give this file up with --overwrite",
        )
    size = path.stat().st_size
    span = (wish.size_bytes or size) // MIB * MIB
    if span > size:
        raise TargetError(
            f"--size {format_size(span)} is beyond the end of {path} ({format_size(size)})",
            "leave --size away, or name a new file",
        )
    if span < SPAN_BYTES_MIN:
        raise TargetError(
            f"{path} has {format_size(size)}, too little to measure",
            f"use a file of {format_size(SPAN_BYTES_MIN)} or more",
        )
    return Place(path=path, make=False, span_bytes=span, file_system=file_system_facts(path))


def open_target(source: EngineSource, place: Place, *, fill: bool, direct: bool) -> TargetFacts:
    """Opens or makes the target and says what it is. Raises TargetError.

    A file that is only read must have been written: blocks that never were say nothing of a drive.
    """
    request = TargetRequest(
        path=place.path,
        write=fill,
        create_bytes=place.span_bytes if place.make else None,
        direct=direct,
        null_bytes=place.span_bytes,
    )
    try:
        opened = source.open(request)
    except KeyboardInterrupt:
        _break_off(source, place)
        raise
    if place.expected is not None and opened.identity is not None:
        check_same(place, opened.identity)
    if place.path is None:
        return _facts(opened, place, "unknown")
    if not fill and opened.holes:
        raise TargetError(
            f"parts of {place.path} were never written, and reading them says nothing of a drive",
            "--overwrite lets iosonde write the file first; or name a directory",
        )
    return _facts(opened, place, "filled" if fill else "data")


def give_up(source: EngineSource, facts: TargetFacts) -> None:
    """Removes the target if this run made it, in this session or an earlier one, and closes it.

    It is removed while the engine has it open: as long as that is so, no other file can have its number. The engine may
    be gone or busy; its handle goes with it, and the file is removed all the same.
    """
    if facts.created and facts.identity is not None:
        _remove_same(Path(facts.path), facts.identity)
    with suppress(EngineError):
        source.close(remove=False)


def check_same(place: Place, found: Identity) -> None:
    """Raises TargetError when a file is not the one that an earlier session had, and says in what they differ."""
    was = place.expected
    assert was is not None
    if was.born_ns is None or found.born_ns is None:
        was, found = (each.model_copy(update={"born_ns": None}) for each in (was, found))
    if was != found:
        raise TargetError(
            f"{place.path} is not the file that was measured: {_difference(was, found)}",
            "put that very file back, or start a new run",
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
    return "it was made later, under the same number"


def _break_off(source: EngineSource, place: Place) -> None:
    """Ends an engine that is about to make the target, and removes what it has made of it so far.

    Only what the engine holds open at that path is its own: it makes a file or fails, and never takes one over.
    """
    own = place.make and place.path is not None and source.holds(place.path)
    source.kill()
    if own and place.path is not None:
        place.path.unlink(missing_ok=True)


def _remove_same(path: Path, identity: Identity) -> None:
    """Unlinks a file if the path still leads to the one that was made."""
    try:
        found = path.lstat()
    except OSError:
        return
    made = (identity.device_major, identity.device_minor, identity.inode)
    if (os.major(found.st_dev), os.minor(found.st_dev), found.st_ino) == made:
        path.unlink(missing_ok=True)


def _facts(opened: OpenTarget, place: Place, written: Literal["filled", "data", "unknown"]) -> TargetFacts:
    path = place.path
    return TargetFacts(
        kind="null" if path is None else "file",
        path=NULL_WORD if path is None else str(path.resolve()),
        created=opened.created or place.inherited,
        direct=opened.direct,
        written=written,
        span_bytes=place.span_bytes,
        identity=opened.identity,
        alignment=opened.alignment,
        file_system=place.file_system,
        device=None if path is None else device_facts(path),
    )
