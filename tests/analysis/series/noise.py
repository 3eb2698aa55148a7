"""Synthetic series with known parameters. Successive values are correlated, as the intervals of a drive are."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

SETTLE = 400


def autoregressive(length: int, persistence: float, seed: int) -> NDArray[np.float64]:
    """A stationary AR(1) series of mean 0 whose innovations have a standard deviation of 1."""
    innovations = np.random.default_rng(seed).standard_normal(length + SETTLE)
    return np.asarray(lfilter([1.0], [1.0, -persistence], innovations)[SETTLE:], dtype=np.float64)
