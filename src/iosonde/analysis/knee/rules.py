"""Three rules for the knee: each names the index of a point of a sweep, from shallow to deep."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import Final

from iosonde.analysis.knee.result import KneeRule

THROUGHPUT_SHARE_MIN: Final = 0.95
"""The lowest depth with this share of the best throughput is the knee: reviewers' rule."""

SENSITIVITY: Final = 1.0
"""How many mean steps of depth the difference must fall before Kneedle believes in a bend; its authors' default."""

Rule = Callable[[Sequence[int], Sequence[float], Sequence[float]], int | None]


def by_throughput_share(_: Sequence[int], throughput: Sequence[float], __: Sequence[float]) -> int:
    """The lowest depth with at least 95 % of the best throughput."""
    least = THROUGHPUT_SHARE_MIN * max(throughput)
    return next(index for index, value in enumerate(throughput) if value >= least)


def by_power(_: Sequence[int], throughput: Sequence[float], latency_ns: Sequence[float]) -> int:
    """The depth with the greatest throughput over latency (Kleinrock 1979); of equal ones the lowest."""
    power = [rate / wait for rate, wait in zip(throughput, latency_ns, strict=True)]
    return power.index(max(power))


def by_kneedle(depths: Sequence[int], throughput: Sequence[float], _: Sequence[float]) -> int | None:
    """The bend of throughput over the logarithm of depth; None where there is none.

    Kneedle, for concave growth: V. Satopaa and others, Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011,
    section III. Both axes are put between 0 and 1, and the difference of the curve and the diagonal is followed: its
    first local maximum after which it falls by more than the sensitivity is the knee. Nothing is smoothed: points of a
    sweep are few, and each is a mean already. The ends of the curve are no maxima, as in the paper.
    """
    across, up = _to_unit([log2(depth) for depth in depths]), _to_unit(throughput)
    if across is None or up is None:
        return None
    difference = [rise - run for run, rise in zip(across, up, strict=True)]
    margin = SENSITIVITY / (len(depths) - 1)
    candidate: int | None = None
    threshold = 0.0
    for index in range(1, len(difference)):
        if candidate is not None and difference[index] < threshold:
            return candidate
        if index == len(difference) - 1:
            break
        before, here, after = difference[index - 1 : index + 2]
        if before <= here >= after:
            candidate, threshold = index, here - margin
        elif before >= here <= after:
            threshold = 0.0
    return None


def _to_unit(values: Sequence[float]) -> list[float] | None:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) for value in values] if high > low else None


RULES: Final[Mapping[KneeRule, Rule]] = {
    KneeRule.THROUGHPUT_SHARE: by_throughput_share,
    KneeRule.POWER: by_power,
    KneeRule.KNEEDLE: by_kneedle,
}


def depth_to_use(answers: Sequence[int | None], throughput: Sequence[float]) -> int:
    """The middle one of the rules' answers; of two that with more throughput. At least one rule must have answered."""
    known = sorted(answer for answer in answers if answer is not None)
    if len(known) % 2:
        return known[len(known) // 2]
    return max(known, key=lambda index: throughput[index])


def elasticity(depths: Sequence[int], throughput: Sequence[float]) -> float:
    """At which pace throughput grows at the deepest points: 1 in proportion to depth, 0 not at all."""
    (shallow, deep), (less, more) = list(pairwise(depths))[-1], list(pairwise(throughput))[-1]
    return log2(more / less) / log2(deep / shallow)
