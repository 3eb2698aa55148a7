"""The spread of the rules' answers over resampled repeats (bootstrap)."""

from collections.abc import Iterator, Sequence
from math import ceil, sqrt
from typing import Final

import numpy as np

from iosonde.analysis.knee.result import DepthPoint

RESAMPLES: Final = 400
"""With 400 resamples, ten are outside each end of a 95 % interval."""

SEED: Final = 20_111
"""A fixed seed: the same run always has the same interval."""

CONFIDENCE: Final = 0.95
REPEATS_MIN: Final = 2
FLOOR: Final = 1e-6
"""The lowest value of a resample, as a share of the mean. A wide spread could make it negative."""


def resamples(points: Sequence[DepthPoint]) -> Iterator[tuple[list[float], list[float]]]:
    """Throughputs and mean latencies of the sweep, from repeats resampled within each depth with a fixed seed.

    Empty if a depth has fewer than two repeats. The spread of a mean of n values drawn from n is too small by a factor
    of sqrt((n - 1) / n), which is a fifth for three repeats. The draws are scaled to correct this.
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
    """The answers at the ends of their 95 % interval; None if most answers are None."""
    known = sorted(answer for answer in answers if answer is not None)
    if not known or 2 * len(known) < len(answers):
        return None
    beyond = (1 - CONFIDENCE) / 2 * len(known)
    return known[int(beyond)], known[ceil(len(known) - beyond) - 1]
