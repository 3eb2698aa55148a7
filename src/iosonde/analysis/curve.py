"""A distribution as a percentile curve, on an axis that gives each nine the same width."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from iosonde.analysis.cells import OperationEstimate
from iosonde.analysis.histogram import PERCENTS, SAMPLES_BEYOND_MIN, rank_of, values_at_ranks

POINTS_PER_DECADE: Final = 30
"""A line of 600 pixels over five decades cannot show more."""


@dataclass(frozen=True)
class CurvePoint:
    """One point of the curve: a percentile, its position 1/(1 - p) on the axis, and the latency in nanoseconds."""

    percent: float
    inverse_beyond: float
    latency_ns: int


def percentile_curve(figures: OperationEstimate) -> tuple[CurvePoint, ...]:
    """The latency distribution of all repeats together, up to the last point with at least 10 samples above it.

    Empty if the distribution has no such point, or if the cell is saturated.
    """
    if figures.saturated:
        return ()
    total = figures.count
    last = total - SAMPLES_BEYOND_MIN
    if last < 1:
        return ()
    decades = np.log10(total / (total - last))
    spaced = np.logspace(0, decades, num=int(decades * POINTS_PER_DECADE) + 2)
    ranks = {min(max(int(np.ceil(total * (1 - 1 / place))), 1), last) for place in spaced}
    ranks |= {rank for percent in PERCENTS if (rank := rank_of(total, percent)) <= last}
    ordered = sorted(ranks)
    values = values_at_ranks(
        figures.latency, ordered, smallest_ns=figures.latency_ns_min, largest_ns=figures.latency_ns_max
    )
    return tuple(
        CurvePoint(100 * rank / total, total / (total - rank), value)
        for rank, value in zip(ordered, values, strict=True)
    )
