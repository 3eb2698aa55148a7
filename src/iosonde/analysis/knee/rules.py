"""Three rules for the knee. Each returns the index of a point of a sweep in order of queue depth."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import Final

from iosonde.analysis.knee.result import KneeRule

THROUGHPUT_SHARE_MIN: Final = 0.95
"""The lowest depth with this share of the best throughput is the knee: a common rule of reviewers."""

SENSITIVITY: Final = 1.0
"""The number of mean steps of depth by which the difference must fall for Kneedle to detect a bend; the authors'
default."""

Rule = Callable[[Sequence[int], Sequence[float], Sequence[float]], int | None]


def by_throughput_share(_: Sequence[int], throughput: Sequence[float], __: Sequence[float]) -> int:
    """The lowest depth with at least 95 % of the best throughput."""
    least = THROUGHPUT_SHARE_MIN * max(throughput)
    return next(index for index, value in enumerate(throughput) if value >= least)


def by_power(_: Sequence[int], throughput: Sequence[float], latency_ns: Sequence[float]) -> int:
    """The depth with the largest ratio of throughput to latency (Kleinrock 1979); of equal ones the lowest."""
    power = [rate / wait for rate, wait in zip(throughput, latency_ns, strict=True)]
    return power.index(max(power))


def by_kneedle(depths: Sequence[int], throughput: Sequence[float], _: Sequence[float]) -> int | None:
    """The bend of throughput over the logarithm of depth; None without a bend.

    Kneedle, for concave growth: V. Satopaa and others, Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011,
    section III. Both axes are scaled to 0 to 1. The knee is the first local maximum of the difference between the curve
    and the diagonal after which it falls by more than the sensitivity. There is no smoothing, because a sweep has few
    points and each is already a mean. The ends of the curve are not maxima, as in the paper.
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
    """The median of the rules' answers, or of two answers the one with more throughput. There is at least one."""
    known = sorted(answer for answer in answers if answer is not None)
    if len(known) % 2:
        return known[len(known) // 2]
    return max(known, key=lambda index: throughput[index])


def elasticity(depths: Sequence[int], throughput: Sequence[float]) -> float:
    """The growth of throughput at the two largest depths: 1 in proportion to depth, 0 not at all."""
    (shallow, deep), (less, more) = list(pairwise(depths))[-1], list(pairwise(throughput))[-1]
    return log2(more / less) / log2(deep / shallow)
