"""What a matrix is drawn by: throughput, bandwidth where block sizes differ, mean latency and its 99th percentile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.charts.figure import Row
from iosonde.charts.points import FLOOR_BELOW, Point, interval_ends, unit_of
from iosonde.charts.quantities import (
    BANDWIDTH_BASE,
    BANDWIDTH_UNIT,
    IOPS_BASE,
    MEGABYTE,
    LatencyUnit,
    latency_words,
    significant,
)
from iosonde.units import format_latency

DIGITS: Final = 3
LOG_FROM: Final = 10.0
"""A linear axis hides what is this many times below its end: latencies that differ by more have a logarithmic one."""

P99: Final = 99.0


@dataclass(frozen=True)
class Quantity:
    """One quantity of all cells of a matrix.

    ``field`` has its value in rows, in the unit of ``axis``; ``value`` is None where a cell has none, and ``ends`` are
    those of its error bar. ``text`` writes a value with three digits: the number and its unit.
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
        """Whether a linear axis from 0 would hide the least of these values."""
        above = [value for value in values if value > 0]
        return self.is_latency and bool(above) and max(above) > LOG_FROM * min(above)


def iops(points: Sequence[Point]) -> Quantity:
    """Operations a second."""
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
    """Megabytes a second."""
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
    """The 99th percentile of latency, where there are samples for one."""
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
    """Three digits, with k or M: ``97.9k``."""
    for size, letter in ((10**6, "M"), (10**3, "k")):
        # What would round up to the next letter has it already.
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
