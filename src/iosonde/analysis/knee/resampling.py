"""How far the rules' answers move when repeats are drawn anew: the bootstrap."""

from collections.abc import Iterator, Sequence
from math import ceil, sqrt
from typing import Final

import numpy as np

from iosonde.analysis.knee.result import DepthPoint

RESAMPLES: Final = 400
"""Of 400, ten lie beyond each end of a 95 % interval."""

SEED: Final = 20_111
"""The same run gives the same interval, whenever it is asked."""

CONFIDENCE: Final = 0.95
REPEATS_MIN: Final = 2
FLOOR: Final = 1e-6
"""A share of the mean: what spreads so far that a resample would be negative stays above nothing."""


def resamples(points: Sequence[DepthPoint]) -> Iterator[tuple[list[float], list[float]]]:
    """Throughputs and mean latencies of the sweep, from repeats drawn anew within each depth; seeded.

    Nothing where a depth has fewer than two repeats. A mean of n values that are drawn from n is spread by
    sqrt((n - 1) / n) of what it should be, which for three repeats is a fifth too little; the draws are stretched by
    as much.
    """
    if any(len(point.repeats) < REPEATS_MIN for point in points):
        return
    random = np.random.default_rng(SEED)
    drawn = np.empty((2, RESAMPLES, len(points)))
    for place, point in enumerate(points):
        values = np.array(point.repeats)
        number = len(values)
        weights = np.array(point.weights or [1] * number, dtype=np.float64)
        centre = np.average(values, axis=0, weights=weights)
        chosen = random.integers(0, number, size=(RESAMPLES, number))
        means = (values[chosen] * weights[chosen][:, :, None]).sum(axis=1) / weights[chosen].sum(axis=1)[:, None]
        stretched = centre + (means - centre) * sqrt(number / (number - 1))
        drawn[:, :, place] = np.maximum(stretched, FLOOR * centre).T
    yield from zip(drawn[0].tolist(), drawn[1].tolist(), strict=True)


def interval(answers: Sequence[int | None]) -> tuple[int, int] | None:
    """The 95 % interval of answers, as the ones that stand at its ends; None when most are none."""
    known = sorted(answer for answer in answers if answer is not None)
    if not known or 2 * len(known) < len(answers):
        return None
    beyond = (1 - CONFIDENCE) / 2 * len(known)
    return known[int(beyond)], known[ceil(len(known) - beyond) - 1]
