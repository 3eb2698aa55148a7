"""The knee of a queue-depth sweep: the depth above which latency grows and throughput does not.

Three rules are applied, with an interval over repeats. If they do not identify a knee, none is reported.
"""

from iosonde.analysis.knee.find import DEPTHS_MIN, FLAT_SHARE, depth_points, find_knee, knee_of
from iosonde.analysis.knee.result import DepthPoint, Knee, KneeReason, KneeRule, KneeState, RuleAnswer
from iosonde.analysis.knee.rules import THROUGHPUT_SHARE_MIN

__all__ = [
    "DEPTHS_MIN",
    "FLAT_SHARE",
    "THROUGHPUT_SHARE_MIN",
    "DepthPoint",
    "Knee",
    "KneeReason",
    "KneeRule",
    "KneeState",
    "RuleAnswer",
    "depth_points",
    "find_knee",
    "knee_of",
]
