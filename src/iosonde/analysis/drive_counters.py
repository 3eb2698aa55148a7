"""What the drives' own counters say of each trial: throttling, and the bytes written to the media."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from iosonde.records import CellRecord

THROTTLED_SHARE_MIN: Final = 0.01
"""Throttling for a smaller share of the time does not change results noticeably."""


@dataclass(frozen=True)
class DriveCounters:
    """The counters of all drives of a trial, each as a sum. ``media_written_bytes`` is 0 if no drive reports it."""

    throttled_ns: int
    host_written_bytes: int
    media_written_bytes: int


@dataclass(frozen=True)
class DriveChange:
    """The counters at the end of the trial before, and at the end of a trial."""

    before: DriveCounters
    after: DriveCounters

    @property
    def throttled_ns(self) -> int:
        """The time for which the drives throttled."""
        return self.after.throttled_ns - self.before.throttled_ns

    @property
    def has_media_writes(self) -> bool:
        """Whether the drives report the bytes written to their media."""
        return bool(self.before.media_written_bytes and self.after.media_written_bytes)

    @property
    def host_written_bytes(self) -> int:
        """The bytes that the host wrote."""
        return self.after.host_written_bytes - self.before.host_written_bytes

    @property
    def media_written_bytes(self) -> int:
        """The bytes that the drives wrote to their media."""
        return self.after.media_written_bytes - self.before.media_written_bytes


def drive_changes(records: Iterable[CellRecord]) -> Iterator[tuple[CellRecord, DriveChange | None]]:
    """Each record in run order with its change; None if the counters after it or after the trial before are unknown.

    The streams of a trial run at the same time, and the record of one of them has the counters: their change is the
    same.
    """
    before: DriveCounters | None = None
    for _, trial in groupby(sorted(records, key=lambda each: each.order), key=lambda each: each.order):
        streams = tuple(trial)
        after = _counters_after(streams)
        change = None if before is None or after is None else DriveChange(before, after)
        for record in streams:
            yield record, change
        before = after


def _counters_after(streams: Sequence[CellRecord]) -> DriveCounters | None:
    drives = next((each.drives for each in streams if each.drives), ())
    if not drives:
        return None
    healths = [drive.health for drive in drives]
    return DriveCounters(
        sum(each.throttled_ns for each in healths),
        sum(each.host_written_bytes for each in healths),
        sum(each.media_written_bytes for each in healths),
    )
