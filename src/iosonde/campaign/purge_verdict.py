"""What became of a purge, by what the drive reports and by what was read of the device."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from iosonde.errors import IosondeError, NotPurgedError, NotVerifiedError
from iosonde.printing import quoted
from iosonde.records import Purge, PurgedDevice, PurgeRecord
from iosonde.vocabulary import PurgeMethod, PurgeOutcome

LISTED: Final = 5
"""The most offsets in a reason."""


def verdict(purge: Purge, devices: Sequence[PurgedDevice]) -> tuple[PurgeOutcome, tuple[str, ...]]:
    """The outcome, with the reasons why it is not ``purged``."""
    failed = tuple(_failures(purge, devices))
    if failed:
        return PurgeOutcome.NOT_PURGED, failed
    doubts = tuple(_doubts(purge, devices))
    return (PurgeOutcome.NOT_VERIFIED, doubts) if doubts else (PurgeOutcome.PURGED, ())


def error_of(record: PurgeRecord) -> IosondeError | None:
    """The error of a purge that is not verified; None if it is."""
    device = record.devices[0].path
    listing = f"`iosonde prepare {quoted(device)}`"
    if record.outcome is PurgeOutcome.NOT_PURGED:
        return NotPurgedError(
            f"{device} was not purged: {record.reasons[0]}",
            "run the same command again"
            if record.purge.end == "stopped"
            else f"use another method ({listing} lists them), or another drive",
        )
    if record.outcome is PurgeOutcome.NOT_VERIFIED:
        way_out = f"purge it again, or use another method ({listing} lists them)"
        if record.purge.end == "left_running":
            way_out = f"the drive refuses I/O until it ends; {listing} shows its status; then purge it again"
        return NotVerifiedError(f"the purge of {device} is not verified: {record.reasons[0]}", way_out)
    return None


def _failures(purge: Purge, devices: Sequence[PurgedDevice]) -> Iterator[str]:
    if purge.end == "failed":
        yield f"the drive did not carry it out: {purge.reason}"
    if purge.end == "stopped":
        yield f"it was interrupted: {purge.reason}"
    # A discard is advice to the drive. The other methods have to erase.
    if purge.method is not PurgeMethod.DISCARD:
        yield from _survivors(devices, "although the method has to erase it")


def _doubts(purge: Purge, devices: Sequence[PurgedDevice]) -> Iterator[str]:
    if purge.end == "left_running":
        yield "the command was interrupted, and the sanitize operation goes on in the drive"
    if purge.end == "unknown":
        yield f"it is unknown how it ended: {purge.reason}"
    if purge.changed is not None:
        yield f"the device has changed: {purge.changed}"
    if purge.method is PurgeMethod.DISCARD:
        yield from _survivors(devices, "and a drive is free to ignore a discard, or to return old data after it")
    for device in devices:
        yield from _unread(device)


def _survivors(devices: Iterable[PurgedDevice], remark: str) -> Iterator[str]:
    for device in devices:
        found = device.read_back
        if found is not None and found.survivors:
            yield (
                f"{device.path}: {found.survivors} of {device.sampled.compared} places still hold their data, {remark} "
                f"(offsets {_offsets(found.first_survivors, found.survivors)})"
            )


def _unread(device: PurgedDevice) -> Iterator[str]:
    found = device.read_back
    if found is None:
        yield f"{device.path} was not read back"
        return
    if not device.sampled.compared:
        yield f"{device.path}: no place held data before, and none kept what was written to it"
    if found.unreadable:
        yield (
            f"{device.path}: {found.unreadable} places could not be read: {found.read_error} "
            f"(offsets {_offsets(found.first_unreadable, found.unreadable)})"
        )
    if not found.finished:
        yield f"{device.path}: reading back was interrupted after {found.places} of {device.sampled.places} places"


def _offsets(first: Sequence[int], count: int) -> str:
    shown = ", ".join(str(offset) for offset in first[:LISTED])
    return f"{shown}, …" if count > LISTED else shown
