"""The health of drives that are not NVMe: smartctl completes what the engine reads, between measurements."""

import time
from collections.abc import Iterable, Mapping
from typing import Final

from iosonde.machine import ASLEEP, Host
from iosonde.records import CellRecord, Drive, DriveHealth, DriveState, Failure, HealthSource
from iosonde.vocabulary import FailureKind

SLOW_S: Final = 5.0
"""A drive that needs that long to answer nothing is not asked again in the session: each trial would wait for it."""

INCOMPLETE: Final = frozenset({HealthSource.NONE, HealthSource.HWMON})
"""The sources that know nothing of the drive, or the temperature alone."""

SILENT: Final = frozenset({FailureKind.CHANGED, FailureKind.STUCK})
"""Failures after which nothing is asked of the drives of a target."""


class SmartReader:
    """Reads the drives that the engine knows little of. It remembers them, and does not ask in vain again and again.

    A drive that has never answered is asked once in a session, unless it was asleep.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._disks: list[str] = []
        self._answered: set[str] = set()
        self._unanswered: dict[str, DriveHealth] = {}

    def completed(self, drives: Iterable[Drive]) -> tuple[Drive, ...]:
        """The drives, each with what smartctl reads of it now."""
        return tuple(self._completed(each) for each in drives)

    def read(self) -> dict[str, DriveHealth]:
        """The health of all drives that were completed so far."""
        return {disk: self._health(disk) for disk in self._disks}

    def with_trial(self, record: CellRecord, before: Mapping[str, DriveHealth]) -> CellRecord:
        """The record of a trial that has just ended, with the health of its drives ``before`` it and now."""
        if not before or _is_silent(record.failure):
            return record
        after = self.read()
        drives = tuple(_state(each, before.get(each.disk), after.get(each.disk)) for each in record.drives)
        return record.model_copy(update={"drives": drives})

    def _completed(self, drive: Drive) -> Drive:
        # The engine asks NVMe drives itself, and smartctl would need the same rights.
        if drive.health.source not in INCOMPLETE or drive.disk.startswith("nvme"):
            return drive
        if drive.disk not in self._disks:
            self._disks.append(drive.disk)
        return drive.model_copy(update={"health": merged(drive.health, self._health(drive.disk))})

    def _health(self, disk: str) -> DriveHealth:
        if disk in self._unanswered:
            return self._unanswered[disk]
        began_s = time.monotonic()
        health = self._host.smart_health(disk)
        is_slow = time.monotonic() - began_s >= SLOW_S
        if health.source is not HealthSource.NONE:
            self._answered.add(disk)
        elif health.missing != ASLEEP and (is_slow or disk not in self._answered):
            self._unanswered[disk] = health
        return health


def merged(engine: DriveHealth, smart: DriveHealth) -> DriveHealth:
    """What smartctl reads, with the link and the temperatures that the kernel reports.

    Without an answer of smartctl, what the engine read remains, with the reason why the rest is unknown.
    """
    if smart.source is HealthSource.NONE:
        return engine.model_copy(update={"missing": smart.missing})
    kept = {name: value for name, value in engine if value is not None and name in _OF_THE_KERNEL}
    return smart.model_copy(update=kept)


_OF_THE_KERNEL: Final = frozenset({"link", "temperature_celsius", "warning_celsius", "critical_celsius"})


def _state(state: DriveState, before: DriveHealth | None, after: DriveHealth | None) -> DriveState:
    if state.before is None or before is None or after is None:
        return state
    return state.model_copy(update={"before": merged(state.before, before), "health": merged(state.health, after)})


def _is_silent(failure: Failure | None) -> bool:
    return failure is not None and failure.kind in SILENT
