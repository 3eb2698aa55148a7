"""The quantities of matrix charts: IOPS, bandwidth, mean latency and p99 latency."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.charts.figure import Row
from iosonde.charts.points import FLOOR_BELOW, Point, interval_ends, unit_of
from iosonde.charts.quantities import BANDWIDTH_BASE, BANDWIDTH_UNIT, IOPS_BASE, LatencyUnit, latency_words, significant
from iosonde.units import MEGABYTE, format_latency

DIGITS: Final = 3
LOG_FROM: Final = 10.0
"""Latencies that differ by more than this factor have a log axis: a linear axis would hide the lowest ones."""

P99: Final = 99.0


@dataclass(frozen=True)
class Quantity:
    """One quantity of a matrix.

    ``field`` is its field in rows, in the unit of ``axis``. ``value`` returns None if a cell has no value. ``ends``
    returns the ends of the error bar. ``text`` returns the number, with three digits, and its unit.
    """

    id: str
    title: str
    axis: str
    field: str
    said: str
    value: Callable[[OperationEstimate], float | None]
    ends: Callable[[OperationEstimate], Row]
    text: Callable[[float], tuple[str, str]]
    unit: LatencyUnit
    is_latency: bool = False
    bars: str = "95 % confidence intervals for the mean"

    def is_wide(self, values: Sequence[float]) -> bool:
        """Whether these values are latencies whose lowest values would be invisible on a linear axis from 0."""
        above = [value for value in values if value > 0]
        return self.is_latency and bool(above) and max(above) > LOG_FROM * min(above)


def iops(points: Sequence[Point]) -> Quantity:
    """IOPS."""
    return Quantity(
        "matrix-iops",
        "IOPS",
        f"IOPS ({IOPS_BASE})",
        "iops",
        f"IOPS ({IOPS_BASE})",
        lambda figures: figures.iops.mean,
        lambda figures: interval_ends(figures.iops, 0.0),
        lambda value: (short(value), "IOPS"),
        unit_of(points),
    )


def bandwidth(points: Sequence[Point]) -> Quantity:
    """Bandwidth in MB/s."""
    return Quantity(
        "matrix-bandwidth",
        "Bandwidth",
        f"Bandwidth ({BANDWIDTH_UNIT})",
        "bandwidth_mb_per_s",
        f"Bandwidth ({BANDWIDTH_BASE})",
        lambda figures: figures.bytes_per_s.mean / MEGABYTE,
        lambda figures: interval_ends(figures.bytes_per_s, 0.0, 1 / MEGABYTE),
        lambda value: (significant(value, DIGITS), BANDWIDTH_UNIT),
        unit_of(points),
    )


def mean_latency(points: Sequence[Point]) -> Quantity:
    """The mean latency."""
    unit = unit_of(points)
    floor = min((figures.latency_ns_mean.mean for _, figures in points), default=unit.ns) / unit.ns / FLOOR_BELOW
    return Quantity(
        "matrix-latency",
        "Mean latency",
        f"Mean latency ({unit.name})",
        unit.field,
        f"Mean {_words(points)} ({unit.name})",
        lambda figures: figures.latency_ns_mean.mean / unit.ns,
        lambda figures: interval_ends(figures.latency_ns_mean, floor, 1 / unit.ns),
        lambda value: _latency_text(value * unit.ns),
        unit,
        is_latency=True,
    )


def latency_p99(points: Sequence[Point]) -> Quantity:
    """The 99th percentile of latency, for cells with enough samples."""
    unit = unit_of(points)
    return Quantity(
        "matrix-latency-p99",
        "p99 latency",
        f"p99 latency ({unit.name})",
        unit.field.replace("latency", "latency_p99"),
        f"p99 {_words(points)} ({unit.name})",
        lambda figures: None if (found := figures.percentile(P99).value_ns) is None else found / unit.ns,
        lambda figures: _percentile_ends(figures, unit),
        lambda value: _latency_text(value * unit.ns),
        unit,
        is_latency=True,
        bars="95 % confidence intervals for the percentile",
    )


def short(value: float) -> str:
    """A number with three digits and k or M: ``97.9k``."""
    for size, letter in ((10**6, "M"), (10**3, "k")):
        # A number that rounds up to 1,000 of a unit already has the next letter.
        if value >= 0.9995 * size:
            return f"{significant(value / size, DIGITS)}{letter}"
    return significant(value, DIGITS)


def _latency_text(value_ns: float) -> tuple[str, str]:
    number, _, unit = format_latency(value_ns).partition(" ")
    return number, unit


def _words(points: Sequence[Point]) -> str:
    cells: list[CellEstimate] = [cell for cell, _ in points]
    words = latency_words(cells)
    return words[:1].lower() + words[1:]


def _percentile_ends(figures: OperationEstimate, unit: LatencyUnit) -> Row:
    found = figures.percentile(P99)
    assert found.value_ns is not None
    low = found.value_ns if found.low_ns is None else found.low_ns
    high = found.value_ns if found.high_ns is None else found.high_ns
    ends = {"low": low / unit.ns, "high": high / unit.ns}
    return ends | {
        "deviation_low": ends["low"],
        "deviation_high": ends["high"],
        "drawn_low": ends["low"],
        "drawn_deviation_low": ends["low"],
        "drawn_cut": False,
    }
