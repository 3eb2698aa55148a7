"""What the drives' own counters say of each trial: throttling, heat, errors, and the bytes written to the media."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from iosonde.records import CellRecord, DriveHealth, DriveState

THROTTLED_SHARE_MIN: Final = 0.01
"""Throttling for a smaller share of the time does not change results noticeably."""

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
        changes = [_change(before, after, counter) for before, after in self.drives]
        return None if None in changes else sum(each for each in changes if each is not None)

    @property
    def throttled_ns(self) -> int | None:
        """The time for which the drives throttled; None if it is unknown."""
        return self.of("throttled_ns")

    @property
    def has_media_writes(self) -> bool:
        """Whether the drives report the bytes written to their media, and those written by the host."""
        known = all(before.media_written_bytes and after.media_written_bytes for before, after in self.drives)
        return known and self.of("host_written_bytes") is not None

    @property
    def host_written_bytes(self) -> int:
        """The bytes that the host wrote; 0 if they are unknown."""
        return self.of("host_written_bytes") or 0

    @property
    def media_written_bytes(self) -> int:
        """The bytes that the drives wrote to their media; 0 if they are unknown."""
        return self.of("media_written_bytes") or 0


def drive_changes(records: Iterable[CellRecord]) -> Iterator[tuple[CellRecord, DriveChange | None]]:
    """Each record in run order with its change; None if the drives before or after it are unknown.

    The state of a simulated drive before a trial is that after the trial before. The streams of a trial run at the same
    time, and the record of one of them has the drives: their change is the same.
    """
    earlier: Sequence[DriveState] = ()
    for _, trial in groupby(sorted(records, key=lambda each: each.order), key=lambda each: each.order):
        streams = tuple(trial)
        drives = next((each.drives for each in streams if each.drives), ())
        change = _change_of(earlier, drives)
        for record in streams:
            yield record, change
        earlier = drives


def _change_of(earlier: Sequence[DriveState], drives: Sequence[DriveState]) -> DriveChange | None:
    before = [drive.before for drive in drives]
    if None in before:
        before = [drive.health for drive in earlier] if len(earlier) == len(drives) else []
    pairs = [(was, drive.health) for was, drive in zip(before, drives, strict=False) if was is not None]
    return DriveChange(tuple(drive.disk for drive in drives), tuple(pairs)) if pairs else None


def _change(before: DriveHealth, after: DriveHealth, counter: Counter) -> int | None:
    was, now = getattr(before, counter), getattr(after, counter)
    # A counter that went back was reset, or wrapped around.
    return None if was is None or now is None or now < was else now - was
