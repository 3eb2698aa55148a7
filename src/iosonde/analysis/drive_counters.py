"""What the drives' own counters say of each trial: throttling, heat, errors, and the bytes written to the media."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, get_args

from iosonde.records import CellRecord, DriveHealth, DriveState, HealthSource, RunRecord

THROTTLED_SHARE_MIN: Final = 0.01
"""Throttling for a smaller share of the time does not change results noticeably."""

NVME_UNIT_BYTES: Final = 512_000
"""The unit in which an NVMe drive counts what the host wrote (NVMe base specification, SMART / Health log)."""

UNITS_SHARE_MAX: Final = 0.25
"""A change that is uncertain by a larger share of itself says nothing about a ratio."""

Counter = Literal[
    "throttled_ns", "throttle_count", "hot_ns", "media_errors", "host_written_bytes", "media_written_bytes"
]


@dataclass(frozen=True)
class DriveChange:
    """The health of the drives of a trial before it and after it: a pair for each drive, in the order of ``disks``."""

    disks: tuple[str, ...]
    drives: tuple[tuple[DriveHealth, DriveHealth], ...]

    def of(self, counter: Counter) -> int | None:
        """The change of a counter, as the sum over all drives; None if a drive does not report it."""
        changes = self._known(counter)
        return None if changes is None else sum(changes)

    def of_each(self, counter: Counter) -> list[int | None]:
        """The change of a counter of each drive; None if the drive does not report it."""
        return [_change(before, after, counter) for before, after in self.drives]

    def _known(self, counter: Counter) -> list[int] | None:
        """The change of a counter of each drive; None if a drive does not report it."""
        changes = [each for each in self.of_each(counter) if each is not None]
        return changes if len(changes) == len(self.drives) else None

    @property
    def throttled_ns(self) -> int | None:
        """The throttled time of the drive that throttled longest; None if a drive does not report it."""
        return max(self._known("throttled_ns") or (), default=None)

    @property
    def has_media_writes(self) -> bool:
        """Whether the drives report the bytes written to their media, and those written by the host."""
        # A model without the mechanism leaves its counter at 0.
        is_counted = all(after.media_written_bytes for _, after in self.drives)
        return is_counted and None not in (self.of("media_written_bytes"), self.of("host_written_bytes"))

    @property
    def host_written_bytes(self) -> int:
        """The bytes that the host wrote; 0 if they are unknown."""
        return self.of("host_written_bytes") or 0

    @property
    def media_written_bytes(self) -> int:
        """The bytes that the drives wrote to their media; 0 if they are unknown."""
        return self.of("media_written_bytes") or 0

    @property
    def host_unit_bytes(self) -> int:
        """The uncertainty of the bytes that the host wrote: one unit for each drive."""
        return sum(_host_unit_bytes(after) for _, after in self.drives)

    @property
    def media_unit_bytes(self) -> int:
        """The uncertainty of the bytes written to the media: one unit for each drive."""
        return sum(after.media_written_unit_bytes or 1 for _, after in self.drives)


@dataclass(frozen=True)
class WriteAmplification:
    """Bytes written to the media per byte that the host wrote, with the range that the units of the counters allow."""

    value: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The factor, with its range if the units in which the drive counts matter: ``2.10 (1.98 to 2.23)``."""
        low, high = f"{self.low:.2f}", f"{self.high:.2f}"
        return f"{self.value:.2f}" if low == high else f"{self.value:.2f} ({low} to {high})"


def write_amplification(changes: Iterable[DriveChange]) -> WriteAmplification | None:
    """The write amplification of several trials together.

    A counter of whole units may be up to one unit behind at each end, so that its change is certain to one unit. None
    if a drive does not report both counters, or if too few units were written.
    """
    found = tuple(changes)
    if not found or not all(each.has_media_writes for each in found):
        return None
    host, host_error = (
        sum(getattr(each, name) for each in found) for name in ("host_written_bytes", "host_unit_bytes")
    )
    media = sum(each.media_written_bytes for each in found)
    media_error = sum(each.media_unit_bytes for each in found)
    if not host or host_error > UNITS_SHARE_MAX * host or media_error > UNITS_SHARE_MAX * media:
        return None
    return WriteAmplification(
        media / host, (media - media_error) / (host + host_error), (media + media_error) / (host - host_error)
    )


def changes_of(run: RunRecord) -> Iterator[tuple[CellRecord, DriveChange | None]]:
    """Each trial of a run with its change, preparation included."""
    return every_change((*run.preparation, *run.cells))


def every_change(records: Iterable[CellRecord]) -> Iterator[tuple[CellRecord, DriveChange | None]]:
    """All trials of a run with their changes.

    The counters of a simulated drive begin with 0, so that the first trial has a change too.
    """
    ordered = sorted(records, key=lambda each: each.order)
    first = [drive for each in ordered if each.order == ordered[0].order for drive in each.drives]
    is_simulated = not any(drive.disk or drive.before for drive in first)
    return drive_changes(ordered, earlier=tuple(map(_at_start, first)) if is_simulated else ())


def drive_changes(
    records: Iterable[CellRecord], *, earlier: Sequence[DriveState] = ()
) -> Iterator[tuple[CellRecord, DriveChange | None]]:
    """Each record in run order with its change; None if the drives before or after it are unknown.

    The state of a simulated drive before a trial is that after the trial before; ``earlier`` is that before the first
    one. The streams of a trial run at the same time, and the record of one of them has the drives: their change is the
    same.
    """
    for _, trial in groupby(sorted(records, key=lambda each: each.order), key=lambda each: each.order):
        streams = tuple(trial)
        drives = next((each.drives for each in streams if each.drives), ())
        change = _change_of(earlier, drives)
        for record in streams:
            yield record, change
        earlier = drives


def _at_start(drive: DriveState) -> DriveState:
    zeros = {name: 0 for name in get_args(Counter) if getattr(drive.health, name) is not None}
    return DriveState(disk=drive.disk, health=drive.health.model_copy(update=zeros))


def _change_of(earlier: Sequence[DriveState], drives: Sequence[DriveState]) -> DriveChange | None:
    before = [drive.before for drive in drives]
    if None in before:
        before = [drive.health for drive in earlier] if len(earlier) == len(drives) else []
    pairs = [(was, drive.health) for was, drive in zip(before, drives, strict=False) if was is not None]
    return DriveChange(tuple(drive.disk for drive in drives), tuple(pairs)) if pairs else None


def _host_unit_bytes(health: DriveHealth) -> int:
    if health.host_written_unit_bytes is not None:
        return health.host_written_unit_bytes
    return NVME_UNIT_BYTES if health.source is HealthSource.SMART_LOG else 1


def _change(before: DriveHealth, after: DriveHealth, counter: Counter) -> int | None:
    was, now = getattr(before, counter), getattr(after, counter)
    unit = _UNITS.get(counter)
    if unit is not None and getattr(before, unit) != getattr(after, unit):
        return None
    # A counter that went back was reset, or wrapped around.
    return None if was is None or now is None or now < was else now - was


# Counts in different units are those of different counters of the drive.
_UNITS: Final = {
    "host_written_bytes": "host_written_unit_bytes",
    "media_written_bytes": "media_written_unit_bytes",
}
