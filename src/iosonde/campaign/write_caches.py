"""The write caches of the drives of a session: set for each cell, and restored at its end, or by a later command."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from iosonde import __version__
from iosonde.campaign.observer import Observer
from iosonde.errors import HINT_WRITE_CACHE, EngineError, IosondeError, TargetError, UsageError
from iosonde.machine import Host, boot_id
from iosonde.records import CacheFacts, DeviceInspection, KeptSetting, Plan, RestoredCache, TargetFacts, WriteCache
from iosonde.sources import (
    BlockDevice,
    EngineSource,
    Source,
    Target,
    find_engine,
    restore_cache,
    set_caches,
)
from iosonde.sources.engine.source import COMMAND_S_MAX
from iosonde.store import HeldSetting, keep_setting, left_settings

KINDS: Final = {"file": "a file", "simulation": "a simulated drive", "null": "no drive"}
LAST_S_MAX: Final = 30.0
"""How long the end of a run waits for a drive: it may be the reason why the run was interrupted."""


def check_cache_targets(plan: Plan, targets: Iterable[Target]) -> None:
    """Raises UsageError if a plan sets the write cache of something else than a block device."""
    other = next((each for each in targets if not isinstance(each, BlockDevice)), None)
    if plan.sets_write_cache and other is not None:
        raise UsageError(
            f"write_cache is a setting of a drive, and {other.name} is {KINDS[other.kind]}",
            "specify the drive itself, such as /dev/nvme0n1, or omit --write-cache (in a campaign file: write_cache)",
        )


def check_cache(device: str, inspection: DeviceInspection, cache: CacheFacts) -> None:
    """Raises TargetError for a device whose write cache cannot be set, or could not be restored after a crash."""
    if cache.refused is not None:
        raise TargetError(f"the write cache of {device} cannot be set: {cache.refused}", HINT_WRITE_CACHE, final=True)
    identity = inspection.identity
    if identity is None or identity.kind == "number":
        raise TargetError(
            f"the write cache of {device} is not set: it has neither serial number nor world-wide name, so after a "
            "crash the device could not be found again to restore it",
            "give the device a serial number (virtual machines have an option for it), or omit --write-cache",
            final=True,
        )


class WriteCaches:
    """The write caches of the targets of a session. Nothing is read or changed unless its plan sets one."""

    def __init__(self, plan: Plan, run: str) -> None:
        self._is_used = plan.sets_write_cache
        self._run = run
        self._source: EngineSource | None = None
        self._kept: list[HeldSetting] = []

    def begin(self, source: Source, targets: Sequence[TargetFacts]) -> None:
        """Keeps the settings of the targets on disk, before the first change. Raises TargetError and OutputError."""
        if not self._is_used:
            return
        if not isinstance(source, EngineSource):
            raise EngineError("fio does not set the write cache of a drive", "use another --engine")
        self._source = source
        for target, cache in zip(targets, set_caches(source, [None] * len(targets)), strict=True):
            self._kept.append(keep_setting(_setting(self._run, target, cache)))

    def set(self, wanted: WriteCache | None) -> None:
        """Sets the write caches of all targets; None for what each of them had. Raises TargetError.

        This is repeated before each trial, because a drive forgets the setting when it is reset.
        """
        if self._source is not None:
            set_caches(self._source, [wanted or each.setting.write_cache for each in self._kept])

    def restore(self) -> None:
        """Restores all settings by the engine of the session. Raises TargetError and EngineError."""
        if self._source is not None:
            self._restore(self._source)

    def restore_anew(self, host: Host, observer: Observer) -> None:
        """Restores what is left, by another engine: that of the session may be gone. The observer hears of failures."""
        if not self._kept:
            return
        try:
            source = EngineSource([*host.command_prefix(), find_engine()])
            try:
                self._restore(source, LAST_S_MAX)
            finally:
                source.end()
        except IosondeError as error:
            observer.setting_left(self._kept[0].setting.device, error.message)
        finally:
            for each in self._kept:
                each.release()
            self._kept.clear()

    def _restore(self, source: EngineSource, wait_s: float = COMMAND_S_MAX) -> None:
        while self._kept:
            held = self._kept[0]
            if restore_setting(source, held.setting, wait_s).disk is None:
                raise TargetError(f"{held.setting.device} is not there any more", "reconnect it", final=True)
            self._kept.pop(0).forget()


@contextmanager
def restored_at_end(plan: Plan, host: Host, run: str, observer: Observer) -> Iterator[WriteCaches]:
    """The write caches of a session, restored however it ends."""
    caches = WriteCaches(plan, run)
    try:
        yield caches
    finally:
        caches.restore_anew(host, observer)


def restore_setting(source: EngineSource, setting: KeptSetting, wait_s: float = COMMAND_S_MAX) -> RestoredCache:
    """Restores a setting. Raises TargetError if the device refuses it. Without the device nothing is changed."""
    kernel = setting.kernel if setting.boot == boot_id() else None
    return restore_cache(source, setting.identity, setting.write_cache, kernel, wait_s)


def restore_left(host: Host) -> Iterator[tuple[KeptSetting, RestoredCache | IosondeError]]:
    """Restores the settings that ended runs have left, and yields how each went. One without a device is kept."""
    source: EngineSource | None = None
    try:
        for held in left_settings():
            try:
                source = source or EngineSource([*host.command_prefix(), find_engine()])
                found = restore_setting(source, held.setting)
            except IosondeError as error:
                held.release()
                yield held.setting, error
                continue
            if found.disk is None:
                held.release()
            else:
                held.forget()
            yield held.setting, found
    finally:
        if source is not None:
            source.end()


def _setting(run: str, target: TargetFacts, cache: CacheFacts) -> KeptSetting:
    assert target.granted is not None, "a device whose cache is set has a grant"
    assert cache.drive is not None, "it was read"
    return KeptSetting(
        iosonde_version=__version__,
        run=run,
        kept_at=datetime.now(UTC).isoformat(timespec="seconds"),
        boot=boot_id(),
        path=target.path,
        identity=target.granted,
        write_cache=cache.drive,
        kernel=cache.kernel or "",
    )
