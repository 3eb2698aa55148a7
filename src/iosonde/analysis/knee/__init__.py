"""The knee of a queue-depth sweep: where more depth stops buying throughput and only buys latency.

Three rules are asked side by side, with an interval over repeats; where they can't tell, no knee is named.
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
