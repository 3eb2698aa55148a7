"""Bursts: a flat level, one sharp drop, and a flat base rate to the end of a transfer.

A volume with burst credits has a bucket. A burst spends what exceeds the base rate, and the bucket fills at the base
rate (Amazon EBS User Guide, I/O credits and burst performance). A stretch therefore begins with a flat burst, drops
once and sharply, and is flat at the base rate from then on. The level of the bucket at its start is (burst rate - base
rate) x the length of the burst.
"""

from dataclasses import dataclass
from typing import Final

from iosonde.analysis.plateaus import Plateau, Transfer
from iosonde.units import SECOND_NS

EQUAL_SHARE: Final = 0.10
"""Rates and levels that differ by at most this share agree."""

SHARP_POINTS_MAX: Final = 2
SHARP_AROUND: Final = 6
"""A drop is sharp if at most two of the points around it are in the middle third between the levels, as logarithms."""


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


def agree(one: float, other: float) -> bool:
    """Whether two rates or levels agree."""
    return abs(one - other) <= EQUAL_SHARE * max(one, other)
