"""Where a series settles, and whether it has.

MSER-5 (White, An effective truncation heuristic for bias reduction in simulation output, 1997; Hoad, Robinson and
Davies, 2010): the cut after which the mean is known best, over means of five. Geweke's comparison of the first tenth
of what is left with its last half (1992) is a second opinion.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.analysis.series.batches import batch_means

GROUP: Final = 5
GROUPS_MIN: Final = 10
KEPT_MIN: Final = 0.25
"""The share of the groups that stays behind every cut: the last few alone are alike by chance."""

GEWEKE_FIRST: Final = 0.1
GEWEKE_LAST: Final = 0.5
GEWEKE_MAX: Final = 2.58
"""What a settled series exceeds once in a hundred times."""


@dataclass(frozen=True)
class WarmUp:
    """How many values at the start do not belong to what follows, of how many.

    ``settled`` is false where the cut falls in the last half: then the series was still on its way when it ended, and
    its mean is that of no state. ``geweke`` is the distance of the first tenth behind the cut from the last half, in
    standard errors; None where too few values are left.
    """

    cut: int
    length: int
    settled: bool
    geweke: float | None

    @property
    def agrees(self) -> bool:
        """Whether the second opinion sees no difference either."""
        return self.geweke is None or abs(self.geweke) <= GEWEKE_MAX


def find_warm_up(values: ArrayLike) -> WarmUp:
    """Where a series in the order of time settles. A short one, of fewer than ten groups of five, is taken whole."""
    series = np.asarray(values, dtype=np.float64)
    groups = len(series) // GROUP
    if groups < GROUPS_MIN:
        return WarmUp(0, len(series), settled=True, geweke=None)
    means = series[: groups * GROUP].reshape(groups, GROUP).mean(axis=1)
    cut = _mser(means) * GROUP
    settled = 2 * cut < len(series)
    return WarmUp(cut, len(series), settled=settled, geweke=geweke(series[cut:]) if settled else None)


def _mser(means: NDArray[np.float64]) -> int:
    """How many groups to cut so that the sum of squares behind, over the square of their number, is the least."""
    centred = means - means.mean()
    left = np.arange(len(means), 0, -1)
    sums = np.cumsum(centred[::-1])[::-1]
    squares = np.cumsum(centred[::-1] ** 2)[::-1]
    error = np.maximum(squares - sums**2 / left, 0.0) / left.astype(np.float64) ** 2
    return int(np.argmin(error[: len(means) - ceil(len(means) * KEPT_MIN) + 1]))


def geweke(values: ArrayLike) -> float | None:
    """How far the first tenth of a series lies from its last half, in standard errors; None where it is too short."""
    series = np.asarray(values, dtype=np.float64)
    first, last = series[: int(len(series) * GEWEKE_FIRST)], series[-int(len(series) * GEWEKE_LAST) :]
    settled = batch_means(last)
    if settled is None or settled.half_width is None or not len(first):
        return None
    # What one value is worth is told by the last half: a tenth is too short to say, and the whole may drift.
    variance = float(last.var(ddof=1)) * len(last) / settled.effective
    error = sqrt(variance * (1 / len(first) + 1 / len(last)))
    return (float(first.mean()) - settled.mean) / error if error else 0.0
