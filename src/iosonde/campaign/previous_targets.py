"""The targets of a run that is resumed: where they are, and whether they may be overwritten and removed.

A run directory can come from anybody, so what it says about a file is not enough. Only a file with the run's own name
and mark counts as created by iosonde, and is overwritten and removed without asking. For any other file the user has to
give --overwrite again.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from iosonde.campaign.devices import check_same_device
from iosonde.campaign.in_use import check_not_in_use
from iosonde.campaign.places import Place
from iosonde.campaign.removal import file_of, numbers_of
from iosonde.campaign.target import check_same
from iosonde.errors import TargetError
from iosonde.machine import block_of, file_system_facts, generic_of
from iosonde.records import RunHeader, TargetFacts
from iosonde.safe_files import has_mark, mark_of, own_file_name
from iosonde.units import format_size


@dataclass(frozen=True)
class PreviousTarget:
    """A target of an earlier session. ``name`` is what the run calls a file of its own, ``mark`` what that carries."""

    facts: TargetFacts
    name: str
    mark: str
    writes: bool

    @property
    def path(self) -> Path:
        """Where it was."""
        return Path(self.facts.path)

    @property
    def is_file(self) -> bool:
        """Whether it is a file, which may be written."""
        return self.facts.kind == "file" and self.facts.identity is not None

    @property
    def may_be_ours(self) -> bool:
        """Whether the run says that it made the file, and the file has the name that it then has."""
        return self.is_file and self.facts.created and self.path.name == self.name

    @property
    def is_ours(self) -> bool:
        """Whether the file itself says so too."""
        identity = self.facts.identity
        return self.may_be_ours and identity is not None and has_mark(self.path, file_of(identity), self.mark)


def previous_targets(header: RunHeader, targets: Iterable[TargetFacts]) -> tuple[PreviousTarget, ...]:
    """The targets of a run as they were last opened, with what is known of them without looking."""
    run, plan = header.run, header.plan
    return tuple(
        PreviousTarget(target, own_file_name(run, number), mark_of(run, plan.seed, number), plan.changes)
        for number, target in enumerate(targets)
    )


def place_of_previous(previous: PreviousTarget, *, overwrite: bool) -> Place:
    """Where a target was, if it is still the same. A file that the run had created may be gone: it is created again.

    Raises TargetError if it is a different file, or if ``overwrite`` is needed and was not given.
    """
    target, path = previous.facts, previous.path
    if target.kind == "device":
        return _device_place(target, path)
    if not previous.is_file or target.identity is None:
        return Place(path=None, make=False, span_bytes=target.span_bytes, file_system=None, drive=target.simulation)
    if not _is_there(previous):
        return _made_anew(previous, overwrite=overwrite)
    is_ours = previous.is_ours
    place = Place(
        path=path,
        make=False,
        span_bytes=target.span_bytes,
        file_system=file_system_facts(path),
        expected=target.identity,
        inherited=is_ours,
    )
    # Checked before the engine is started; the engine checks again, on the open file.
    check_same(place, numbers_of(path).model_copy(update={"born_ns": target.identity.born_ns}))
    if previous.writes and not is_ours and not overwrite:
        raise TargetError(
            f"{path} would be written over, and nothing on it says that this run made it",
            "if you give that file up, name the run again with --overwrite; else start a new run",
            final=True,
        )
    return replace(place, is_alone=check_not_in_use(path)) if previous.writes else place


def _is_there(previous: PreviousTarget) -> bool:
    """Whether anything lies at the path of a file. Raises TargetError where it should and does not."""
    try:
        previous.path.stat()
    except OSError as error:
        if previous.facts.created and isinstance(error, FileNotFoundError):
            return False
        raise TargetError(
            f"{previous.path}, which was measured, can't be found: {error.strerror}",
            "put that very file back, or start a new run",
            final=True,
        ) from error
    return True


def _device_place(target: TargetFacts, path: Path) -> Place:
    # The engine checks again, on the open device.
    now = check_same_device(target)
    return Place(
        path=block_of(path) or path,
        make=False,
        span_bytes=target.span_bytes,
        file_system=None,
        expected=now,
        is_device=True,
        generic=None if target.namespace is None else path if block_of(path) else generic_of(path),
        named=path,
    )


def _made_anew(previous: PreviousTarget, *, overwrite: bool) -> Place:
    """The place of a file that the run makes once more; it must lie on the same device as the one before."""
    target, path = previous.facts, previous.path
    assert target.identity is not None
    if not previous.may_be_ours and not overwrite:
        raise TargetError(
            f"{path} is not there, and a file of {format_size(target.span_bytes)} would be made in its place",
            "if that is what you want, name the run again with --overwrite; else start a new run",
            final=True,
        )
    try:
        device = path.parent.stat().st_dev
    except OSError as error:
        raise TargetError(
            f"{path.parent}, where the file was measured, can't be found: {error.strerror}",
            "mount it again, or start a new run",
            final=True,
        ) from error
    was = (target.identity.device_major, target.identity.device_minor)
    if (os.major(device), os.minor(device)) != was:
        raise TargetError(
            f"{path.parent} lies on device {os.major(device)}:{os.minor(device)} now, and on {was[0]}:{was[1]} when it "
            "was measured",
            "mount the same file system there, or start a new run",
            final=True,
        )
    room = file_system_facts(path.parent)
    if target.span_bytes > room.available_bytes:
        raise TargetError(
            f"{format_size(target.span_bytes)} do not fit: {path.parent} has {format_size(room.available_bytes)}",
            "make room; the run goes on with a file of the same size",
        )
    return Place(path=path, make=True, span_bytes=target.span_bytes, file_system=room)


def previous_target_line(previous: PreviousTarget) -> str:
    """A target in words: which file, of which size, and whose."""
    size = format_size(previous.facts.span_bytes)
    if not previous.is_file:
        return f"{previous.facts.path} ({size})"
    if not previous.path.exists():
        return f"{previous.path} ({size}, will be made and removed)"
    ours = "made by this run, will be removed" if previous.is_ours else "not known as made by this run, will stay"
    return f"{previous.path} ({size}, {ours})"
