"""Analysis of time series of intervals or rounds: errors, level changes, steady state, warm-up."""

from iosonde.analysis.series.batches import BatchMeans, batch_means
from iosonde.analysis.series.changes import find_changes
from iosonde.analysis.series.steady import (
    SNIA,
    Steadiness,
    SteadyRule,
    fio_deviation,
    fio_slope,
    judge_steadiness,
)
from iosonde.analysis.series.warm_up import compared_ends, find_warm_up, geweke

__all__ = [
    "SNIA",
    "BatchMeans",
    "Steadiness",
    "SteadyRule",
    "batch_means",
    "compared_ends",
    "find_changes",
    "find_warm_up",
    "fio_deviation",
    "fio_slope",
    "geweke",
    "judge_steadiness",
]
