"""Verdicts: whether an interval lies on the good or the bad side of a bound."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from iosonde.figures import Figure
from iosonde.vocabulary import Quantity


class Verdict(StrEnum):
    """The result of comparing the interval of a value with its bound."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNDECIDED = "undecided"


SEVEREST_FIRST: Final = (Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS)


def verdict_on(figure: Figure, bound: float, *, is_at_most: bool) -> tuple[Verdict, str]:
    """The verdict on a value, and the reason if it is undecided."""
    if figure.value is None:
        return Verdict.UNDECIDED, f"no value: {figure.why_none}"
    if figure.ends is None:
        return Verdict.UNDECIDED, f"no interval: {figure.why_none}"
    low, high = figure.ends
    good, bad = (high <= bound, low > bound) if is_at_most else (low >= bound, high < bound)
    if good or bad:
        return (Verdict.PASS if good else Verdict.FAIL), ""
    return Verdict.UNDECIDED, "the interval contains the bound"


def decided_by_another_percentile(
    metric: Quantity, others: Sequence[Figure], bound: float, *, is_at_most: bool
) -> tuple[Verdict, str] | None:
    """The verdict that another percentile of the same operations decides, and the reason; None if there is none.

    No percentile is below a lower one: if the median is above the upper bound of the 99th percentile, so is that.
    """
    if metric.percent is None:
        return None
    for other in others:
        percent = other.quantity.percent
        if percent is None or percent == metric.percent:
            continue
        verdict, _ = verdict_on(other, bound, is_at_most=is_at_most)
        is_lower = percent < metric.percent
        # What is above the bound at a lower percentile is above it here; what is below it at a higher one is below.
        decisive = Verdict.FAIL if is_lower == is_at_most else Verdict.PASS
        if verdict is decisive:
            side = "above" if is_lower else "below"
            return verdict, f"p{percent:g} is already {side} the bound"
    return None
