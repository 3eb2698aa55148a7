"""Mean latency as a function of block size: a fixed cost per operation plus its bytes divided by a rate.

The fit is a least-squares line on relative errors, because latencies of a sweep differ by orders of magnitude and are
measured with about the same relative precision. The intervals use the scatter around the line, or the precision of the
measured latencies if that is worse, and Student's t with the number of sizes less two degrees of freedom.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Final

from iosonde.analysis.estimate import Estimate, student_t

FIT_SIZES_MIN: Final = 4
"""A line through fewer block sizes has too few degrees of freedom for a residual to say anything."""

RESIDUAL_MAX: Final = 0.15
"""The fit is poor if a measured latency differs from it by more than this share."""


@dataclass(frozen=True)
class Bounded:
    """A fitted value with its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def is_positive(self) -> bool:
        """Whether the interval excludes 0 and negative values."""
        return self.low > 0


@dataclass(frozen=True)
class LatencyModel:
    """``latency = fixed_ns + bytes * ns_per_byte``, and how far each block size is from it.

    ``residuals`` are (measured - fitted) / fitted latency, in the order of ``sizes_bytes``.
    """

    sizes_bytes: tuple[int, ...]
    fixed_ns: Bounded
    ns_per_byte: Bounded
    residuals: tuple[float, ...]

    @property
    def largest_residual(self) -> tuple[int, float]:
        """The block size that differs most from the fit, and its residual."""
        return max(zip(self.sizes_bytes, self.residuals, strict=True), key=lambda each: abs(each[1]))

    @property
    def fits(self) -> bool:
        """Whether every latency is near the line, and latency increases significantly with block size."""
        return abs(self.largest_residual[1]) <= RESIDUAL_MAX and self.ns_per_byte.is_positive

    @property
    def bytes_per_s(self) -> Bounded:
        """The rate of a single operation. The slope must be significantly positive."""
        slope = self.ns_per_byte
        assert slope.is_positive, "a slope that may be 0 has no rate"
        return Bounded(1e9 / slope.value, 1e9 / slope.high, 1e9 / slope.low)


def latency_model(sizes_bytes: Sequence[int], latencies_ns: Sequence[Estimate]) -> LatencyModel | None:
    """The model of the mean latencies at these block sizes; None with fewer than ``FIT_SIZES_MIN`` sizes."""
    if len(set(sizes_bytes)) < FIT_SIZES_MIN or not all(each.mean > 0 for each in latencies_ns):
        return None
    sizes = [float(each) for each in sizes_bytes]
    means = [each.mean for each in latencies_ns]
    weights = [1 / mean**2 for mean in means]
    w, wx, wxx = (fsum(weight * size**power for weight, size in zip(weights, sizes, strict=True)) for power in range(3))
    wy = fsum(weight * mean for weight, mean in zip(weights, means, strict=True))
    wxy = fsum(weight * size * mean for weight, size, mean in zip(weights, sizes, means, strict=True))
    determinant = w * wxx - wx**2
    fixed, slope = (wxx * wy - wx * wxy) / determinant, (w * wxy - wx * wy) / determinant
    # Relative to the measured value, as in the fit.
    off = [(mean - fixed - slope * size) / mean for size, mean in zip(sizes, means, strict=True)]
    variance = max(fsum(each**2 for each in off) / (len(sizes) - 2), _measured_variance(latencies_ns))
    reach = student_t(len(sizes) - 2) * sqrt(variance)
    fitted = [fixed + slope * size for size in sizes]
    return LatencyModel(
        sizes_bytes=tuple(sizes_bytes),
        fixed_ns=_bounded(fixed, reach * sqrt(wxx / determinant)),
        ns_per_byte=_bounded(slope, reach * sqrt(w / determinant)),
        residuals=tuple(
            mean / each - 1 if each > 0 else float("inf") for mean, each in zip(means, fitted, strict=True)
        ),
    )


def _bounded(value: float, half_width: float) -> Bounded:
    return Bounded(value, value - half_width, value + half_width)


def _measured_variance(latencies_ns: Sequence[Estimate]) -> float:
    """The mean relative variance of the measured means; 0 if no size has repeats."""
    known = [(each.standard_error / each.mean) ** 2 for each in latencies_ns if each.standard_error is not None]
    return fsum(known) / len(known) if known else 0.0
