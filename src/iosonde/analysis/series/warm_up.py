"""Where a series settles, and whether it has.

MSER-5 (White, An effective truncation heuristic for bias reduction in simulation output, 1997; Hoad, Robinson and
Davies, 2010): the cut after which the mean is known best, over means of five. Geweke's comparison of the first tenth
of what is left with its last half (1992) is a second opinion.
"""

from collections.abc import Sequence
from math import ceil, copysign, sqrt
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.analysis.series.batches import batch_means
from iosonde.analysis.student import t_tail

Sliced = TypeVar("Sliced", NDArray[np.float64], Sequence[Any])

GROUP: Final = 5
GROUPS_MIN: Final = 10
KEPT_MIN: Final = 0.25
"""The share of the groups that stays behind every cut: the last few alone are alike by chance."""

GEWEKE_FIRST: Final = 0.1
GEWEKE_LAST: Final = 0.5
GEWEKE_WORTH_MIN: Final = 4
"""A half that is worth fewer independent values moves as a whole: nothing can be compared with it."""

GEWEKE_SHOWN_MAX: Final = 38.0
"""A larger distance has a probability for which there is no floating-point number."""


def find_warm_up(values: ArrayLike) -> int:
    """How many values at the start of a series, in the order of time, do not belong to what follows.

    None of a short one, of fewer than ten groups of five. Where so many of them lie in its last half, the series may
    still have been on its way when it ended.
    """
    series = np.asarray(values, dtype=np.float64)
    groups = len(series) // GROUP
    if groups < GROUPS_MIN:
        return 0
    return _mser(series[: groups * GROUP].reshape(groups, GROUP).mean(axis=1)) * GROUP


def _mser(means: NDArray[np.float64]) -> int:
    """How many groups to cut so that the sum of squares behind, over the square of their number, is the least."""
    centred = means - means.mean()
    left = np.arange(len(means), 0, -1)
    sums = np.cumsum(centred[::-1])[::-1]
    squares = np.cumsum(centred[::-1] ** 2)[::-1]
    error = np.maximum(squares - sums**2 / left, 0.0) / left.astype(np.float64) ** 2
    return int(np.argmin(error[: len(means) - ceil(len(means) * KEPT_MIN) + 1]))


def compared_ends(series: Sliced) -> tuple[Sliced, Sliced]:
    """The first tenth and the last half, which Geweke compares; a value each at least, where there is one."""
    return series[: max(int(len(series) * GEWEKE_FIRST), 1)], series[-max(int(len(series) * GEWEKE_LAST), 1) :]


def geweke(values: ArrayLike) -> float | None:
    """How far the first tenth of a series lies from its last half, in standard errors; None where it is too short.

    What one value is worth is told by the last half: a tenth is too short to say, and the whole may drift. Where the
    half is worth few independent values, its own error is a guess: the distance is then that of a normal distribution
    which chance exceeds as often as this one by Student's.
    """
    series = np.asarray(values, dtype=np.float64)
    first, last = compared_ends(series)
    settled = batch_means(last)
    if settled is None or settled.error is None or settled.effective < GEWEKE_WORTH_MIN:
        return None
    variance = float(last.var(ddof=1)) * len(last) / settled.effective
    error = sqrt(variance * (1 / len(first) + 1 / len(last)))
    difference = float(first.mean()) - settled.mean
    if not error:
        return copysign(GEWEKE_SHOWN_MAX, difference) if difference else 0.0
    distance = difference / error
    return copysign(_as_normal(abs(distance), min(settled.effective, settled.batches) - 1), distance)


def _as_normal(distance: float, degrees: float) -> float:
    # Imported here: it takes 10 ms, which neither --help nor a probe should pay.
    from statistics import NormalDist

    chance = t_tail(degrees, distance)
    return min(-NormalDist().inv_cdf(chance), GEWEKE_SHOWN_MAX) if chance else GEWEKE_SHOWN_MAX
