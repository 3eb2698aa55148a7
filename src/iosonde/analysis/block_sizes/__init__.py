"""What a sweep over block sizes shows: its IOPS-bound and bandwidth-bound regions, and its latency model."""

from iosonde.analysis.block_sizes.model import FIT_SIZES_MIN, RESIDUAL_MAX, Bounded, LatencyModel, latency_model
from iosonde.analysis.block_sizes.regions import NEAR_BEST, Regions, Saturation, SizeSweep, regions_of, size_sweeps

__all__ = [
    "FIT_SIZES_MIN",
    "NEAR_BEST",
    "RESIDUAL_MAX",
    "Bounded",
    "LatencyModel",
    "Regions",
    "Saturation",
    "SizeSweep",
    "latency_model",
    "regions_of",
    "size_sweeps",
]
