"""What caused the drops of a sustained transfer, and what its limit counts."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from iosonde.analysis.bursts import agree
from iosonde.analysis.plateaus import Plateau
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.sustained import Sustained
from iosonde.records import Operation
from iosonde.records.workload import ALL_READS
from iosonde.units import SECOND_NS

BEYOND_BURSTS: Final = 3
"""Reads that transferred this many bursts of the writes above their base rate are not limited in the same way."""


class DropCause(StrEnum):
    """What the data say of a drop: ``credits``, a ``write_cache``, ``throttling``, or ``unknown``."""

    CREDITS = "credits"
    WRITE_CACHE = "write_cache"
    THROTTLING = "throttling"
    UNKNOWN = "unknown"


class LimitUnit(StrEnum):
    """What a limit counts: operations (``ios``), bytes, or ``unknown`` if one block size does not tell."""

    IOS = "ios"
    BYTES = "bytes"
    UNKNOWN = "unknown"


def cause_of(found: Sustained, others: Sequence[Sustained]) -> DropCause | None:
    """The cause of the bursts of a workload, from its stretches and those of the other workloads of the run.

    None if there was no drop. Credits apply to reads and writes alike, a write cache to writes only.
    """
    if not found.changed:
        return None
    is_read_only = found.workload.read_percent == ALL_READS
    reads = [each for each in others if each.workload.read_percent == ALL_READS and each is not found]
    if (
        found.workload.only_operation is Operation.WRITE
        and _falls_first(found)
        and any(_reads_are_free(each, found) for each in reads)
    ):
        return DropCause.WRITE_CACHE
    if found.throttled_ns:
        return DropCause.THROTTLING
    if found.has_marks and (is_read_only or found.refilled_as_expected or any(each.has_marks for each in reads)):
        return DropCause.CREDITS
    return DropCause.UNKNOWN


def _falls_first(found: Sustained) -> bool:
    fallen = (each.transfer.plateaus for each in found.changed)
    return all(first.bytes_per_s > second.bytes_per_s and first.alternates is None for first, second, *_ in fallen)


def _reads_are_free(reads: Sustained, writes: Sustained) -> bool:
    """Whether reads kept a level that the burst of the writes would not have allowed for so long."""
    first, second, *_ = writes.changed[0].transfer.plateaus
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
        if agree(base.iops, own.iops):
            return LimitUnit.IOS
        if agree(base.bytes_per_s, own.bytes_per_s):
            return LimitUnit.BYTES
    return LimitUnit.UNKNOWN


def _base_of(found: Sustained) -> Plateau | None:
    """The lowest level at which a stretch of a workload ended, if it is flat."""
    ends = [each.transfer.plateaus[-1] for each in found.stretches if each.transfer.plateaus]
    lowest = min(ends, key=lambda each: each.bytes_per_s, default=None)
    return lowest if lowest is not None and lowest.is_flat else None
