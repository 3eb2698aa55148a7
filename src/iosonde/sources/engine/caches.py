"""Asks the engine about the write caches of devices, and to set and restore them."""

from collections.abc import Sequence
from pathlib import Path

from iosonde.records import CacheFacts, DeviceIdentity, RestoredCache, WriteCache
from iosonde.records.base import Record
from iosonde.sources.engine.event_schemas import checked
from iosonde.sources.engine.source import COMMAND_S_MAX, EngineSource


class _Surveyed(Record):
    cache: CacheFacts


class _Set(Record):
    caches: tuple[CacheFacts, ...]


class _Restored(Record):
    restored: RestoredCache


def survey_cache(source: EngineSource, path: Path) -> CacheFacts:
    """The write cache of a block device, and whether it can be set. Changes nothing. Raises TargetError."""
    return checked(_Surveyed, source.ask("cache_surveyed", command="survey_cache", path=str(path))).cache


def set_caches(source: EngineSource, states: Sequence[WriteCache | None]) -> tuple[CacheFacts, ...]:
    """Sets the write caches of all open targets, in their order, and reads them back. None leaves one as it is.

    Raises TargetError.
    """
    return checked(_Set, source.ask("caches_set", command="set_caches", states=list(states))).caches


def restore_cache(
    source: EngineSource,
    identity: DeviceIdentity,
    state: WriteCache,
    kernel: str | None,
    wait_s: float = COMMAND_S_MAX,
) -> RestoredCache:
    """Restores the write cache of the device with an identity, which may be in use.

    ``kernel`` is what the kernel took it for, None for what the drive then reports. Raises TargetError, and EngineError
    if the device does not respond in time.
    """
    answer = source.ask(
        "cache_restored",
        wait_s,
        command="restore_cache",
        kind=identity.kind,
        name=identity.name,
        size_bytes=identity.size_bytes,
        drive=state.value,
        kernel=kernel,
    )
    return checked(_Restored, answer).restored
