"""Sustained transfers: one workload for long, in stretches with idle times between them, and their bursts.

After an idle time that begins with an empty bucket, the level of the bucket is base rate x idle time, or the size of
the bucket if that is less.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import takewhile

from iosonde.analysis.bursts import EQUAL_SHARE, Burst, Range, agree, burst_of
from iosonde.analysis.drive_counters import THROTTLED_SHARE_MIN
from iosonde.analysis.plateaus import Transfer
from iosonde.analysis.stretches import Stretch, sustained_stretches
from iosonde.records import CellRecord, Workload
from iosonde.units import SECOND_NS


class Refill(StrEnum):
    """The level of a bucket after an idle time, compared with base rate x idle time.

    ``equal``: it agrees. ``full``: it is less, so the bucket was full or refills more slowly. ``more``: it is more,
    which contradicts credits.
    """

    EQUAL = "equal"
    FULL = "full"
    MORE = "more"


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

    @property
    def changed(self) -> tuple[Stretch, ...]:
        """The stretches whose level changed."""
        return tuple(each for each in self.stretches if len(each.transfer.plateaus) > 1)

    @property
    def cache_recoveries(self) -> tuple[tuple[Stretch, bool | None], ...]:
        """The stretches after an idle time, and whether each is fast at first again; None if it does not show it.

        They are compared with the first stretch whose level changed; empty if there is none.
        """
        if not self.changed:
            return ()
        first = self.changed[0].transfer
        return tuple((each, _is_back(each, first)) for each in self.stretches[1:] if each.idle_ns)

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
            is_at_base = stretch.is_level and agree(stretch.transfer.plateaus[0].iops, first.base.iops)
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
        even = all(agree(each.burst.iops, first.burst.iops) and agree(each.base.iops, first.base.iops) for each in seen)
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


def valid_sustained(found: Sequence[Sustained], invalid: Collection[str]) -> tuple[Sustained, ...]:
    """Each workload up to its first invalid stretch: what follows one depends on what that left behind."""
    if not invalid:
        return tuple(found)
    valid = (
        Sustained(each.workload, tuple(takewhile(lambda stretch: stretch.cell not in invalid, each.stretches)))
        for each in found
    )
    return tuple(each for each in valid if each.stretches)


def _is_back(stretch: Stretch, first: Transfer) -> bool | None:
    plateaus, fast = stretch.transfer.plateaus, first.plateaus[0].bytes_per_s
    if len(plateaus) > 1 and plateaus[0].bytes_per_s > plateaus[1].bytes_per_s:
        return True
    return False if plateaus and plateaus[0].bytes_per_s < fast / 2 else None


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
