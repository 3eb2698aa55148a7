"""Ratios and differences of paired values, with bootstrap intervals."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000


@dataclass(frozen=True)
class Paired:
    """The median over pairs, with the 95 % interval of that median."""

    median: float
    low: float
    high: float
    pairs: int

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval is within the bounds."""
        return low <= self.low and self.high <= high

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f})"


def ratio_of(ours: Sequence[float], theirs: Sequence[float], seed: int = 1) -> Paired:
    """The ratio of paired values. Resamples pairs, not single values, because drift affects both sides of a pair."""
    return _median_of(np.asarray(ours) / np.asarray(theirs), seed)


def difference_of(ours: Sequence[float], theirs: Sequence[float], seed: int = 1) -> Paired:
    """The difference of paired values, ours minus theirs, in their unit. Resamples pairs, like ``ratio_of``."""
    return _median_of(np.asarray(ours) - np.asarray(theirs), seed)


def _median_of(pairs: NDArray[np.float64], seed: int) -> Paired:
    random = np.random.default_rng(seed)
    medians = np.median(random.choice(pairs, size=(RESAMPLES, len(pairs))), axis=1)
    low, high = np.percentile(medians, [2.5, 97.5])
    return Paired(float(np.median(pairs)), float(low), float(high), len(pairs))
