"""The levels of a transfer: where its bandwidth changes, found in growing windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from statistics import median
from typing import Final

import numpy as np

from iosonde.analysis.series import find_changes
from iosonde.analysis.series.changes import LENGTH_MIN
from iosonde.analysis.transfer_points import TransferPoint
from iosonde.units import SECOND_NS

WINDOW_MIN: Final = 4 * LENGTH_MIN
WINDOW_GROWTH: Final = 1.2
PLATEAU_SHARE_MIN: Final = 0.10
"""Adjacent plateaus differ by at least this share. A smaller difference is part of one plateau."""

EXCURSION_NS_MAX: Final = SECOND_NS
"""A shorter excursion from a level, to which the bandwidth returns, is a stall and no plateau."""

ALTERNATIONS_MIN: Final = 4
"""The least number of adjacent periods that alternate between two levels."""


@dataclass(frozen=True)
class Level:
    """The points from ``first`` to before ``last``, their usual rate, and two levels if the rate alternates."""

    first: int
    last: int
    rate: float
    alternates: tuple[float, float] | None = None


def levels_of(points: Sequence[TransferPoint]) -> list[Level]:
    """The levels of a transfer in order: adjacent ones differ, and a short excursion belongs to the level around it."""
    rates = [point.bytes_per_s for point in points]
    starts = [0]
    while (change := _next_change(rates, starts[-1])) is not None:
        starts.append(change)
    levels = [Level(first, last, median(rates[first:last])) for first, last in pairwise([*starts, len(rates)])]
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


def differ(one: float, other: float) -> bool:
    """Whether two rates differ by enough for two plateaus."""
    return min(one, other) <= 0 or abs(log(one / other)) >= log(1 + PLATEAU_SHARE_MIN)


def _joined(levels: Sequence[Level], rates: Sequence[float]) -> list[Level]:
    """Adjacent levels that hardly differ become one."""
    found: list[Level] = []
    for each in levels:
        if found and not differ(found[-1].rate, each.rate):
            before = found.pop()
            rate = median(rates[before.first : each.last])
            found.append(Level(before.first, each.last, rate, before.alternates or each.alternates))
        else:
            found.append(each)
    return found


def _without_excursions(
    levels: Sequence[Level], points: Sequence[TransferPoint], rates: Sequence[float]
) -> list[Level]:
    """Periods that alternate between two levels become one, and so do short excursions with their surroundings."""
    found: list[Level] = []
    index = 0
    while index < len(levels):
        end = index + 2
        while end < len(levels) and not differ(levels[end].rate, levels[end - 2].rate):
            end += 1
        periods = levels[index:end]
        # The first period may be long, and a steady level of its own.
        if len(periods) > ALTERNATIONS_MIN and _is_long(periods[0], periods[2:], points):
            found.append(periods[0])
            index, periods = index + 1, periods[1:]
        if len(periods) >= ALTERNATIONS_MIN:
            low, high = sorted(median(each.rate for each in periods[side::2]) for side in (0, 1))
            first, last = periods[0].first, periods[-1].last
            found.append(Level(first, last, float(np.mean(rates[first:last])), (low, high)))
            index = end
        elif len(periods) == ALTERNATIONS_MIN - 1 and _time_ns(periods[1], points) < EXCURSION_NS_MAX:
            first, last = periods[0].first, periods[2].last
            found.append(Level(first, last, median(rates[first:last])))
            index = end
        else:
            found.append(levels[index])
            index += 1
    return found


def _is_long(level: Level, others: Sequence[Level], points: Sequence[TransferPoint]) -> bool:
    """Whether a period lasts more than twice as long as the later ones at its level usually do."""
    usual_ns = median(_time_ns(each, points) for each in others[::2])
    return _time_ns(level, points) > 2 * usual_ns


def _time_ns(level: Level, points: Sequence[TransferPoint]) -> int:
    return points[level.last - 1].end_ns - points[level.first].start_ns
