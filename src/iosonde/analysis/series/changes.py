"""Level changes of a series: the end of a cache, the start of throttling or of garbage collection.

Circular binary segmentation (Olshen, Venkatraman, Lucito and Wigler, 2004) selects the segment that differs most from
the rest. If the difference is larger than chance explains, one or two cuts separate the segment, and each part is then
treated in the same way. A change and its reversal therefore do not hide each other. The effect of chance depends on the
correlation of the values, so the noise after the cuts is measured as long-run variance (Andrews and Monahan, 1992:
prewhitened, Bartlett's kernel). Levels are compared as logarithms: halving the throughput is as large a change as
doubling it.

After a sharp change, the level itself may move for a long time, as when a drive finds its balance of writes and garbage
collection. With one or two cuts, that movement is noise that hides the change. A test for jumps therefore runs first.
In a jump, five values are all on one side of the five values before them, and the distance is rare between adjacent
groups of five in this series (a moving-sum test, Eichinger and Kirch, 2018, with medians and extremes, which are robust
against outliers).
"""

from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.analysis.estimate import LEVEL_SHARE_MIN

LENGTH_MIN: Final = 5
"""The least number of values between two changes. Shorter excursions belong to the spread of a level."""

JUMP_MIN: Final = 5.0
"""The size of a jump, in standard deviations of the difference between adjacent groups of five. In simulations,
stationary series exceed it at most once in a thousand times if adjacent values correlate by up to 0.9."""

SHARPNESS_MIN: Final = 0.5
"""The share of the difference between two groups of five that one step must cause. In a gradual change, one step causes
a fifth."""

NORMAL_WITHIN: Final = ((0.5, 0.6745), (0.8, 1.2816))
"""Shares of a normal distribution, and the number of standard deviations that contain them."""

GAIN_MIN: Final = 20.0
GAIN_SHORT: Final = 2000.0
"""The least gain of a split of a series of n values, in units of its noise: GAIN_MIN + GAIN_SHORT / n. In simulations,
stationary series exceed it at most once in a hundred times if adjacent values correlate by up to 0.6."""

PLACES_MAX: Final = 600
"""The number of candidate cuts in a long series. Every pair of them is tested."""

STANDSTILL: Final = 1e-3
"""The share of the mean that replaces a throughput of 0."""

PERSISTENCE_MAX: Final = 0.97
PREWHITEN_MIN: Final = 10


def find_changes(values: ArrayLike) -> tuple[int, ...]:
    """The indices at which a series without negative values changes its level, in ascending order."""
    series = np.asarray(values, dtype=np.float64)
    if not series.any():
        return ()
    # 0 has no logarithm. A standstill is a change like any other, and a large one.
    return tuple(sorted(_splits(np.log(np.maximum(series, series.mean() * STANDSTILL)), 0)))


def _splits(series: NDArray[np.float64], offset: int) -> list[int]:
    if len(series) < 2 * LENGTH_MIN:
        return []
    jump = find_jump(series)
    cuts = _best_cuts(series) if jump is None else (jump,)
    if not cuts:
        return []
    found = [offset + cut for cut in cuts]
    for start, end in pairwise([0, *cuts, len(series)]):
        found += _splits(series[start:end], offset + start)
    return found


def find_jump(logarithms: NDArray[np.float64]) -> int | None:
    """The index of the largest jump in the logarithms of ten or more values; None without a jump."""
    fives = np.array([logarithms[first : len(logarithms) - LENGTH_MIN + 1 + first] for first in range(LENGTH_MIN)])
    lows, highs = fives.min(axis=0), fives.max(axis=0)
    steps = np.maximum(lows[:-LENGTH_MIN] - highs[LENGTH_MIN:], lows[LENGTH_MIN:] - highs[:-LENGTH_MIN])
    place = int(np.argmax(steps))
    if steps[place] <= log(1 + LEVEL_SHARE_MIN):
        return None
    middles = np.median(fives, axis=0)
    differences = np.abs(middles[LENGTH_MIN:] - middles[:-LENGTH_MIN])
    ordered = np.sort(differences)
    # The median is 0 if intervals have few operations each, and the largest values are at the jump itself.
    deviation = max(float(ordered[int(share * (len(steps) - 1))]) / within for share, within in NORMAL_WITHIN)
    least = max(JUMP_MIN * deviation, SHARPNESS_MIN * float(differences[place]))
    return place + LENGTH_MIN if steps[place] > least else None


def _best_cuts(series: NDArray[np.float64]) -> tuple[int, ...]:
    """One or two cuts that separate a segment from the rest, if the difference is larger than chance explains."""
    count = len(series)
    sums = np.concatenate([[0.0], np.cumsum(series - series.mean())])
    places, weights = _weighted_cuts(count)
    gains = (sums[places][np.newaxis, :] - sums[places][:, np.newaxis]) ** 2 * weights
    first, last = (int(places[index]) for index in np.unravel_index(int(np.argmax(gains)), gains.shape))
    stretch, rest = series[first:last], np.concatenate([series[:first], series[last:]])
    if not len(stretch) or not len(rest) or abs(_middle(stretch) - _middle(rest)) < log(1 + LEVEL_SHARE_MIN):
        return ()
    residuals = series - rest.mean()
    residuals[first:last] = stretch - stretch.mean()
    if gains.max() <= _long_run_variance(residuals) * (GAIN_MIN + GAIN_SHORT / count):
        return ()
    return tuple(cut for cut in (first, last) if 0 < cut < count)


@lru_cache(maxsize=4)
def _weighted_cuts(count: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The candidate cuts in a series of ``count`` values, and the weight of each pair of cuts.

    The weight applies to the squared sum between them, and is 0 for segments that are not allowed. The result is cached
    because most series of a run have the same length.
    """
    places = np.unique(np.linspace(0, count, min(count, PLACES_MAX) + 1).round().astype(np.intp))
    start, end = np.meshgrid(places, places, indexing="ij", sparse=True)
    inside = end - start
    beside = np.minimum(np.where(start > 0, start, count), np.where(end < count, count - end, count))
    allowed = (inside >= LENGTH_MIN) & (inside <= count - LENGTH_MIN) & (beside >= LENGTH_MIN)
    return places, np.where(allowed, count / np.maximum(inside * (count - inside), 1), 0.0)


def _middle(values: NDArray[np.float64]) -> float:
    # An outlier moves a mean, but not the level. NumPy's median is several times slower for a few values.
    ordered = np.sort(values)
    return float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2


def _long_run_variance(residuals: NDArray[np.float64]) -> float:
    """The variance of a sum of many values, per value; for independent values, their variance."""
    power = float((residuals**2).sum())
    if not power:
        return 0.0
    persistence = float((residuals[1:] * residuals[:-1]).sum()) / power if len(residuals) > PREWHITEN_MIN else 0.0
    persistence = min(max(persistence, 0.0), PERSISTENCE_MAX)
    white = residuals[1:] - persistence * residuals[:-1]
    white -= white.mean()
    own = float((white**2).mean())
    variance = own
    lags = max(1, round(1.5 * len(residuals) ** (1 / 3)))
    for lag in range(1, min(lags, len(white) - 1) + 1):
        variance += 2 * (1 - lag / (lags + 1)) * float((white[lag:] * white[:-lag]).sum()) / len(white)
    return max(variance, own / 10) / (1 - persistence) ** 2
