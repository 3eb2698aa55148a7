"""How well the mean of a series is known whose values depend on each other.

The method of batch means (Law, Simulation Modeling and Analysis, 5th edition, section 9.5.3): the series is cut into
batches, and their means are taken for nearly independent. What is left of their dependence is measured as well, as that
of a first-order autoregressive series, and widens the interval by as much.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.analysis.estimate import BATCHES_MAX, student_t

BATCHES: Final = BATCHES_MAX

EFFECTIVE_MIN: Final = 30
"""Below so many independent values, the interval of a single series is itself a guess: none is given."""

CORRELATION_MAX: Final = 0.9
"""Batches that depend on each other as much say next to nothing; the widening grows without end towards 1."""

CORRELATION_MIN: Final = -0.3
"""Independent batches seem to depend on each other a little, in either direction. Errors are pooled over repeats:
without the negative half they would be 7 % too large. Chance hardly goes further down."""


@dataclass(frozen=True)
class BatchMeans:
    """The mean of a series and how well it is known, in the unit of the values.

    ``error`` is the mean's standard error; None where there were fewer values than batches. ``effective`` is how many
    independent values would tell the mean as well, ``correlation`` that between a batch's mean and the next one's,
    which chance may make negative, and ``batches`` how many there were.
    """

    mean: float
    error: float | None
    effective: float
    correlation: float
    batches: int

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval; None where fewer than ``EFFECTIVE_MIN`` values would have been independent."""
        if self.error is None or self.effective < EFFECTIVE_MIN:
            return None
        return student_t(self.batches - 1) * self.error


RESOLUTION: Final = 1e-9
"""What differs by a smaller share does so in the arithmetic alone: its dependence would be that of rounding errors."""


def batch_means(values: ArrayLike, scale: float | None = None) -> BatchMeans | None:
    """The mean of a stationary series in the order of time, and how well it is known; None for an empty one.

    ``scale`` is how large the numbers are that the values were made of, where these are differences; else their mean.
    Values in excess of whole batches are taken from the front, where a series may not quite have settled.
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
    """That of lag 1; with what a short series lacks of it on average, 1/n, given back."""
    off = means - means.mean()
    found = float((off[1:] * off[:-1]).sum() / (off**2).sum()) + 1 / len(means)
    return min(max(found, CORRELATION_MIN), CORRELATION_MAX)
