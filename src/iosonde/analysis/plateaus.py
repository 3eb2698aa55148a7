"""The bandwidth of a long transfer over the bytes transferred, and the plateaus in it.

A write cache that fills up, credits that run out and throttling that starts are sharp changes at an amount of data. The
change-point method of ``series.changes`` finds them in growing windows: 20 points from the last change, then a fifth
more, and so on. Each change is then judged by the noise around it, so that a restless end of a transfer, such as a
drive that throttles and recovers ten times, does not hide an earlier change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt
from statistics import median
from typing import Final

import numpy as np

from iosonde.analysis.estimate import BATCHES_MAX, CONFIDENCE, student_t
from iosonde.analysis.series import batch_means, find_changes
from iosonde.analysis.series.changes import LENGTH_MIN
from iosonde.analysis.totals import COUNTED_IN_ALL, count_all, measured_intervals
from iosonde.records import CellRecord, IntervalRecord
from iosonde.units import SECOND_NS

POINT_OPERATIONS_MIN: Final = 20
"""Adjacent intervals are joined until this many operations completed. With fewer, the rate depends on whether
one more operation completed just before its end."""

POINTS_MIN: Final = 2 * LENGTH_MIN
"""With fewer points, no change can be found."""

WINDOW_MIN: Final = 4 * LENGTH_MIN
WINDOW_GROWTH: Final = 1.2
PLATEAU_SHARE_MIN: Final = 0.10
"""Adjacent plateaus differ by at least this share. A smaller difference is part of one plateau."""

EXCURSION_NS_MAX: Final = SECOND_NS
"""A shorter excursion from a level, to which the bandwidth returns, is a stall and no plateau."""

ALTERNATIONS_MIN: Final = 4
"""The least number of adjacent periods that alternate between two levels."""

MIXED_SHARE: Final = 0.02
CORRELATION_MAX: Final = 0.9

CONFIDENCE_APART: Final = 0.999
"""Two plateaus are two only if their intervals at this level are apart: many windows of a transfer are searched."""


@dataclass(frozen=True)
class TransferPoint:
    """Some adjacent intervals of a transfer: their bytes and operations, and the bytes transferred before them.

    Times are from the start of the transfer.
    """

    start_ns: int
    end_ns: int
    start_bytes: int
    bytes: int
    operations: int

    @property
    def end_bytes(self) -> int:
        """The bytes transferred until its end."""
        return self.start_bytes + self.bytes

    @property
    def bytes_per_s(self) -> float:
        """Its bandwidth."""
        return self.bytes * SECOND_NS / (self.end_ns - self.start_ns)


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
    points = tuple(_points(measured_intervals(record)))
    if len(points) < POINTS_MIN:
        return Transfer(points, ())
    return Transfer(points, _confirmed(points, _levels(points)))


def _points(intervals: Sequence[IntervalRecord]) -> Iterator[TransferPoint]:
    """The intervals, joined until enough operations completed. The rest at the end is dropped."""
    held: list[IntervalRecord] = []
    start_bytes = 0
    for interval in intervals:
        held.append(interval)
        count = sum(count_all(each.operations) for each in held)
        if count >= POINT_OPERATIONS_MIN:
            found = sum(_bytes_of(each) for each in held)
            begin_ns = intervals[0].start_ns
            yield TransferPoint(held[0].start_ns - begin_ns, held[-1].end_ns - begin_ns, start_bytes, found, count)
            start_bytes += found
            held = []


def _bytes_of(interval: IntervalRecord) -> int:
    return sum(interval.operations[each].bytes for each in COUNTED_IN_ALL if each in interval.operations)


@dataclass(frozen=True)
class _Level:
    """The points from ``first`` to before ``last``, their usual rate, and two levels if the rate alternates."""

    first: int
    last: int
    rate: float
    alternates: tuple[float, float] | None = None


def _levels(points: Sequence[TransferPoint]) -> list[_Level]:
    rates = [point.bytes_per_s for point in points]
    starts = [0]
    while (change := _next_change(rates, starts[-1])) is not None:
        starts.append(change)
    levels = [_Level(first, last, median(rates[first:last])) for first, last in pairwise([*starts, len(rates)])]
    return _joined(_without_excursions(_joined(levels, rates), points, rates), rates)


def _next_change(rates: Sequence[float], start: int) -> int | None:
    """The first change after ``start``, in the smallest window that shows one."""
    length = WINDOW_MIN
    while True:
        window = rates[start : start + length]
        changes = find_changes(window)
        if changes:
            return _refined(rates, start, start + changes[0])
        if start + length >= len(rates):
            return None
        length = round(length * WINDOW_GROWTH)


def _refined(rates: Sequence[float], start: int, cut: int) -> int:
    """The place of a change, between the levels before and behind it. At the end of a window, it is off by a few."""
    before = median(rates[max(start, cut - 2 * LENGTH_MIN) : cut])
    behind = median(rates[cut : cut + LENGTH_MIN])
    first, last = max(start + 1, cut - LENGTH_MIN), min(cut + LENGTH_MIN, len(rates))

    def distance(place: int) -> float:
        return sum(abs(rate - before) for rate in rates[first:place]) + sum(
            abs(rate - behind) for rate in rates[place:last]
        )

    return min(range(first, last), key=lambda place: (distance(place), abs(place - cut)), default=cut)


def _differ(one: float, other: float) -> bool:
    return min(one, other) <= 0 or abs(log(one / other)) >= log(1 + PLATEAU_SHARE_MIN)


def _joined(levels: Sequence[_Level], rates: Sequence[float]) -> list[_Level]:
    """Adjacent levels that hardly differ become one."""
    found: list[_Level] = []
    for each in levels:
        if found and not _differ(found[-1].rate, each.rate):
            first = found.pop().first
            found.append(_Level(first, each.last, median(rates[first : each.last])))
        else:
            found.append(each)
    return found


def _without_excursions(
    levels: Sequence[_Level], points: Sequence[TransferPoint], rates: Sequence[float]
) -> list[_Level]:
    """Periods that alternate between two levels become one, and so do short excursions with their surroundings."""
    found: list[_Level] = []
    index = 0
    while index < len(levels):
        end = index + 2
        while end < len(levels) and not _differ(levels[end].rate, levels[end - 2].rate):
            end += 1
        periods = levels[index:end]
        # The first period may be long, and a steady level of its own.
        if len(periods) > ALTERNATIONS_MIN and _is_long(periods[0], periods[2:], points):
            found.append(periods[0])
            index, periods = index + 1, periods[1:]
        if len(periods) >= ALTERNATIONS_MIN:
            low, high = sorted(median(each.rate for each in periods[side::2]) for side in (0, 1))
            first, last = periods[0].first, periods[-1].last
            found.append(_Level(first, last, float(np.mean(rates[first:last])), (low, high)))
            index = end
        elif len(periods) == ALTERNATIONS_MIN - 1 and _time_ns(periods[1], points) < EXCURSION_NS_MAX:
            first, last = periods[0].first, periods[2].last
            found.append(_Level(first, last, median(rates[first:last])))
            index = end
        else:
            found.append(levels[index])
            index += 1
    return found


def _is_long(level: _Level, others: Sequence[_Level], points: Sequence[TransferPoint]) -> bool:
    """Whether a period lasts more than twice as long as the later ones at its level usually do."""
    usual_ns = median(_time_ns(each, points) for each in others[::2])
    return _time_ns(level, points) > 2 * usual_ns


def _time_ns(level: _Level, points: Sequence[TransferPoint]) -> int:
    return points[level.last - 1].end_ns - points[level.first].start_ns


def _confirmed(points: Sequence[TransferPoint], levels: Sequence[_Level]) -> tuple[Plateau, ...]:
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
        kept[unclear[0]] = _Level(first.first, second.last, median(rates), first.alternates or second.alternates)


_Wide = tuple[float, float] | None


def _wide(points: Sequence[TransferPoint], level: _Level, plateau: Plateau, correlation: float) -> _Wide:
    """The interval of a plateau at the confidence at which plateaus must be apart."""
    rates = [point.bytes_per_s for point in _inner(points, level, plateau.start_ns, plateau.end_ns)]
    half = _half_width(rates, correlation, CONFIDENCE_APART)
    return None if half is None else (plateau.bytes_per_s - half, plateau.bytes_per_s + half)


def _apart(one: _Wide, other: _Wide) -> bool:
    return one is not None and other is not None and (one[1] < other[0] or other[1] < one[0])


def _common_correlation(points: Sequence[TransferPoint], levels: Sequence[_Level]) -> float:
    """The correlation of adjacent points within the plateaus. A short plateau alone does not show it."""
    products = powers = 0.0
    for level in levels:
        if level.alternates is None:
            off = np.array([point.bytes_per_s for point in points[level.first : level.last]]) / level.rate - 1
            products += float((off[1:] * off[:-1]).sum())
            powers += float((off**2).sum())
    return products / powers if powers else 0.0


def _plateaus(points: Sequence[TransferPoint], levels: Sequence[_Level], correlation: float) -> tuple[Plateau, ...]:
    ends = [_end_of(points, one, other) for one, other in pairwise(levels)]
    last = points[-1]
    ends.append((last.end_ns, last.end_bytes, last.end_bytes, last.end_bytes))
    starts = [(0, 0), *((at_ns, at_bytes) for at_ns, at_bytes, *_ in ends[:-1])]
    return tuple(
        _plateau(points, level, start, end, correlation) for level, start, end in zip(levels, starts, ends, strict=True)
    )


def _end_of(points: Sequence[TransferPoint], one: _Level, other: _Level) -> tuple[int, int, int, int]:
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


def _mixed_share(rate: float, one: _Level, other: _Level) -> float:
    """How far a rate is from the nearer of two levels, as a share of their difference; 0 if it is not between them."""
    share = (rate - other.rate) / (one.rate - other.rate) if one.rate != other.rate else 0.0
    return max(min(share, 1 - share), 0.0)


def _plateau(
    points: Sequence[TransferPoint],
    level: _Level,
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
        alternates=level.alternates,
        is_flat=level.alternates is None and _is_flat(inner),
    )


def _inner(points: Sequence[TransferPoint], level: _Level, start_ns: int, end_ns: int) -> list[TransferPoint]:
    """The points of a plateau without mixed ones at its ends, and without a first one in which only a buffer filled."""
    first = level.first + (level.first == 0 and _differ(points[0].bytes_per_s, level.rate))
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


def _is_flat(points: Sequence[TransferPoint]) -> bool:
    """Whether its thirds have the same bandwidth, within half of the least difference between plateaus."""
    third = max(len(points) // 3, 1)
    parts = [points[:third], points[third:-third] or points[:third], points[-third:]]
    means = [
        sum(point.bytes for point in part) / sum(point.end_ns - point.start_ns for point in part) for part in parts
    ]
    return max(means) <= min(means) * (1 + PLATEAU_SHARE_MIN / 2)
