"""The end of the warm-up in a series, and whether the series has settled.

MSER-5 (White, An effective truncation heuristic for bias reduction in simulation output, 1997; Hoad, Robinson and
Davies, 2010) finds the cut after which the mean has the smallest error, over means of five. Geweke's comparison of the
first tenth of the rest with its last half (1992) is a second test.
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
"""The least share of the groups after a cut. The last few groups alone are similar by chance."""

GEWEKE_FIRST: Final = 0.1
GEWEKE_LAST: Final = 0.5
GEWEKE_WORTH_MIN: Final = 4
"""If the last half is equivalent to fewer independent values, it moves as a whole and cannot serve as a reference."""

GEWEKE_SHOWN_MAX: Final = 38.0
"""The probability of a larger distance underflows a floating-point number."""


def find_warm_up(values: ArrayLike) -> int:
    """The number of values at the start of a series, in time order, that belong to the warm-up.

    0 for a series of fewer than ten groups of five. If the cut is in the last half, the series may not have settled
    when it ended.
    """
    series = np.asarray(values, dtype=np.float64)
    groups = len(series) // GROUP
    if groups < GROUPS_MIN:
        return 0
    return _mser(series[: groups * GROUP].reshape(groups, GROUP).mean(axis=1)) * GROUP


def _mser(means: NDArray[np.float64]) -> int:
    """The number of groups to cut that minimises the sum of squares of the rest over the square of their number."""
    centred = means - means.mean()
    left = np.arange(len(means), 0, -1)
    sums = np.cumsum(centred[::-1])[::-1]
    squares = np.cumsum(centred[::-1] ** 2)[::-1]
    error = np.maximum(squares - sums**2 / left, 0.0) / left.astype(np.float64) ** 2
    return int(np.argmin(error[: len(means) - ceil(len(means) * KEPT_MIN) + 1]))


def compared_ends(series: Sliced) -> tuple[Sliced, Sliced]:
    """The first tenth and the last half, which Geweke compares; each has at least one value if there is one."""
    return series[: max(int(len(series) * GEWEKE_FIRST), 1)], series[-max(int(len(series) * GEWEKE_LAST), 1) :]


def geweke(values: ArrayLike) -> float | None:
    """The distance of the first tenth of a series from its last half in standard errors; None if it is too short.

    The error is estimated from the last half, because a tenth is too short and the whole series may drift. With few
    effective values, that error is imprecise: the distance is then converted from Student's t to the distance of a
    normal distribution with the same probability.
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
