"""Ratios as text, with as many digits as they need: small ones, and those whose interval is narrow."""

from math import floor, log10
from typing import Final

from iosonde.analysis.contrasts import Multiple
from iosonde.analysis.ratios import Ratio
from iosonde.charts.quantities import decimals_of

DIGITS: Final = 3
SMALL_DIGITS: Final = 2
"""The significant digits of a ratio below 1: 0.39, 0.041."""

DECIMALS_MAX: Final = 6


def ratio_text(value: float, interval: Ratio | None = None) -> str:
    """A ratio with three significant digits, or two below 1: ``12.4``, ``1.00``, ``0.39``, ``0.041``.

    With a narrow interval it has as many decimals as that.
    """
    least = 0 if interval is None else _decimals_apart(interval)
    return f"{value:,.{max(least, _decimals(value))}f}"


def multiple_text(multiple: Multiple) -> str:
    """A ratio with as many decimals as its interval, if it has one."""
    return ratio_text(multiple.value, multiple.ratio)


def times_text(multiple: Multiple) -> str:
    """``2.10 times``."""
    return f"{multiple_text(multiple)} times"


def times_with_interval(ratio: Ratio) -> str:
    """``2.10 times (95 % CI 2.05 to 2.15)``."""
    return f"{ratio_text(ratio.value, ratio)} times (95 % CI {ratio_ends(ratio)})"


def ratio_ends(ratio: Ratio) -> str:
    """The ends of a ratio's interval, with enough decimals to tell them apart: ``0.48 to 0.52``."""
    least = _decimals_apart(ratio)
    low, high = (f"{each:,.{max(least, _decimals(each))}f}" for each in (ratio.low, ratio.high))
    return f"{low} to {high}"


def _decimals(value: float) -> int:
    if not 0 < value < 1:
        return decimals_of(value, DIGITS)
    return min(SMALL_DIGITS - 1 - floor(log10(value)), DECIMALS_MAX)


def _decimals_apart(ratio: Ratio) -> int:
    """The decimals that tell the ends of an interval apart; 0 if their usual ones do."""
    usual = max(_decimals(ratio.low), _decimals(ratio.high))
    if ratio.low == ratio.high or f"{ratio.low:.{usual}f}" != f"{ratio.high:.{usual}f}":
        return 0
    return next(
        (more for more in range(usual + 1, DECIMALS_MAX) if f"{ratio.low:.{more}f}" != f"{ratio.high:.{more}f}"),
        DECIMALS_MAX,
    )
