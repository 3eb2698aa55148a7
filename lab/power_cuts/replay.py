"""What a drive may contain after a power cut, from the log of its writes.

A write is durable once a flush follows it, or if it was written with FUA. Any other sector contains one of the versions
that were written since it was last durable, or that durable one. So its writes are dropped at random, sector by sector,
and independently of their order.
"""

import random
from dataclasses import dataclass
from typing import BinaryIO

from lab.power_cuts.write_log import Flag, WriteLog


@dataclass(frozen=True)
class Moment:
    """A moment of a log, after its first ``index`` entries. ``keep`` is the share of volatile writes that are kept."""

    index: int
    keep: float
    seed: int


@dataclass(frozen=True)
class Cut:
    """A power cut: ``dropped`` of the ``volatile`` sector writes are lost."""

    volatile: int
    dropped: int


class Versions:
    """The versions that a sector may have after the cut: offsets in the log; None for zeros, after a discard."""

    def __init__(self) -> None:
        self.durable: dict[int, int | None] = {}
        self.volatile: dict[int, list[int | None]] = {}

    def write(self, sector: int, version: int | None, *, fua: bool) -> None:
        """Adds a version. A durable one excludes all before it."""
        if fua:
            self.volatile.pop(sector, None)
            self.durable[sector] = version
        else:
            self.volatile.setdefault(sector, []).append(version)

    def flush(self) -> None:
        """Makes the last versions durable."""
        for sector, versions in self.volatile.items():
            self.durable[sector] = versions[-1]
        self.volatile.clear()


def versions_at(log: WriteLog, index: int) -> Versions:
    """The versions of each sector after the first ``index`` entries. The next entry may be in flight."""
    found = Versions()
    for number, entry in enumerate(log.entries[: index + 1]):
        if entry.flags & Flag.MARK:
            continue
        in_flight = number == index
        # A flush request first makes the writes before it durable, then writes its own data.
        if entry.flags & Flag.FLUSH and not in_flight:
            found.flush()
        fua = bool(entry.flags & Flag.FUA) and not in_flight
        for at in range(entry.count):
            version = entry.data_at + at * log.sector_bytes if entry.has_data else None
            found.write(entry.first + at, version, fua=fua)
    return found


def cut_at(log: WriteLog, moment: Moment, image: BinaryIO, start_bytes: int) -> Cut:
    """Writes what is left into an image of zeros, from ``start_bytes`` on."""
    found, chance = versions_at(log, moment.index), random.Random(moment.seed)
    chosen, volatile, dropped = dict(found.durable), 0, 0
    for sector, versions in sorted(found.volatile.items()):
        kept = [version for version in versions if chance.random() < moment.keep]
        volatile += len(versions)
        dropped += len(versions) - len(kept)
        if kept:
            chosen[sector] = kept[-1]
    with log.path.open("rb") as data:
        for sector, version in chosen.items():
            if version is None:
                continue
            data.seek(version)
            image.seek(start_bytes + sector * log.sector_bytes)
            image.write(data.read(log.sector_bytes))
    return Cut(volatile, dropped)
