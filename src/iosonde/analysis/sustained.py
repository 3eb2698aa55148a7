"""Sustained transfers: one workload for long, in stretches with idle times between them, and the cause of a burst.

A volume with burst credits has a bucket. A burst spends what exceeds the base rate, and the bucket fills at the base
rate (Amazon EBS User Guide, I/O credits and burst performance). A stretch therefore begins with a flat burst, drops
once and sharply, and is flat at the base rate from then on. The level of the bucket at its start is (burst rate - base
rate) x the length of the burst. After an idle time that begins with an empty bucket, the level is base rate x idle
time, or the size of the bucket if that is less.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from iosonde.analysis.drive_counters import THROTTLED_SHARE_MIN
from iosonde.analysis.plateaus import Plateau, Transfer
from iosonde.analysis.stretches import Stretch, sustained_stretches
from iosonde.records import CellRecord, Operation, Workload
from iosonde.records.workload import ALL_READS
from iosonde.units import SECOND_NS

EQUAL_SHARE: Final = 0.10
"""Rates and levels that differ by at most this share agree."""

BEYOND_BURSTS: Final = 3
"""Reads that transferred this many bursts of the writes above their base rate are not limited in the same way."""

SHARP_POINTS_MAX: Final = 2
SHARP_AROUND: Final = 6
"""A drop is sharp if at most two of the points around it are in the middle third between the levels, as logarithms."""


class Cause(StrEnum):
    """What the data say of a drop: ``credits``, a ``write_cache``, ``throttling``, or ``unknown``."""

    CREDITS = "credits"
    WRITE_CACHE = "write_cache"
    THROTTLING = "throttling"
    UNKNOWN = "unknown"


class Refill(StrEnum):
    """The level of a bucket after an idle time, compared with base rate x idle time.

    ``equal``: it agrees. ``full``: it is less, so the bucket was full or refills more slowly. ``more``: it is more,
    which contradicts credits.
    """

    EQUAL = "equal"
    FULL = "full"
    MORE = "more"


@dataclass(frozen=True)
class Range:
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Burst:
    """A flat burst with a sharp drop to a flat base.

    ``spent_bytes`` and ``spent_ios`` are what it transferred above the base rate.
    """

    burst: Plateau
    base: Plateau
    spent_bytes: Range
    spent_ios: Range

    @property
    def length_ns(self) -> int:
        """The length of the burst."""
        return self.burst.end_ns


@dataclass(frozen=True)
class Recovery:
    """The burst after an idle time that began with an empty bucket.

    ``spent_ios`` is what it transferred above the base rate, 0 without a burst, and ``expected_ios`` is base rate x
    idle time.
    """

    cell: str
    idle_ns: int
    spent_ios: float
    expected_ios: float
    refill: Refill


@dataclass(frozen=True)
class Sustained:
    """The stretches of one workload in their order."""

    workload: Workload
    stretches: tuple[Stretch, ...]

    @cached_property
    def bursts(self) -> tuple[Burst | None, ...]:
        """The burst of each stretch; None for a stretch without one."""
        return tuple(burst_of(each.transfer) for each in self.stretches)

    @property
    def throttled_ns(self) -> int:
        """The time for which the drives report throttling in these stretches, 0 if it is too short to matter."""
        whole_ns = sum(each.transfer.time_ns for each in self.stretches)
        throttled_ns = sum(each.throttled_ns for each in self.stretches)
        return throttled_ns if throttled_ns >= THROTTLED_SHARE_MIN * whole_ns else 0

    @property
    def first_burst(self) -> Burst | None:
        """The first burst of any stretch."""
        return next((each for each in self.bursts if each is not None), None)

    @cached_property
    def recoveries(self) -> tuple[Recovery, ...]:
        """The stretches that began with an empty bucket, apart from the idle time before them."""
        first = self.first_burst
        if first is None:
            return ()
        found = []
        before_is_empty = False
        for stretch, burst in zip(self.stretches, self.bursts, strict=True):
            is_at_base = stretch.is_level and _agree(stretch.transfer.plateaus[0].iops, first.base.iops)
            if before_is_empty and stretch.idle_ns and (burst is not None or is_at_base):
                found.append(_recovery(stretch, burst, first))
            before_is_empty = burst is not None or is_at_base
        return tuple(found)

    @property
    def has_marks(self) -> bool:
        """Whether its bursts fit credits: equal rates, no burst that refilled faster than credits do."""
        first = self.first_burst
        if first is None:
            return False
        seen = [each for each in self.bursts if each is not None]
        even = all(
            _agree(each.burst.iops, first.burst.iops) and _agree(each.base.iops, first.base.iops) for each in seen
        )
        known = all(
            burst is not None or stretch.is_level for stretch, burst in zip(self.stretches, self.bursts, strict=True)
        )
        full = [each.spent_ios for each in self.recoveries if each.refill is Refill.FULL]
        # A bucket that was full cannot hold more another time.
        above = full and max(each.spent_ios.value for each in seen) > min(full) * (1 + EQUAL_SHARE)
        return even and known and not above and all(each.refill is not Refill.MORE for each in self.recoveries)

    @property
    def refilled_as_expected(self) -> bool:
        """Whether a burst after an idle time was as long as credits earned at the base rate allow."""
        return any(each.refill is Refill.EQUAL and each.spent_ios for each in self.recoveries)

    @property
    def bucket_ios(self) -> Range | None:
        """The size of the bucket; None unless it was full before a stretch."""
        full = {each.cell for each in self.recoveries if each.refill is Refill.FULL}
        found = [
            burst.spent_ios
            for stretch, burst in zip(self.stretches, self.bursts, strict=True)
            if burst is not None and (stretch.cell in full or _was_filled(stretch, burst))
        ]
        if not found:
            return None
        mean = sum(each.value for each in found) / len(found)
        return Range(mean, min(each.low for each in found), max(each.high for each in found))

    @property
    def least_ios(self) -> Range | None:
        """The largest amount that a burst spent above the base rate. The bucket holds at least that much."""
        seen = [each.spent_ios for each in self.bursts if each is not None]
        return max(seen, key=lambda each: each.value, default=None)


def sustained_of(records: Iterable[CellRecord]) -> tuple[Sustained, ...]:
    """The finished sustained trials, one entry for each workload, in run order."""
    held: dict[Workload, list[Stretch]] = {}
    for stretch in sustained_stretches(records):
        held.setdefault(stretch.record.workload, []).append(stretch)
    return tuple(Sustained(workload, tuple(stretches)) for workload, stretches in held.items())


def burst_of(transfer: Transfer) -> Burst | None:
    """The burst of a transfer: a flat level, one sharp drop, and a flat level to its end. None for any other shape."""
    if len(transfer.plateaus) != 2:  # noqa: PLR2004 - burst and base
        return None
    burst, base = transfer.plateaus
    ends = (burst.low, burst.high, base.low, base.high)
    if burst.bytes_per_s <= base.bytes_per_s or not (burst.is_flat and base.is_flat) or None in ends:
        return None
    if not _is_sharp(transfer, burst, base):
        return None
    spent = _spent_bytes(burst, base)
    each = burst.bytes_per_s / burst.iops
    return Burst(burst, base, spent, Range(spent.value / each, spent.low / each, spent.high / each))


def _is_sharp(transfer: Transfer, burst: Plateau, base: Plateau) -> bool:
    cut = next((index for index, each in enumerate(transfer.points) if each.end_ns >= burst.end_ns), 0)
    around = transfer.points[max(cut - SHARP_AROUND, 0) : cut + SHARP_AROUND]
    ratio = burst.bytes_per_s / base.bytes_per_s
    low, high = base.bytes_per_s * ratio ** (1 / 3), base.bytes_per_s * ratio ** (2 / 3)
    between = [each for each in around if low < each.bytes_per_s < high]
    return len(between) <= SHARP_POINTS_MAX


def _spent_bytes(burst: Plateau, base: Plateau) -> Range:
    """The bytes of a burst above the base rate, with the ends of both rates and of the time of the drop."""
    assert base.low is not None
    assert base.high is not None

    def above(end_bytes: int, base_bytes_per_s: float) -> float:
        length_s = burst.end_ns / SECOND_NS - (burst.end_bytes - end_bytes) / burst.bytes_per_s
        return max(end_bytes - base_bytes_per_s * length_s, 0.0)

    return Range(
        above(burst.end_bytes, base.bytes_per_s),
        above(burst.end_bytes_low, base.high),
        above(burst.end_bytes_high, base.low),
    )


def _recovery(stretch: Stretch, burst: Burst | None, first: Burst) -> Recovery:
    expected = first.base.iops * stretch.idle_ns / SECOND_NS
    spent = Range(0.0, 0.0, 0.0) if burst is None else burst.spent_ios
    if spent.low <= expected * (1 + EQUAL_SHARE) and spent.high >= expected * (1 - EQUAL_SHARE):
        refill = Refill.EQUAL
    else:
        refill = Refill.FULL if spent.value < expected else Refill.MORE
    return Recovery(stretch.cell, stretch.idle_ns, spent.value, expected, refill)


def _was_filled(stretch: Stretch, burst: Burst) -> bool:
    """Whether the idle time before a stretch earned more than its burst spent, so that the bucket was full."""
    return burst.base.iops * stretch.idle_ns / SECOND_NS > burst.spent_ios.high * (1 + EQUAL_SHARE)


def _agree(one: float, other: float) -> bool:
    return abs(one - other) <= EQUAL_SHARE * max(one, other)


def cause_of(found: Sustained, others: Sequence[Sustained]) -> Cause | None:
    """The cause of the bursts of a workload, from its stretches and those of the other workloads of the run.

    None if there was no drop. Credits apply to reads and writes alike, a write cache to writes only.
    """
    if all(len(each.transfer.plateaus) < 2 for each in found.stretches):  # noqa: PLR2004 - no change
        return None
    is_read_only = found.workload.read_percent == ALL_READS
    reads = [each for each in others if each.workload.read_percent == ALL_READS and each is not found]
    if (
        found.workload.only_operation is Operation.WRITE
        and _falls_first(found)
        and any(_reads_are_free(each, found) for each in reads)
    ):
        return Cause.WRITE_CACHE
    if found.throttled_ns:
        return Cause.THROTTLING
    if found.has_marks and (is_read_only or found.refilled_as_expected or any(each.has_marks for each in reads)):
        return Cause.CREDITS
    return Cause.UNKNOWN


def _falls_first(found: Sustained) -> bool:
    fallen = [each.transfer.plateaus for each in found.stretches if len(each.transfer.plateaus) > 1]
    return all(first.bytes_per_s > second.bytes_per_s and first.alternates is None for first, second, *_ in fallen)


def _reads_are_free(reads: Sustained, writes: Sustained) -> bool:
    """Whether reads kept a level that the burst of the writes would not have allowed for so long."""
    first, second, *_ = next(each.transfer.plateaus for each in writes.stretches if len(each.transfer.plateaus) > 1)
    burst_s = first.end_ns / SECOND_NS
    # A limit may count bytes or operations. The reads must exceed both.
    limits = (
        (second.bytes_per_s, first.end_bytes - second.bytes_per_s * burst_s),
        (second.iops, (first.iops - second.iops) * burst_s),
    )
    return bool(reads.stretches) and all(_exceeds(each, limits) for each in reads.stretches)


def _exceeds(stretch: Stretch, limits: Sequence[tuple[float, float]]) -> bool:
    """Whether a level stretch transferred more than each limit allows: a base rate, and an amount above it."""
    transfer = stretch.transfer
    time_s = transfer.time_ns / SECOND_NS
    moved = (transfer.bytes, sum(point.operations for point in transfer.points))
    return stretch.is_level and all(
        amount > base * time_s + BEYOND_BURSTS * above for amount, (base, above) in zip(moved, limits, strict=True)
    )


class LimitUnit(StrEnum):
    """What a limit counts: operations (``ios``), bytes, or ``unknown`` if one block size does not tell."""

    IOS = "ios"
    BYTES = "bytes"
    UNKNOWN = "unknown"


def limit_unit(found: Sustained, others: Sequence[Sustained]) -> LimitUnit:
    """What the base rate of a workload counts, from that of other block sizes."""
    own = _base_of(found)
    if own is None:
        return LimitUnit.UNKNOWN
    for other in others:
        base = _base_of(other)
        ratio = other.workload.bytes_per_operation / found.workload.bytes_per_operation
        if other is found or base is None or 1 / 1.5 < ratio < 1.5:  # noqa: PLR2004 - too similar to tell
            continue
        if _agree(base.iops, own.iops):
            return LimitUnit.IOS
        if _agree(base.bytes_per_s, own.bytes_per_s):
            return LimitUnit.BYTES
    return LimitUnit.UNKNOWN


def _base_of(found: Sustained) -> Plateau | None:
    """The lowest level at which a stretch of a workload ended, if it is flat."""
    ends = [each.transfer.plateaus[-1] for each in found.stretches if each.transfer.plateaus]
    lowest = min(ends, key=lambda each: each.bytes_per_s, default=None)
    return lowest if lowest is not None and lowest.is_flat else None
