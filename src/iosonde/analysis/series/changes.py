"""Where a series changes its level: the end of a cache, the start of throttling or of garbage collection.

Circular binary segmentation (Olshen, Venkatraman, Lucito and Wigler, 2004): the stretch that differs most from what
lies beside it is parted from that, by one cut or two, if it explains more than chance does; then each part is looked at
by itself. A change and its reversal do not hide each other. What chance explains depends on how much the values depend
on each other, so the noise is measured behind the cuts by its long-run variance (Andrews and Monahan, 1992:
prewhitened, Bartlett's kernel). Levels are compared as logarithms: a drive that halves its throughput has changed as
much as one that doubles it.

Behind a sharp change the level may itself move for long, as a drive's does that finds its balance of writing and
collecting; measured behind one or two cuts, that is noise in which nothing stands out. So a jump is looked for first:
all of five values lie on one side of all five before them, by a distance that is rare between neighbouring fives of
this series (a moving-sum test, Eichinger and Kirch, 2018, by medians and extremes, which single values do not move).
"""

from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.analysis.estimate import LEVEL_SHARE_MIN

LENGTH_MIN: Final = 5
"""Values between two changes, at least: shorter excursions belong to the spread of a state, not to its level."""

JUMP_MIN: Final = 5.0
"""What a jump measures, in standard deviations of the difference of neighbouring fives; stationary series exceed it
once in a thousand times at most while neighbours correlate by up to 0.9, as simulation shows."""

SHARPNESS_MIN: Final = 0.5
"""The share of the difference between two fives that is made in one step; what goes on gradually makes a fifth."""

NORMAL_WITHIN: Final = ((0.5, 0.6745), (0.8, 1.2816))
"""Within how many standard deviations such a share of a normal distribution lies."""

GAIN_MIN: Final = 20.0
GAIN_SHORT: Final = 2000.0
"""What a split of a series of n values has to explain, in units of its noise: GAIN_MIN + GAIN_SHORT / n. Stationary
series exceed it once in a hundred times at most while neighbours correlate by up to 0.6, as simulation shows."""

PLACES_MAX: Final = 600
"""Places for cuts in a long series: every pair of them is tried."""

STANDSTILL: Final = 1e-3
"""The share of the mean that stands for nothing at all."""

PERSISTENCE_MAX: Final = 0.97
PREWHITEN_MIN: Final = 10


def find_changes(values: ArrayLike) -> tuple[int, ...]:
    """The places of a series without negative values from which on it has another level than before, ascending."""
    series = np.asarray(values, dtype=np.float64)
    if not series.any():
        return ()
    # A standstill has no logarithm; it is a change like any other, and a large one.
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
    """The place of the largest jump in the logarithms of ten or more values, None where none of them jumps."""
    fives = np.array([logarithms[first : len(logarithms) - LENGTH_MIN + 1 + first] for first in range(LENGTH_MIN)])
    lows, highs = fives.min(axis=0), fives.max(axis=0)
    steps = np.maximum(lows[:-LENGTH_MIN] - highs[LENGTH_MIN:], lows[LENGTH_MIN:] - highs[:-LENGTH_MIN])
    place = int(np.argmax(steps))
    if steps[place] <= log(1 + LEVEL_SHARE_MIN):
        return None
    middles = np.median(fives, axis=0)
    differences = np.abs(middles[LENGTH_MIN:] - middles[:-LENGTH_MIN])
    ordered = np.sort(differences)
    # The middle one is nothing where intervals have few operations each, and the larger ones are in a jump's own place.
    deviation = max(float(ordered[int(share * (len(steps) - 1))]) / within for share, within in NORMAL_WITHIN)
    least = max(JUMP_MIN * deviation, SHARPNESS_MIN * float(differences[place]))
    return place + LENGTH_MIN if steps[place] > least else None


def _best_cuts(series: NDArray[np.float64]) -> tuple[int, ...]:
    """One or two cuts that part a stretch from what lies beside it, if they explain more than chance does."""
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
    """Where a series of so many values can be cut, and what each pair of places weighs, from row to column.

    The weight is that of the squared sum between them; 0 where a stretch there is not allowed. Most series of a run
    have the same length.
    """
    places = np.unique(np.linspace(0, count, min(count, PLACES_MAX) + 1).round().astype(np.intp))
    start, end = np.meshgrid(places, places, indexing="ij", sparse=True)
    inside = end - start
    beside = np.minimum(np.where(start > 0, start, count), np.where(end < count, count - end, count))
    allowed = (inside >= LENGTH_MIN) & (inside <= count - LENGTH_MIN) & (beside >= LENGTH_MIN)
    return places, np.where(allowed, count / np.maximum(inside * (count - inside), 1), 0.0)


def _middle(values: NDArray[np.float64]) -> float:
    # One value far off moves a mean, and is no level. NumPy's own median takes several times as long for a few values.
    ordered = np.sort(values)
    return float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2


def _long_run_variance(residuals: NDArray[np.float64]) -> float:
    """How much the sum of many values strays, for each of them; their variance where none depends on the others."""
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
