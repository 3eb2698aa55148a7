"""The write ledger of a run, and the pass that reads the run's targets back later."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from iosonde import __version__
from iosonde.campaign.command_line import command_line
from iosonde.campaign.recorded_targets import exists
from iosonde.campaign.responsiveness import check_answers
from iosonde.errors import RecordError, TargetError, UsageError
from iosonde.machine import Host
from iosonde.plans import is_verified, verified_step_bytes
from iosonde.plans.build import SEED_BITS
from iosonde.records import LaterPass, Plan, RunHeader
from iosonde.sources import (
    BlockDevice,
    ExistingFile,
    KeptLedger,
    LeftLedger,
    OpenRequest,
    StoredTarget,
    Target,
    start_source,
)
from iosonde.store import ACCOUNT_NAME, RunDirectory, is_archive, load_run, make_directory
from iosonde.vocabulary import EngineChoice

FILE_NAME: Final = "target-{number}"


def check_verifiable(plan: Plan, target: Target) -> None:
    """Raises UsageError for a target that does not keep its data."""
    if is_verified(plan) and not isinstance(target, StoredTarget):
        raise UsageError(
            f"{target.name} does not store data, so verify cannot read it back",
            "specify a file, a directory or a block device, or omit verify",
        )


def kept_ledger(plan: Plan, run: str, number: int, directory: Path | None) -> KeptLedger | None:
    """The ledger of target ``number``, from 0: in a run directory or in memory; None if the plan does not verify.

    Each target of each run has a unique number, even with the same seed. Blocks of another run or another target are
    therefore never accepted as those of this one.
    """
    if not is_verified(plan):
        return None
    if directory is not None:
        make_directory(directory / ACCOUNT_NAME)
    digest = hashlib.blake2b(f"{run}/{plan.seed}/{number}".encode(), digest_size=8).digest()
    return KeptLedger(
        path=None if directory is None else _file_of(directory, number),
        run=int.from_bytes(digest, "big") >> (64 - SEED_BITS),
        step_bytes=verified_step_bytes(plan),
        size_bytes=plan.span_bytes,
    )


def _file_of(directory: Path, number: int) -> Path:
    # The engine checks that no part of the path in the run directory is a link.
    return directory.resolve() / ACCOUNT_NAME / FILE_NAME.format(number=number + 1)


def verify_later(
    directory: Path, host: Host, words: tuple[str, ...], on_progress: Callable[[int, int], None], now: datetime
) -> LaterPass:
    """Reads a run's targets back, at their recorded paths or at ``words``, and adds the result to the run.

    ``on_progress`` is called with the number of the target, from 0, and the bytes read of it. The targets are only
    read. Raises RecordError for a run without verify, and TargetError.
    """
    if is_archive(directory):
        raise RecordError(
            f"{directory} is an archive, which does not contain the write ledger", "specify the run directory"
        )
    header = load_run(directory, intervals=False).header
    if not is_verified(header.plan):
        raise RecordError(
            f"{directory} was measured without verify, so its targets contain no verification data",
            "standard procedures are never verified; use `iosonde probe --verify` or a campaign with verify = true"
            if header.plan.procedures
            else "set verify = true in the campaign file, then run the campaign again",
        )
    paths = _paths_of(host, header, words)
    with RunDirectory(directory).reopen_journal() as journal:
        source = start_source(EngineChoice.AUTO, host.command_prefix())
        try:
            for number, path in enumerate(paths):
                ledger = LeftLedger(_file_of(directory, number))
                target = _now_at(host, path, header.plan.span_bytes)
                source.open(OpenRequest(target, write=False, direct=header.target.direct, ledger=ledger))
            found = source.verify(on_progress)
        except KeyboardInterrupt:
            source.kill()
            raise
        finally:
            source.end()
        later = LaterPass(
            verified_at=now.astimezone(UTC).isoformat(timespec="seconds"),
            iosonde_version=__version__,
            command=command_line(),
            targets=found,
        )
        journal.later_pass(later)
    return later


def _now_at(host: Host, path: Path, span_bytes: int) -> Target:
    """What is at the path now, to be read: a block device, or a file."""
    found = host.look(str(path))
    if found.kind == "device":
        return BlockDevice(path=Path(found.block), named=path, span_bytes=span_bytes)
    return ExistingFile(path=path, span_bytes=span_bytes)


def _paths_of(host: Host, header: RunHeader, words: tuple[str, ...]) -> tuple[Path, ...]:
    if words and len(words) != len(header.targets):
        number = f"{len(header.targets)} target{'' if len(header.targets) == 1 else 's'}"
        raise UsageError(
            f"the run has {number}, but {len(words)} {'was' if len(words) == 1 else 'were'} specified",
            "specify all targets in the order of the run, or none to use the recorded paths",
        )
    paths = tuple(Path(word) for word in words) or tuple(Path(target.path) for target in header.targets)
    check_answers(host, paths)
    for path, target in zip(paths, header.targets, strict=True):
        if not exists(host, path):
            made = target.created and not words
            raise TargetError(
                f"{path} does not exist{': the run created it and removed it at the end' if made else ''}",
                "to verify later, measure an existing file with --overwrite"
                if made
                else "specify the new path of the file: iosonde verify RUN TARGET",
            )
    return paths
