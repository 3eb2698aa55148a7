"""Formats headline figures and parameters for people."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from iosonde.analysis.latency import estimate_times
from iosonde.charts.quantities import (
    BANDWIDTH_UNIT,
    NO_VALUE,
    decimals_of,
    latency_unit,
    significant,
    value_with_interval,
)
from iosonde.records import Operation, Times
from iosonde.report.headline_figures import HeadlineFigure
from iosonde.report.signs import UNMET
from iosonde.units import MEGABYTE, SECOND_NS, format_bandwidth, format_duration, format_latency, format_size
from iosonde.vocabulary import Quantity

SPREAD_OF_REPEATS: Final = "lowest to highest repeat"

_BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=(?:%|[KMGT]iB|[kMGT]?B|[MG]B/s|ns|µs|ms|s|IOPS|commits/s)\b|%)")


@dataclass(frozen=True)
class FigureText:
    """A number as text. ``spread`` is its 95 % interval, or the range of the repeats, or empty.

    ``sign`` marks a number that missed the requested precision. ``why`` says why there is no interval, and what
    ``spread`` is if it is not the 95 % interval.
    """

    value: str
    spread: str
    why: str
    unit: str
    sign: str = ""


LOPSIDED_SHARE: Final = 0.2
"""From this half-width on, as a share of the value, an interval extends visibly further upwards than downwards."""


def is_lopsided(figure: HeadlineFigure) -> bool:
    """Whether ``value ± half-width`` would give the wrong limits: intervals are symmetric on a log scale."""
    return figure.half_width_share is not None and figure.half_width_share > LOPSIDED_SHARE


def figure_text(figure: HeadlineFigure) -> FigureText:
    """A headline figure in the usual unit of its quantity."""
    factor, unit = _unit(figure)
    if figure.value is None:
        return FigureText(NO_VALUE, "", figure.why_none, unit)
    sign = UNMET if figure.remark else ""
    missing = f"no 95 % CI: {figure.why_none}" if figure.why_none else ""
    if figure.is_mean and figure.low is not None and figure.high is not None and is_lopsided(figure):
        decimals = decimals_of(figure.value * factor)
        ends = f"({figure.low * factor:,.{decimals}f} to {figure.high * factor:,.{decimals}f})"
        return FigureText(significant(figure.value * factor), ends, "", unit, sign)
    if figure.is_mean:
        value, _, half_width = value_with_interval(figure.value, figure.half_width, factor).partition(" ± ")
        return FigureText(value, f"± {half_width}" if half_width else "", "" if half_width else missing, unit, sign)
    value = significant(figure.value * factor)
    decimals = decimals_of(figure.value * factor)
    pairs = ((figure.low, figure.high, ""), (figure.lowest, figure.highest, SPREAD_OF_REPEATS))
    for low, high, kind in pairs:
        if low is not None and high is not None:
            ends = f"{low * factor:,.{decimals}f} to {high * factor:,.{decimals}f}"
            return FigureText(value, ends, "; ".join(filter(None, (kind, missing if kind else ""))), unit, sign)
    return FigureText(value, "", missing, unit, sign)


def _unit(figure: HeadlineFigure) -> tuple[float, str]:
    if figure.quantity is Quantity.IOPS:
        return 1.0, "commits/s" if figure.operation is Operation.COMMIT else "IOPS"
    if figure.quantity is Quantity.BYTES_PER_S:
        return 1 / MEGABYTE, BANDWIDTH_UNIT
    unit = latency_unit([] if figure.value is None else [figure.value])
    return 1 / unit.ns, unit.name


def parameter_text(key: str, value: object) -> str:
    """The value of a parameter as in the file, followed by a readable form for sizes, bandwidths and times."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value).lower() if isinstance(value, bool) else str(value)
    plain = f"{value:,}"
    key = key.removesuffix("_max")
    if key.endswith("bytes_per_s"):
        return f"{plain} ({format_bandwidth(value)})"
    if key.endswith("_bytes"):
        return f"{plain} ({format_size(int(value))})"
    if key.endswith("_ns"):
        return f"{plain} ({format_latency(value) if value < SECOND_NS else format_duration(int(value))})"
    return plain


def fault_text(fault: Mapping[str, Any]) -> str:
    """An injected fault of a simulated drive: its kind and its parameters."""
    values = (f"{key} {parameter_text(key, value)}" for key, value in fault.items() if key != "kind")
    return ", ".join([str(fault["kind"]), *values])


def granularity_text(gaps: Times | None) -> str:
    """The reap interval (time between polls of the completion queue): median and maximum; empty if not measured."""
    times = estimate_times(gaps)
    if times is None:
        return ""
    median = times.percentile(50)
    longest = f"max {format_latency(times.ns_max)}"
    return longest if median is None else f"median {format_latency(median)}, {longest}"


def drift_text(ppm: float | None) -> str:
    """The drift of a clock in ppm; empty if unknown."""
    return "" if ppm is None else f"{ppm:+.1f} ppm"


def yes_text(value: bool) -> str:  # noqa: FBT001 - a value to be shown, not a switch
    """``yes`` or ``no``."""
    return "yes" if value else "no"


def number_text(value: int | None) -> str:
    """A number with thousands separators; a dash if unknown."""
    return NO_VALUE if value is None else f"{value:,}"


def unbroken(text: str) -> str:
    """The text with no-break spaces that keep each number on one line with its unit and its interval."""
    return _BEFORE_UNIT.sub("\u00a0", text.replace(" ± ", "\u00a0±\u00a0"))
