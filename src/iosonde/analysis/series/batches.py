"""The standard error of the mean of a correlated series.

The method of batch means (Law, Simulation Modeling and Analysis, 5th edition, section 9.5.3) divides the series into
batches, whose means are nearly independent. Their remaining correlation is estimated as that of a first-order
autoregressive series, and widens the interval accordingly.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.analysis.estimate import BATCHES_MAX, student_t

BATCHES: Final = BATCHES_MAX

EFFECTIVE_MIN: Final = 30
"""With fewer independent values, the interval of a single series is unreliable and is not reported."""

CORRELATION_MAX: Final = 0.9
"""Batches with a higher correlation carry almost no information: the correction diverges towards 1."""

CORRELATION_MIN: Final = -0.3
"""Independent batches have a small random correlation of either sign. Errors are pooled over repeats, and without the
negative values they would be 7 % too large. A lower correlation hardly occurs by chance."""


@dataclass(frozen=True)
class BatchMeans:
    """The mean of a series and its error, in the unit of the values.

    ``error`` is the standard error of the mean, None with fewer values than batches. ``effective`` is the equivalent
    number of independent values. ``correlation`` is that between the means of adjacent batches, and may be negative by
    chance. ``batches`` is the number of batches.
    """

    mean: float
    error: float | None
    effective: float
    correlation: float
    batches: int

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval; None if the effective number of values is below ``EFFECTIVE_MIN``."""
        if self.error is None or self.effective < EFFECTIVE_MIN:
            return None
        return student_t(self.batches - 1) * self.error


RESOLUTION: Final = 1e-9
"""Smaller differences are rounding errors, and so would be their correlation."""


def batch_means(values: ArrayLike, scale: float | None = None) -> BatchMeans | None:
    """The mean of a stationary series in time order, and its error; None for an empty series.

    If the values are differences, ``scale`` is the magnitude of the numbers they were computed from; else it is their
    mean. Values that do not fit into whole batches are dropped at the front, where a series may not have settled.
    """
    series = np.asarray(values, dtype=np.float64)
    if not len(series):
        return None
    batches = min(BATCHES, len(series))
    if batches < BATCHES:
        return BatchMeans(float(series.mean()), None, float(len(series)), 0.0, batches)
    length = len(series) // batches
    used = series[len(series) - batches * length :]
    means = used.reshape(batches, length).mean(axis=1)
    spread = float(means.var(ddof=1))
    if sqrt(spread) <= RESOLUTION * abs(float(used.mean()) if scale is None else scale):
        return BatchMeans(float(used.mean()), 0.0, float(len(used)), 0.0, batches)
    correlation = _correlation(means)
    error = sqrt(spread / batches * (1 + correlation) / (1 - correlation))
    effective = min(float(used.var(ddof=1)) / error**2, float(len(used)))
    return BatchMeans(float(used.mean()), error, effective, correlation, batches)


def _correlation(means: NDArray[np.float64]) -> float:
    """The correlation at lag 1, corrected for the bias of a short series, which is -1/n on average."""
    off = means - means.mean()
    found = float((off[1:] * off[:-1]).sum() / (off**2).sum()) + 1 / len(means)
    return min(max(found, CORRELATION_MIN), CORRELATION_MAX)
