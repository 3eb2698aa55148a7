"""The bandwidth of a long transfer over the bytes transferred, and the plateaus in it.

A write cache that fills up, credits that run out and throttling that starts are sharp changes at an amount of data. The
change-point method of ``series.changes`` finds them in growing windows: 20 points from the last change, then a fifth
more, and so on. Each change is then judged by the noise around it, so that a restless end of a transfer, such as a
drive that throttles and recovers ten times, does not hide an earlier change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi, sqrt
from statistics import median
from typing import Final

import numpy as np

from iosonde.analysis.estimate import BATCHES_MAX, CONFIDENCE, student_t
from iosonde.analysis.levels import PLATEAU_SHARE_MIN, Level, differ, levels_of
from iosonde.analysis.series import batch_means
from iosonde.analysis.series.changes import LENGTH_MIN
from iosonde.analysis.totals import measured_intervals
from iosonde.analysis.transfer_points import TransferPoint, points_of
from iosonde.records import CellRecord
from iosonde.units import SECOND_NS

POINTS_MIN: Final = 2 * LENGTH_MIN
"""With fewer points, no change can be found."""


MIXED_SHARE: Final = 0.02
CORRELATION_MAX: Final = 0.9

FLAT_ERRORS: Final = 4.0
"""Levels of the thirds of a plateau that differ by less than this many standard errors do not show a slope."""

MEDIAN_DEVIATION: Final = 0.6745
"""The median deviation of a normal distribution, in standard deviations."""

CONFIDENCE_APART: Final = 0.999
"""Two plateaus are two only if their intervals at this level are apart: many windows of a transfer are searched."""


@dataclass(frozen=True)
class Plateau:
    """A part of a transfer at one level.

    ``bytes_per_s`` is the mean bandwidth and ``iops`` the mean rate of operations. ``low`` and ``high`` are the ends of
    the 95 % interval of the bandwidth, from the variation of the points within the plateau; None with too few points.
    ``alternates`` has the lower and the higher level if the bandwidth alternates between two levels. ``is_flat`` means
    that it is level from end to end. ``end_bytes_low`` and ``end_bytes_high`` enclose the bytes at which it ended.
    """

    start_ns: int
    end_ns: int
    start_bytes: int
    end_bytes: int
    end_bytes_low: int
    end_bytes_high: int
    bytes_per_s: float
    low: float | None
    high: float | None
    iops: float
    alternates: tuple[float, float] | None
    is_flat: bool

    @property
    def bytes(self) -> int:
        """The bytes transferred in it."""
        return self.end_bytes - self.start_bytes


@dataclass(frozen=True)
class Transfer:
    """A transfer with its points and its plateaus; without plateaus if it has too few points."""

    points: tuple[TransferPoint, ...]
    plateaus: tuple[Plateau, ...]

    @property
    def bytes(self) -> int:
        """The bytes transferred."""
        return self.points[-1].end_bytes if self.points else 0

    @property
    def time_ns(self) -> int:
        """The length of the transfer."""
        return self.points[-1].end_ns if self.points else 0

    @property
    def mean_bytes_per_s(self) -> float:
        """The mean bandwidth of the whole transfer; 0 without points."""
        return self.bytes * SECOND_NS / self.time_ns if self.points else 0.0


def transfer_of(record: CellRecord) -> Transfer:
    """The bandwidth of a trial or of a preconditioning write over the bytes transferred, and its plateaus."""
    points = tuple(points_of(measured_intervals(record)))
    if len(points) < POINTS_MIN:
        return Transfer(points, ())
    return Transfer(points, _confirmed(points, levels_of(points)))


def _confirmed(points: Sequence[TransferPoint], levels: Sequence[Level]) -> tuple[Plateau, ...]:
    """The plateaus. Two whose intervals overlap, or are unknown, are one."""
    kept = list(levels)
    while True:
        correlation = _common_correlation(points, kept)
        plateaus = _plateaus(points, kept, correlation)
        wide = [_wide(points, level, plateau, correlation) for level, plateau in zip(kept, plateaus, strict=True)]
        unclear = [index for index, pair in enumerate(pairwise(wide)) if not _apart(*pair)]
        if not unclear:
            return plateaus
        first, second = kept[unclear[0]], kept.pop(unclear[0] + 1)
        rates = [point.bytes_per_s for point in points[first.first : second.last]]
        kept[unclear[0]] = Level(first.first, second.last, median(rates), first.alternates or second.alternates)


_Wide = tuple[float, float] | None


def _wide(points: Sequence[TransferPoint], level: Level, plateau: Plateau, correlation: float) -> _Wide:
    """The interval of a plateau at the confidence at which plateaus must be apart."""
    rates = [point.bytes_per_s for point in _inner(points, level, plateau.start_ns, plateau.end_ns)]
    half = _half_width(rates, correlation, CONFIDENCE_APART)
    return None if half is None else (plateau.bytes_per_s - half, plateau.bytes_per_s + half)


def _apart(one: _Wide, other: _Wide) -> bool:
    return one is not None and other is not None and (one[1] < other[0] or other[1] < one[0])


def _common_correlation(points: Sequence[TransferPoint], levels: Sequence[Level]) -> float:
    """The correlation of adjacent points within the plateaus. A short plateau alone does not show it."""
    products = powers = 0.0
    for level in levels:
        if level.alternates is None:
            off = np.array([point.bytes_per_s for point in points[level.first : level.last]]) / level.rate - 1
            products += float((off[1:] * off[:-1]).sum())
            powers += float((off**2).sum())
    return products / powers if powers else 0.0


def _plateaus(points: Sequence[TransferPoint], levels: Sequence[Level], correlation: float) -> tuple[Plateau, ...]:
    ends = [_end_of(points, one, other) for one, other in pairwise(levels)]
    last = points[-1]
    ends.append((last.end_ns, last.end_bytes, last.end_bytes, last.end_bytes))
    starts = [(0, 0), *((at_ns, at_bytes) for at_ns, at_bytes, *_ in ends[:-1])]
    return tuple(
        _plateau(points, level, start, end, correlation) for level, start, end in zip(levels, starts, ends, strict=True)
    )


def _end_of(points: Sequence[TransferPoint], one: Level, other: Level) -> tuple[int, int, int, int]:
    """Time and bytes at which a level ended, and the bytes that enclose it.

    The point at the change is usually mixed. Its rate says how much of it is at the first level.
    """
    cut = one.last
    mixed = max(
        (index for index in (cut - 1, cut) if 0 <= index < len(points)),
        key=lambda index: _mixed_share(points[index].bytes_per_s, one, other),
    )
    enclosed = points[max(cut - 1, 0)].start_bytes, points[min(cut, len(points) - 1)].end_bytes
    if _mixed_share(points[mixed].bytes_per_s, one, other) < MIXED_SHARE:
        return points[cut].start_ns, points[cut].start_bytes, *enclosed
    point = points[mixed]
    first_part = (point.bytes_per_s - other.rate) / (one.rate - other.rate)
    time_ns = first_part * (point.end_ns - point.start_ns)
    at_bytes = point.start_bytes + round(one.rate * time_ns / SECOND_NS)
    return point.start_ns + round(time_ns), min(at_bytes, point.end_bytes), *enclosed


def _mixed_share(rate: float, one: Level, other: Level) -> float:
    """How far a rate is from the nearer of two levels, as a share of their difference; 0 if it is not between them."""
    share = (rate - other.rate) / (one.rate - other.rate) if one.rate != other.rate else 0.0
    return max(min(share, 1 - share), 0.0)


def _plateau(
    points: Sequence[TransferPoint],
    level: Level,
    start: tuple[int, int],
    end: tuple[int, int, int, int],
    correlation: float,
) -> Plateau:
    at_ns, at_bytes, low_bytes, high_bytes = end
    inner = _inner(points, level, start[0], at_ns)
    time_ns = sum(point.end_ns - point.start_ns for point in inner)
    mean = sum(point.bytes for point in inner) * SECOND_NS / time_ns
    half = _half_width([point.bytes_per_s for point in inner], correlation)
    operations = sum(point.operations for point in inner)
    # A mean beside its two levels shows that the points are not at these two alone.
    lower, upper = level.alternates or (0.0, 0.0)
    alternates = level.alternates if lower < mean < upper else None
    # One operation more or less at the ends of the plateau.
    resolution = mean / operations
    return Plateau(
        start_ns=start[0],
        end_ns=at_ns,
        start_bytes=start[1],
        end_bytes=at_bytes,
        end_bytes_low=low_bytes,
        end_bytes_high=high_bytes,
        bytes_per_s=mean,
        low=None if half is None else max(mean - max(half, resolution), 0.0),
        high=None if half is None else mean + max(half, resolution),
        iops=operations * SECOND_NS / time_ns,
        alternates=alternates,
        is_flat=alternates is None and _is_flat(inner, correlation),
    )


def _inner(points: Sequence[TransferPoint], level: Level, start_ns: int, end_ns: int) -> list[TransferPoint]:
    """The points of a plateau without mixed ones at its ends, and without a first one in which only a buffer filled."""
    first = level.first + (level.first == 0 and differ(points[0].bytes_per_s, level.rate))
    held = points[first : level.last]
    return [point for point in held if point.start_ns >= start_ns and point.end_ns <= end_ns] or list(held)


def _half_width(rates: Sequence[float], common: float, confidence: float = CONFIDENCE) -> float | None:
    """Half the interval of the mean of a correlated series.

    With enough values the error is that of batch means, else that of a first-order autoregressive series, whose
    correlation is at least ``common``.
    """
    count = len(rates)
    if count < LENGTH_MIN - 1:
        return None
    if count >= BATCHES_MAX and (means := batch_means(rates)) is not None and means.error is not None:
        return student_t(means.batches - 1, confidence) * means.error
    values = np.asarray(rates)
    off = values - values.mean()
    power = float((off**2).sum())
    correlation = float((off[1:] * off[:-1]).sum()) / power + 1 / count if power else 0.0
    correlation = min(max(correlation, common, 0.0), CORRELATION_MAX)
    error = sqrt(power / (count - 1) / count * (1 + correlation) / (1 - correlation))
    return student_t(count - 1, confidence) * error


def _is_flat(points: Sequence[TransferPoint], correlation: float) -> bool:
    """Whether its thirds have the same level: within half of the least difference between plateaus, or their errors."""
    rates = np.array([point.bytes_per_s for point in points])
    thirds = [part for part in np.array_split(rates, 3) if len(part)]
    levels = [float(np.median(part)) for part in thirds]
    usual = float(np.median(rates))
    correlation = min(max(correlation, 0.0), CORRELATION_MAX)
    deviation = float(np.median(np.abs(rates - usual))) / MEDIAN_DEVIATION
    # The median of a normal sample has an error larger than that of its mean by this factor.
    error = deviation * sqrt(pi / 2 / min(map(len, thirds)) * (1 + correlation) / (1 - correlation))
    most = max(usual * PLATEAU_SHARE_MIN / 2, min(FLAT_ERRORS * error, usual * PLATEAU_SHARE_MIN * 3 / 2))
    return max(levels) - min(levels) <= most
