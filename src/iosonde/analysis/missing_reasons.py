"""Why a value or its interval is missing. All forms of the report take the reason from here."""

from math import ceil, exp, log, sqrt
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import RATIO_MAX, REPEATS_MIN, Estimate
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, percentile_supported

NORMAL: Final = 1.96
"""Half-width of a 95 % interval in standard errors when the variance is known, not estimated (normal distribution)."""

NOT_MEASURED: Final = "not measured"
ENGINE_UNKNOWING: Final = "the engine does not report it"
NO_DATA_MOVED: Final = "a flush transfers no data"
FEW_BEYOND: Final = f"fewer than {SAMPLES_BEYOND_MIN} samples are above this percentile"
FEW_BEYOND_BOUND: Final = "too few samples are above this percentile for an upper bound"
ONE_REPEAT: Final = "with only one repeat, the variation between repeats is unknown"
TOO_WIDE: Final = (
    "the repeats vary so much that the confidence interval would extend from less than "
    f"1/{RATIO_MAX:g} to more than {RATIO_MAX:g} times the estimate"
)
RATE_NOT_KEPT: Final = "the arrival rate was not sustained, so latency depends on the measurement time"
NO_ENGINE_COST: Final = "the engine's CPU time was not measured"
NO_POWER: Final = "too few samples of this power fell within the measurement time"


def why_no_mean_interval(mean: Estimate) -> str:
    """Why a mean over repeats has no interval; empty if it has one."""
    if mean.half_width is not None:
        return ""
    return ONE_REPEAT if mean.repeats < REPEATS_MIN else TOO_WIDE


def why_no_percentile(figures: OperationEstimate, percent: float) -> str:
    """Why a percentile has no value; empty if it has one."""
    if figures.percentile(percent).value_ns is not None:
        return ""
    return RATE_NOT_KEPT if figures.saturated else FEW_BEYOND


def why_no_percentile_interval(figures: OperationEstimate, percent: float) -> str:
    """Why a percentile has no interval; empty if it has one."""
    known = figures.percentile(percent)
    if known.low_ns is not None and known.high_ns is not None:
        return ""
    if known.value_ns is None:
        return why_no_percentile(figures, percent)
    if why := why_no_mean_interval(figures.iops):
        return why
    if _reaches_beyond(figures.count, percent):
        return FEW_BEYOND_BOUND
    return f"the {figures.iops.repeats} repeats vary too much for a useful confidence interval"


def why_no_range(figures: OperationEstimate, percent: float) -> str:
    """Why there is no lowest and highest percentile over the repeats; empty if there is."""
    known = figures.percentile(percent)
    if known.lowest_ns is not None and known.highest_ns is not None:
        return ""
    if figures.saturated:
        return RATE_NOT_KEPT
    return f"some repeats have fewer than {SAMPLES_BEYOND_MIN} samples above this percentile"


def why_no_depth(cell: CellEstimate) -> str:
    """Why the achieved queue depth is unknown; empty if it is known."""
    if cell.queue_depth_achieved is not None:
        return ""
    return ENGINE_UNKNOWING if cell.operations else NOT_MEASURED


def _reaches_beyond(count: int, percent: float) -> bool:
    """Whether the binomial interval of independent samples would extend above the largest sample."""
    if not percentile_supported(count, percent):
        return True
    share = percent / 100
    # In log odds, like the interval itself.
    high = 1 / (1 + exp(-log(share / (1 - share)) - NORMAL / sqrt(share * (1 - share) * count)))
    return ceil(count * high) + 1 > count
